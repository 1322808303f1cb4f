//! Help texts to begin with, and what they are made of.

/// A text of each family: the command, the text, and a value for the arguments.
pub fn texts() -> Vec<Vec<u8>> {
    [
        "grep\nUsage: grep [OPTION]... PATTERNS [FILE]...\n\n  -i, --ignore-case   ignore\n      --color[=WHEN]  WHEN is 'always', 'never', or 'auto'\n-x",
        "scp\nusage: scp [-346ABCp] [-c cipher] [-F ssh_config] source ... target\n--",
        "t\nusage: t [-h] [--out FILE] {add,remove} ...\n\npositional arguments:\n  {add,remove}\n    add  Add it\n\noptions:\n  -h, --help  show this\n  --out FILE  file (default: a)\n$(id)",
        "g\nUsage of g:\n  -addr string\n    \taddress (default \"x\")\n  -n int\n    \tcount\n-addr",
        "c\nUsage:\n  c [flags]\n  c [command]\n\nAvailable Commands:\n  get   Get one\n\nFlags:\n  -o, --output string   one of: json|yaml\n@x",
        "╭─ Options ─────╮\n│ --all  -a  x │\n╰───────╯\n\u{1b}[1mBold\u{1b}[0m\n-1",
        "git remote add\nusage: git remote add [-t <branch>] [--[no-]tags] [--mirror=<fetch|push>] <name> <URL>\n\n    -t, --[no-]track <branch>\n-t",
        "java\nUsage: java [options] <mainclass> [args...]\n           (to execute a class)\n\n -cp <path>\n -classpath <path>\n               where to look\n -XX:+Flag\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// libFuzzer's dictionary.
pub fn dictionary() -> String {
    let words = [
        "usage: ",
        "Options:\\x0a",
        "Commands:\\x0a",
        "  -",
        "--",
        "[=",
        "[",
        "]",
        "...",
        "<",
        ">",
        "{a,b}",
        "|",
        ", --",
        " / --no-",
        "--[no-]",
        "(default: ",
        "[possible values: ",
        "One of: ",
        "\\x0a\\x0a",
        "\\x0a      ",
        "\\x09",
        "@",
        "FILE",
        "=N",
        "\\x08",
        "\\x1b[1m",
    ];
    words.iter().map(|word| format!("\"{word}\"\n")).collect()
}

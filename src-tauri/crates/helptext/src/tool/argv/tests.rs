use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tool::{ArgumentError, Invocation, Policy, Tool};
use crate::{Effect, mark_as, read};

const GREP: &str = "Usage: grep [OPTION]... PATTERNS [FILE]...
Search for PATTERNS in each FILE. With no FILE, read standard input.

Options:
  -i, --ignore-case         ignore case distinctions
  -e, --regexp=PATTERNS     use PATTERNS for matching
  -m, --max-count=NUM       stop after NUM selected lines
      --color[=WHEN]        use markers; WHEN is 'always', 'never', or 'auto'
  -f, --file PATH           take PATTERNS from PATH
  -v                        increase verbosity; can be repeated
      --help                display this help text and exit
      --exec CMD            run CMD for each match
";

fn tool(text: &str, command: &str, policy: &Policy) -> Tool {
    Tool::new(read(text, command), policy)
}

fn run(tool: &Tool, arguments: Value) -> Result<Invocation, ArgumentError> {
    let Value::Object(map) = arguments else { panic!("not an object") };
    tool.invocation(&map)
}

fn words(tool: &Tool, arguments: Value) -> Vec<String> {
    run(tool, arguments).unwrap().arguments
}

fn problem(tool: &Tool, arguments: Value) -> String {
    run(tool, arguments).unwrap_err().to_string()
}

/// `tar cfI x.tar PROGRAM FILE` runs a program.
#[test]
fn first_word_is_no_bundle_of_options() {
    let text = "Usage: tar [OPTION...] [FILE]...\n\n  -c, --create   create a new archive\n  -f, --file=ARCHIVE   use it\n";
    for command in ["tar", "/usr/bin/bsdtar", "gtar"] {
        let tar = tool(text, command, &Policy::default());
        assert_eq!(words(&tar, json!({"file": ["cfI", "x.tar"]})), ["--", "cfI", "x.tar"], "{command}");
        assert_eq!(words(&tar, json!({"create": true, "file": ["a"]})), ["--create", "a"]);
    }
    let mut linked = read(text, "archive");
    mark_as(&mut linked, "tar");
    let linked = Tool::new(linked, &Policy::default());
    assert_eq!(words(&linked, json!({"file": ["cf"]})), ["--", "cf"]);
    assert_eq!(words(&tool(text, "other", &Policy::default()), json!({"file": ["cf"]})), ["cf"]);
}

#[test]
fn optional_value_that_is_left_out_takes_no_argument() {
    let text = "Usage: minify [options] [files...]\n\nOptions:\n  -o, --output <file>   Where to\n  --css [value]   Minify styles\n  --color[=WHEN]   Use colours\n  --fast   Be quick\n";
    let minify = tool(text, "minify", &Policy::default());
    assert_eq!(words(&minify, json!({"css": true, "files": ["x.html"]})), ["--css", "--", "x.html"]);
    assert_eq!(words(&minify, json!({"css": "a", "files": ["x.html"]})), ["--css", "a", "x.html"]);
    assert_eq!(words(&minify, json!({"color": true, "files": ["x"]})), ["--color", "x"]);
    assert_eq!(words(&minify, json!({"css": true})), ["--css"]);
}

#[test]
fn arguments_become_one_vector() {
    let grep = tool(GREP, "grep", &Policy::default());
    assert_eq!(words(&grep, json!({"patterns": "x", "file": ["a", "b"]})), ["x", "a", "b"]);
    assert_eq!(words(&grep, json!({"patterns": "x", "file": ["-a"]})), ["--", "x", "-a"]);
    assert_eq!(
        words(&grep, json!({"patterns": "x", "ignore_case": true, "max_count": 3, "v": 2})),
        ["--ignore-case", "--max-count=3", "-v", "-v", "x"]
    );
    assert_eq!(words(&grep, json!({"patterns": "x", "color": true})), ["--color", "x"]);
    assert_eq!(words(&grep, json!({"patterns": "x", "color": "never"})), ["--color=never", "x"]);
    assert_eq!(words(&grep, json!({"patterns": "x", "file_2": "-"})), ["--file=-", "x"]);
    let made = run(&grep, json!({"patterns": "x", "stdin": "a\nb", "file_2": "words"})).unwrap();
    assert_eq!(made.arguments, ["--file", "words", "x"]);
    assert_eq!(made.stdin.as_deref(), Some("a\nb"));
    assert_eq!(made.paths, [("file_2".to_owned(), "words".to_owned())]);
}

#[test]
fn switches_with_a_default_can_be_switched_off() {
    let kubectl = tool(
        "Options:\n    --openapi=true:\n\tUse it\n\n    --all=false:\n\tAll\n",
        "kubectl",
        &Policy::default(),
    );
    assert_eq!(kubectl.input_schema()["properties"]["openapi"]["type"], "boolean");
    assert_eq!(words(&kubectl, json!({"openapi": false, "all": true})), ["--openapi=false", "--all"]);
    assert_eq!(problem(&kubectl, json!({"openapi": "no"})), "openapi: has to be true or false, not text");
}

/// A switch whose help does not tell that it takes a value takes the `--`, and what follows would be an option.
#[test]
fn no_value_becomes_an_option_behind_a_switch() {
    let text = "Usage: log [OPTION]... NAME\n\n  -l, --log        file to which a log is written\n  -k, --hook=CMD   run CMD afterwards\n  -n, --lines=N    so many\n";
    let log = tool(text, "log", &Policy::default());
    let says = problem(&log, json!({"log": true, "name": "--hook=id"}));
    assert!(says.starts_with("name: begins with \"-\"") && says.contains("leave --log out"), "{says}");
    assert_eq!(words(&log, json!({"log": true, "name": "x"})), ["--log", "x"]);
    assert_eq!(words(&log, json!({"log": true, "name": "-"})), ["--log", "-"]);
    assert_eq!(words(&log, json!({"lines": 3.0, "name": "--hook=id"})), ["--lines=3", "--", "--hook=id"]);
    assert_eq!(words(&log, json!({"name": "-x"})), ["--", "-x"]);
}

#[test]
fn arguments_before_a_required_one_can_be_left_out() {
    let text = "Usage: seq [OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST\n\n  -w, --equal-width   equalize width\n";
    let seq = tool(text, "seq", &Policy::default());
    for (given, made) in [
        (json!({"last": "3"}), vec!["3"]),
        (json!({"first": "-2", "last": "1"}), vec!["--", "-2", "1"]),
        (json!({"first": "1", "increment": "2", "last": "9"}), vec!["1", "2", "9"]),
    ] {
        assert_eq!(words(&seq, given), made);
    }
}

/// Options with several values end at the next option only, and a word can be a subcommand.
#[test]
fn arguments_are_kept_from_options_with_several_values_and_from_subcommands() {
    let text = "usage: pack [-h] [--with FILE [FILE ...]] name\n\noptions:\n  --with FILE [FILE ...]  add them\n  --level N  so much\n";
    let pack = tool(text, "pack", &Policy::default());
    assert_eq!(words(&pack, json!({"name": "x", "level": 3})), ["--level", "3", "x"]);
    let with = words(&pack, json!({"name": "x", "with": ["a", "b"]}));
    assert_eq!(with[with.len() - 2..], ["--", "x"], "{with:?}");
    let text = "Usage: app [OPTIONS] [FILE]\n\nCommands:\n  wipe  Delete everything\n  show  Print\n\nOptions:\n  --level <N>  So much\n";
    let app = tool(text, "app", &Policy::default());
    assert_eq!(words(&app, json!({"file": "wipe"})), ["--", "wipe"]);
}

/// jq 1.6 takes `--` for a file.
#[test]
fn no_separator_is_given_to_programs_without_one() {
    let text =
        "Usage:\tjq [OPTIONS] FILTER [FILES...]\n\n  --indent n   use n spaces\n  --tab        use tabs\n";
    let jq = tool(text, "jq", &Policy::default());
    assert_eq!(words(&jq, json!({"filter": ".a", "files": ["x.json"]})), [".a", "x.json"]);
    assert!(problem(&jq, json!({"filter": "-n"})).contains("could take it for an option"));
}

#[test]
fn wrong_arguments_are_named_with_what_would_be_right() {
    let grep = tool(GREP, "grep", &Policy::default());
    for (arguments, says) in [
        (json!({}), "patterns: is missing"),
        (json!({"patterns": true}), "patterns: has to be text, not a boolean"),
        (json!({"patterns": "x", "max_count": "3"}), "max_count: has to be a whole number, not text"),
        (json!({"patterns": "x", "max_count": 1.5}), "max_count: has to be a whole number"),
        (json!({"patterns": "x", "color": "pink"}), "one of always, never, auto"),
        (json!({"patterns": "x", "colour": true}), "is no argument of this tool; there are:"),
        (json!({"patterns": "x", "help": true}), "prints help"),
        (json!({"patterns": "x", "exec": "id"}), "runs programs"),
        (json!({"patterns": "a\0b"}), "NUL"),
        (json!({"patterns": ["a"]}), "one value"),
        (json!({"patterns": "x".repeat(200_000)}), "200000 bytes"),
        (json!({"patterns": "x", "stdin": 1}), "stdin: has to be text"),
    ] {
        let problem = problem(&grep, arguments);
        assert!(problem.contains(says), "{problem}");
    }
}

#[test]
fn options_that_run_programs_are_offered_only_when_allowed() {
    let allowed = Policy { allow: ["--exec".to_owned()].into(), interpreter: false };
    let grep = tool(GREP, "grep", &allowed);
    assert_eq!(words(&grep, json!({"patterns": "x", "exec": "id"})), ["--exec", "id", "x"]);
    assert!(grep.input_schema()["properties"].get("exec").is_some());
    let python = "usage: python3 [-c cmd] [file] [arg] ...\n\nOptions:\n  -c cmd : program passed in as string\n  -v : be verbose\n";
    let closed = tool(python, "python3", &Policy::default());
    assert!(problem(&closed, json!({"file": "x.py"})).contains("runs programs"));
    let open = tool(python, "python3", &Policy { interpreter: true, ..Policy::default() });
    assert_eq!(words(&open, json!({"file": "x.py"})), ["x.py"]);
}

#[test]
fn nothing_takes_the_place_of_what_is_withheld() {
    // Each ran a program of the caller's choice once.
    let setarch = "Usage: x86_64 [options] [program [argument...]]\n\n  -v, --verbose  say more\n";
    let tool_of = |text: &str, command: &str| tool(text, command, &Policy::default());
    assert!(
        problem(&tool_of(setarch, "x86_64"), json!({"argument": ["touch", "/tmp/x"]}))
            .contains("runs programs")
    );
    let sqlite =
        "Usage: sqlite3 [OPTIONS] [FILENAME [SQL]]\nReads standard input.\n\n  -json   set output mode\n";
    assert!(problem(&tool_of(sqlite, "sqlite3"), json!({"stdin": ".shell id"})).contains("is not offered"));
    let allowed = Policy { allow: ["stdin".to_owned()].into(), interpreter: false };
    assert!(run(&tool(sqlite, "sqlite3", &allowed), json!({"stdin": "select 1"})).is_ok());
    let bisect = "usage: git bisect [help|start|bad|good|run]\n\n    -x   y\n";
    assert!(tool_of(bisect, "git bisect").is_withheld(&Policy::default()));
    for name in ["perl5.36-x86_64-linux-gnu", "python3.6m", "vim.basic", "prove", "git-shell", "slogin"] {
        assert!(crate::is_interpreter(name) || name == "vim.basic", "{name}");
    }
    let find = "Usage: find [path...] [expression]\n\n      -name PATTERN  name\n";
    assert_eq!(words(&tool_of(find, "find"), json!({"path": ["."], "name": "a"})), [".", "-name", "a"]);
}

#[test]
fn program_of_unknown_style_rejects_values_that_look_like_options() {
    let text = "usage: conv [-out file] [-q num] input\n\n -out file   output\n -q num  quality\n -quiet  say nothing\n";
    let conv = tool(text, "conv", &Policy::default());
    assert_eq!(words(&conv, json!({"out": "a", "input": "b"})), ["-out", "a", "b"]);
    assert!(problem(&conv, json!({"out": "-x", "input": "b"})).contains("./-name"));
    assert!(problem(&conv, json!({"input": "-x"})).contains("could take it for an option"));
    // Standard output and input.
    assert_eq!(words(&conv, json!({"out": "-", "input": "-"})), ["-out", "-", "-"]);
}

#[test]
fn at_files_are_rejected_where_the_program_reads_them() {
    let text = "Usage: gcc [options] file...\nOptions:\n  -o <file>   Place the output into <file>.\n";
    assert!(problem(&tool(text, "gcc", &Policy::default()), json!({"file": ["@x"]})).contains("read a file"));
}

/// sox and programs in Perl run what stands behind a bar where a file is expected.
#[test]
fn file_that_is_a_pipe_is_rejected() {
    let sound = tool("Usage: sound [options] infile outfile\n\n  -q   quiet\n", "sound", &Policy::default());
    for infile in ["|touch x", "touch x|"] {
        assert!(problem(&sound, json!({"infile": infile, "outfile": "o"})).contains("\"|\""), "{infile}");
    }
    let text = tool("Usage: find-text PATTERN\n\n  -q   quiet\n", "find-text", &Policy::default());
    assert_eq!(words(&text, json!({"pattern": "|a"})), ["|a"]);
}

/// Programs are known by their names without versions and platforms, and by what they are links to.
#[test]
fn programs_are_known_under_all_their_names() {
    let help = "Usage: x [OPTION]... FILE...\n\n  --all   all of it\n";
    for program in ["gcc-12", "x86_64-linux-gnu-gcc", "clang-15", "llvm-objdump-15", "mypy"] {
        let tool = tool(help, program, &Policy::default());
        assert!(problem(&tool, json!({"file": ["@/tmp/options"]})).contains("\"@\""), "{program}");
    }
    let says =
        "Usage: y [OPTION]... FILE...\n\n  --all        all of it\n  @<filename>  read arguments from it\n";
    let tool_that_says = tool(says, "y", &Policy::default());
    assert!(problem(&tool_that_says, json!({"file": ["@/tmp/options"]})).contains("\"@\""));
    for program in ["rustfmt", "rustdoc"] {
        let tool = tool(help, program, &Policy::default());
        assert!(problem(&tool, json!({"file": ["+/tmp/toolchain"]})).contains("\"+\""), "{program}");
    }
    let mut linked = read("Usage: edit [OPTION]... FILE...\n\n  -u FILE   settings\n", "edit");
    assert!(!linked.options[0].effects.contains(&Effect::Runs));
    mark_as(&mut linked, "vim.basic");
    assert!(linked.options[0].effects.contains(&Effect::Runs));
    let linked = Tool::new(linked, &Policy::default());
    assert!(linked.has_plus && !linked.offers("u"));
}

#[test]
fn values_with_a_plus_sign_are_rejected_where_options_have_one() {
    let dig = tool(
        "Usage: dig [-f file] host\n  -f file      read it\n  +[no]all     all\n  +tries=T     so often\n",
        "dig",
        &Policy::default(),
    );
    assert_eq!(words(&dig, json!({"host": "x", "all": false, "tries": "+3"})), ["+noall", "+tries=+3", "x"]);
    for arguments in [json!({"host": "+all"}), json!({"host": "x", "f": "+all"})] {
        assert!(problem(&dig, arguments).contains("begins with \"+\""));
    }
    let date = tool("Usage: date [OPTION]... [+FORMAT]\n  -u, --utc   UTC\n", "date", &Policy::default());
    assert_eq!(words(&date, json!({"format": "+%F"})), ["+%F"]);
}

#[test]
fn schema_says_what_the_vector_takes() {
    let schema = tool(GREP, "grep", &Policy::default()).input_schema();
    let properties = &schema["properties"];
    // `--regexp=PATTERNS` takes its place.
    assert_eq!(schema.get("required"), None);
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(properties["max_count"]["type"], "integer");
    assert_eq!(properties["color"]["anyOf"][1], json!({"enum": ["always", "never", "auto"]}));
    assert_eq!(properties["v"]["type"], "integer");
    assert_eq!(properties["file"]["type"], "array");
    assert!(properties.get("help").is_none() && properties.get("exec").is_none());
}

proptest! {
    /// Whatever a value is, it stays a value: behind `--`, joined to its flag, or behind a flag that takes one and not
    /// beginning with `-`.
    #[test]
    fn no_value_becomes_an_option(
        value in "(-|--|--exec=|-e|@|\\$\\(|;|\n|é)?[ -~\n]{0,12}",
        list in proptest::collection::vec("-{0,2}[a-z]{0,3}", 0..3),
        is_given in any::<bool>(),
    ) {
        let grep = tool(GREP, "grep", &Policy::default());
        let mut arguments = json!({"patterns": value, "file_2": value, "file": list});
        if is_given {
            arguments["regexp"] = json!(value);
        }
        if let Ok(made) = run(&grep, arguments) {
            let words = made.arguments.len() - 1 - list.len();
            let (mut options, positionals) = made.arguments.split_at(words);
            prop_assert_eq!(&positionals[0], &value);
            prop_assert_eq!(&positionals[1..], &list[..]);
            match options.split_last() {
                Some((last, before)) if last == "--" => options = before,
                _ => prop_assert!(!positionals.iter().any(|word| word.starts_with('-') && word != "-"), "{:?}", made.arguments),
            }
            for (at, word) in options.iter().enumerate() {
                let is_flag = word.starts_with("--regexp=") || word.starts_with("--file=") || word == "--file";
                let is_value = at > 0 && options[at - 1] == "--file" && !word.starts_with('-');
                prop_assert!(is_flag || is_value, "{:?}", made.arguments);
            }
        }
    }
}

/// Regression: values of long options of git were rejected, and only one pattern could be given to grep.
#[test]
fn long_options_of_git_and_repeated_ones_take_any_value() {
    let text = "usage: git commit [-m <msg>]\n\n    -m, --message <message>\n                          commit message\n    --amend               amend it\n";
    let commit = tool(text, "git commit", &Policy::default());
    assert_eq!(words(&commit, json!({"message": ["-m x", "y"]})), ["--message=-m x", "--message", "y"]);
    let grep = tool(GREP, "grep", &Policy::default());
    assert_eq!(
        words(&grep, json!({"regexp": ["-a", "b"], "file": ["x"]})),
        ["--regexp=-a", "--regexp=b", "x"]
    );
    let text = "Usage: rsync [OPTION]... SRC DEST\n\n    --exclude=PATTERN   not these\n    --include=PATTERN   these\n";
    let rsync = tool(text, "rsync", &Policy::default());
    let given = json!({"include": "*.txt", "exclude": ["*"], "src": "a", "dest": "b"});
    assert_eq!(words(&rsync, given), ["--include=*.txt", "--exclude=*", "a", "b"]);
}

/// argparse: a flag that is given twice forgets the first values, so that all of them follow one.
#[test]
fn any_number_of_values_follows_one_flag() {
    let text = "usage: x [-h] [--with FILE [FILE ...]] [--any [N ...]] [--old [WORD [WORD ...]]] target\n\n\
                positional arguments:\n  target                where to\n\noptions:\n  --with FILE [FILE ...]\n                        \
                files to add\n  --any [N ...]         numbers\n  --old [WORD [WORD ...]]\n                        words\n";
    let tool = tool(text, "x", &Policy::default());
    assert_eq!(
        words(&tool, json!({"with": ["a", "b"], "any": [], "old": ["c"], "target": "t"})),
        ["--with", "a", "b", "--any", "--old", "c", "--", "t"]
    );
    assert_eq!(words(&tool, json!({"with": "a", "target": "t"})), ["--with", "a", "--", "t"]);
    assert!(problem(&tool, json!({"with": [], "target": "t"})).contains("at least one"));
    assert!(problem(&tool, json!({"with": ["-r"], "target": "t"})).contains("begins with"));
    let schema = tool.input_schema();
    let kinds = ["with", "any", "old"].map(|name| schema["properties"][name]["items"]["type"].clone());
    assert_eq!(kinds, ["string", "integer", "string"], "{schema}");
}

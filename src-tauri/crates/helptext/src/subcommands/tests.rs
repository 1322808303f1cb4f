#[test]
fn lists_of_subcommands_have_many_forms() {
    let of = |text: &str| {
        let found = crate::read(text, "c8").subcommands;
        found.into_iter().map(|command| command.name).collect::<Vec<_>>()
    };
    // yargs repeats the program, qemu-img writes dashes, cac no descriptions.
    assert_eq!(of("Commands:\n  c8 report  write it\n  c8 check   check it\n"), ["report", "check"]);
    assert_eq!(of("Recognized commands:\n\n  amend - Change it\n  dd - Copy it\n"), ["amend", "dd"]);
    assert_eq!(of("Commands:\n  run [...filters]\n  init <project>\n"), ["run", "init"]);
    let systemctl = "Environment Commands:\n  show-environment               Dump it\n  service-log-level UNIT [LEVEL] Set it\n";
    assert_eq!(of(systemctl), ["show-environment", "service-log-level"]);
    assert_eq!(of("Commands:\n  g[eneral]   Its state\n  r[adio]     Its switches\n"), ["general", "radio"]);
    assert_eq!(of("commands:\n  d        - delete it\n  q[f]     - append it\n"), Vec::<String>::new());
    let listed = "Commands:\n  get   read it\n  put   write it\n";
    assert!(crate::read(listed, "c8 get").subcommands.is_empty());
    // A group may have a command of its own name.
    let own = "usage: c8 get [-h] {get,put} ...\n\npositional arguments:\n  {get,put}\n";
    assert_eq!(crate::read(own, "c8 get").subcommands.len(), 2);
    assert_eq!(of("COMMON COMMANDS\n\n  c8\n  Does it.\n"), Vec::<String>::new());
}

#[test]
fn names_can_be_as_wide_as_their_column_or_wider() {
    let of = |text: &str, name: &str| {
        let found = crate::read(text, name).subcommands.into_iter().map(|command| command.name);
        found.collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        // keymgr: what goes on stands between.
        (
            "Commands:\n  list          List keys.\n                 (syntax: list <x>)\n  import-pkcs11 Import a key.\n                 (syntax: none)\n  generate      Make one.\n",
            "list import-pkcs11 generate",
        ),
        // snapraid: the first.
        (
            "Commands:\n  status Print the status\n  diff   Show changes\n  sync   Sync it\n",
            "status diff sync",
        ),
        // bw: what looks like a flag, and a remark.
        (
            "Commands:\n  share <id> [json]   --DEPRECATED-- Move it.\n  send <data>         Send it.\n\n  Tip: Managing them is easier with others.\n",
            "share send",
        ),
        // ember
        (
            "Available commands:\n\nx build <options...>\n  Builds it.\n  aliases: b\n\nx serve <options...>\n  Serves it.\n\nx test\n  Tests it.\n",
            "build serve test",
        ),
        // dnsviz: described beneath, behind a dash.
        (
            "Commands:\n    probe          - Issue queries.\n    grok           - Read them.\n    print          - Write them.\n    help [<command>]\n                   - Say more.\n",
            "probe grok print help",
        ),
        // prisma: headings as far in as that of the list.
        (
            "    Commands\n\n         init   Set it up\n     validate   Check it\n       format   Format it\n\n    Flags\n\n         --help   Say more\n\n    Examples\n\n      Do it\n      $ x init\n",
            "init validate format",
        ),
        // neonctl, nix, fossil: the program in front.
        (
            "Commands:\nx list\n└──────>    List them\nx create <id|name>\n└──────>    Create one\n\nOptions:\n--id\n└──────>  Its id\n",
            "list create",
        ),
        (
            "    where subcommand is one of the following:\n\n    Main commands:\n\n      · x build - build it from its\n        sources\n      · x help - show help\n\n    Utility commands:\n\n      · x fmt - format it\n      · x log - show it\n",
            "build help fmt log",
        ),
        (
            "Usage: x ?SUBCOMMAND ...?\n\n  x\n\n    Shows it.\n\n  x add NAME\n\n    Adds a new one.\n\n  x list|ls\n\n    Shows all.\n\n  x off\n\n    Forgets it.\n",
            "add list off",
        ),
        // pdnsutil: at the column of their heading, with arguments in capitals.
        (
            "Commands:\nactivate-key ZONE NAME {a|b}\n                 Enable it\ncheck-zone ZONE  Check it\nclear-zone ZONE\n                 Clear it\n",
            "activate-key check-zone clear-zone",
        ),
        // colormgr: beneath the only form.
        (
            "Usage:\n  x [OPTION?]\n\n  create-device [ID] [KIND]\n                       Create one\n  create-profile [ID]  Create one\n  delete-device [ID]   Delete one\n  dump                 Show it\n  find-device [ID]     Find one\n",
            "create-device create-profile delete-device dump find-device",
        ),
        // appstream-util
        (
            "Usage:\n  x [OPTION?]\n\n  add-it       Add it\n  check-root   check the root\n  compare      Compare two\n  convert      Convert it\n  dump         Dumps it\n",
            "add-it check-root compare convert dump",
        ),
        // bq: broken at a hyphen, and described below.
        (
            "USAGE: x <command> [args]\n\n\nAny of the following commands:\n  add, cancel, remove-policy-\n  binding, wait\n\n\nadd        Add it.\n\n           Examples:\n\n           x add one\n\n           Arguments:\n           one: The one.\n",
            "add cancel remove-policy-binding wait",
        ),
        // mwdiffs, git-ftp, gcloud
        (
            "It does it.\n\n* dump2diffs -- Makes diffs\n                from dumps\n* docs2diffs -- Makes others\n\nUsage:\n    x -h | --help\n    x <utility> [-h | --help]\n",
            "dump2diffs docs2diffs",
        ),
        (
            "USAGE\n    x <action> [<options>] [<url>]\n\nACTIONS\n    . init\n        Does it first.\n\n    . catch-up\n        Does it again.\n\n    . download (EXPERIMENTAL)\n        Gets it.\n",
            "init catch-up download",
        ),
        (
            "SYNOPSIS\n    x GROUP | COMMAND [FLAG ...]\n\nGROUPS\n    GROUP is one of the following:\n\n     bulk\n        Does many.\n\nCOMMANDS\n    COMMAND is one of the following:\n\n     add-it\n        Adds it.\n",
            "bulk add-it",
        ),
        // phc_ctl describes an argument in the same way.
        (
            "usage: x [options] <device> -- [command]\n\n device         the device\n commands\n  set  [seconds]  set its time\n  get             get its time\n  cmp             compare it\n",
            "set get cmp",
        ),
        // argparse: names with a colon, one alone, and the place for one.
        (
            "usage: x [-h] {list,db:dump,db:load} ...\n\npositional arguments:\n  {list,db:dump,db:load}\n\noptions:\n  -h, --help  show this\n",
            "list db:dump db:load",
        ),
        (
            "usage: x [-h] {run} ...\n\npositional arguments:\n  {run}       sub-command help\n\noptions:\n  -h, --help  show this\n",
            "run",
        ),
        (
            "usage: x [-h] action ...\n\noptions:\n  -h, --help  show this\n\nsubcommands:\n  action      Available commands\n",
            "",
        ),
        // click: groups under any headings.
        (
            "Usage: x [OPTIONS] COMMAND [ARGS]...\n\n  Does it.\n\n  debug: what this is.\n\nOptions:\n  --help  Show this message and exit.\n\nCommands:\n  go    Go\n  stop  Stop\n\nAdmin tools:\n  drop  Drop it\n\nOther things:\n  load  Load it\n",
            "go stop drop load",
        ),
        // tyro
        (
            "usage: x [-h] {alpha,beta}\n\n╭─ options ──────────╮\n│ -h, --help  show it │\n╰────────────────────╯\n╭─ subcommands ──────╮\n│ (required)          │\n│   • alpha   Do it.  │\n│   • beta    Do b.   │\n╰────────────────────╯\n",
            "alpha beta",
        ),
        // s3cmd: below what they do.
        (
            "Usage: x [options] COMMAND [parameters]\n\nOptions:\n  -h, --help  show it\n\nCommands:\n  Make bucket\n      x mb s3://BUCKET\n  List objects\n      x ls [s3://BUCKET[/PREFIX]]\n  Put file\n      x put FILE [FILE...] s3://BUCKET\n",
            "mb ls put",
        ),
        // Jupyter
        (
            "Does it\n\nSubcommands\n===========\nSubcommands are launched as `x cmd [args]`. For information on using\nsubcommand 'cmd', do: `x cmd -h`.\n\nassign\n    Create it.\n    Twice.\ngrade\n    Grade it.\n\nOptions\n=======\n--debug\n    set it\n",
            "assign grade",
        ),
        // hic2cool, ovn-nbctl, ovn-appctl, cliff
        (
            "usage: x [-h] mode: {convert, update} ...\n\nprogram modes:\n  choose one of the following modes:\n\n  mode: {convert, update}\n    convert   convert it\n    update    update it\n",
            "convert update",
        ),
        (
            "usage: x [OPTIONS] COMMAND [ARG...]\n\nGeneral commands:\n  init     make it\n\nDHCP Options commands:\n  dhcp-options-add CIDR\n           add it\n  dhcp-options-del CIDR\n           delete it\n",
            "init dhcp-options-add dhcp-options-del",
        ),
        (
            "usage: x COMMAND [ARG...]\nCommon commands:\n  version    Print it\n  vlog/list  List them\n  vlog/set   Set them\n",
            "version vlog/list vlog/set",
        ),
        (
            "usage: x [-h]\n\nCommands:\n  chassis show   Show it\n  deploy template create  Create one\n  deploy template list  List them\n",
            "chassis deploy",
        ),
        // cmd-ts
        (
            "x <subcommand>\n> Does it\n\nwhere <subcommand> can be one of:\n\n- issue - Start it\n- stop - stop it\n\nFor more help, try running `x <subcommand> --help`\n",
            "issue stop",
        ),
        // bustools, pg_autoctl
        (
            "Usage: x <CMD> [arguments] ..\n\nWhere <CMD> can be one of: \n\nsort       Sort it\ncorrect    Correct it\ncount      Count it\n",
            "sort correct count",
        ),
        (
            "Available commands:\n  x\n  + create    Create one\n  + drop      Drop one\n    run       Run it\n",
            "create drop run",
        ),
        // Azure, Airflow
        (
            "Group\n    x\n\nSubgroups:\n    acr                : Manage it.\n    config [Preview]   : Set it\n                         up.\n\nCommands:\n    login              : Log in.\n",
            "acr config login",
        ),
        (
            "Usage: x [-h] GROUP_OR_COMMAND ...\n\nPositional Arguments:\n  GROUP_OR_COMMAND\n\n    Groups\n      assets        Do assets\n      auth          Log in. Either with\n                    a token or not.\n\n    Commands:\n      version       Show it\n\nOptions:\n  -h, --help        show it\n",
            "assets auth version",
        ),
        // yargs, started from its file
        (
            "Deploys it\n\nCommands:\n  index.js import  Take it  [aliases: deploy]\n  index.js export  Write it\n\nOptions:\n  --help  Show help\n",
            "import export",
        ),
    ] {
        assert_eq!(of(text, "x"), expected, "{text}");
    }
    assert_eq!(of("Commands:\n  ng it off  Do not.  [aliases: no]\n  ng it on   Do.\n", "ng it"), "off on");
}

#[test]
fn other_tables_and_sentences_are_no_subcommands() {
    let of = |text: &str| {
        let definition = crate::read(text, "x");
        let names = definition.subcommands.into_iter().map(|command| command.name).collect::<Vec<_>>();
        let arguments = definition.positionals.into_iter().map(|one| one.name).collect::<Vec<_>>();
        (names.join(" "), arguments.join(" "))
    };
    for (text, names, arguments) in [
        // A table of what there are several of, below the list.
        (
            "Usage: x <command>\n\nCommands:\n  run    Run it\n  list   List all\n\nOutput styles:\n  plain  Print plain text\n  table  Draw a table\n",
            "run list",
            "",
        ),
        (
            "Commands:\n  show NAME   Show it\n  edit NAME   Edit it\n\n  where NAME is the name of a profile\n",
            "show edit",
            "",
        ),
        (
            "Usage: x [OPTIONS] COMMAND [ARG]...\n\nArguments:\n  COMMAND   the program to run\n\nNotes:\n  Signals\n    All signals are passed on.\n  Exit\n    The exit code is its own.\n",
            "",
            "COMMAND ARG",
        ),
        // Arguments beneath the only form.
        (
            "Usage:\n  x [options] url\n\n  url      the address\n  verb     the verb to send\n  data     the body\n  header   more of them\n  proxy    where to go\n",
            "",
            "url",
        ),
        (
            "Usage: x start <name>\n       x stop <name>\n       x status\n       x [file]\n",
            "start stop status",
            "file",
        ),
        (
            "Usage: x [options] COMMAND [ARG]...\n\nFormats:\n* zip -- Compressed\n* tar -- Not compressed\n",
            "",
            "COMMAND ARG",
        ),
        (
            "Usage: x MODE FILE OUT\n\nModes:\n  bayer   Ordered dithering\n  floyd   Error diffusion\n",
            "",
            "MODE FILE OUT",
        ),
        ("usage: x image [SIZE]\n   or: x folder [SIZE]\n", "", "image SIZE"),
        // Sections below what looks like a heading, and tables of values.
        (
            "usage: x [-h] file\n\nRun shell commands\n\npositional arguments:\n  file        what to read\n\noptions:\n  -h, --help  show this\n",
            "",
            "file",
        ),
        (
            "usage: x script output limit\n\npositional arguments:\n  script      file to read instead of\n              shell commands\n  output      where results go\n  limit       how many\n",
            "",
            "script output limit",
        ),
        (
            "Commands:\n  convert    Convert it\n\nSupported output formats:\n  json       JSON text\n  yaml       YAML text\n",
            "convert",
            "",
        ),
        (
            "Commands:\n  run      Run it\n  list     List them\n\nLog level:\n  debug    everything\n  quiet    nothing\n\nLicense:\n  Apache-2.0\n",
            "run list",
            "",
        ),
        (
            "usage: x [-h] {debug,release} command [args ...]\n\npositional arguments:\n  {debug,release}  which build\n  command          what to run\n",
            "",
            "debug|release command args",
        ),
        (
            "Usage: x [options] command [args]\nduration  how long to wait, as a number\n          with a suffix:\n          s for seconds\n          m for minutes\n          h for hours\ncommand   what to run\n",
            "",
            "command args",
        ),
        ("usage: x dump | gzip\n       x load <file>\n       x list\n", "dump load list", ""),
        // But such names can be commands.
        (
            "Commands:\n  add: Add an entry\n  alias: Manage them\n  see: Show it\n  note: run it for more\n",
            "add alias see",
            "",
        ),
    ] {
        assert_eq!(of(text), (names.to_owned(), arguments.to_owned()), "{text}");
    }
}

#[test]
fn programs_written_by_hand_have_forms_of_their_own() {
    let of = |text: &str| {
        let found = crate::read(text, "x").subcommands.into_iter().map(|command| command.name);
        found.collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        // adb: groups in the same columns, the first of which is described beneath.
        (
            "general commands:\n help           show this\n version        show that\n\nnetworking:\n connect HOST   connect to it\n ppp TTY        run it\n\nfile transfer:\n push [--sync] LOCAL REMOTE\n     copy it to the device\n\nshell:\n emu COMMAND    run it there\n",
            "help version connect ppp push emu",
        ),
        // hpc: a heading that ends like one of something else.
        (
            "Usage: x COMMAND ...\n\nCommands:\n  help    Display help\nReporting:\n  report  Output it\nProcessing Coverage files:\n  sum     Sum them\n  map     Map it\n",
            "help report sum map",
        ),
        // dlm_tool, jigdo-file, lein
        (
            "x [command] [options]\n\nCommands:\nls, status, dump\nfence_ack, set_config\n\nOptions:\n  -n   all\n",
            "ls status dump fence_ack set_config",
        ),
        (
            "Commands:\n  make-template mt Create it from files\n  make-image mi    Recreate it\n  verify ver       Check it\n",
            "make-template make-image verify",
        ),
        (
            "Several tasks are available:\nchange      Rewrite it.\ncheck       Check it.\nclean       Remove it.\n",
            "change check clean",
        ),
        // cmake: arguments in small letters, described behind a dash.
        (
            "Usage: x -E <command> [arguments...]\nAvailable commands: \n  chdir dir cmd [args...]   - run it there\n  compare [--eol] file1 file2\n                            - compare them\n  cat <files>...            - print them\n  echo [<string>...]        - print it\n",
            "chdir compare cat echo",
        ),
        // yadm: the program in front.
        (
            "Commands:\n  x init [-f]      - Make one\n  x clone <url>    - Copy one\n  x list [-a]      - List it\n",
            "init clone list",
        ),
        // doveadm: alone among others in columns.
        (
            "usage: x log <command> [<args>]\n  errors       [-s <time>]\n  find         [<dir>]\n  reopen       \n  test         \n",
            "errors find reopen test",
        ),
        // getcert, apksigner
        (
            "Usage: x command [options]\nrequest        \trequest a new one\nstart-it       \tbegin it\nstop-it        \tend it\nlist           \tlist them\nstatus         \tcheck it\n",
            "request start-it stop-it list status",
        ),
        (
            "USAGE: x <command> [options]\n\n        COMMANDS\nrotate                Add a new one\n\nsign                  Sign it\n\nverify                Check it\n                      once\n",
            "rotate sign verify",
        ),
        // jellyfish, kea-admin
        (
            "Usage: x <cmd> [options] arg...\nWhere <cmd> is one of: count, bc, info.\nOptions:\n  --help   this\n",
            "count bc info",
        ),
        (
            "Usage: x COMMAND BACKEND\n\nCOMMAND: Currently supported operations are:\n\n - db-init: Makes it.\n - db-dump: Writes it.\n\nBACKEND - one of: a|b\n",
            "db-init db-dump",
        ),
        // encfsctl, kmc_tools, stilts
        (
            "Usage:\nx (root dir)\n  -- displays it, or \nx info (root dir)\n  -- show it\nx passwd (root dir)\n  -- change it\nx decode (root dir) [name ...]\n  -- decodes it\n",
            "info passwd decode",
        ),
        (
            "Usage:\n x [global parameters] <operation> [operation parameters]\nAvailable operations:\n  transform            - does one\n  simple               - does two\n global parameters:\n  -v   - more\n",
            "transform simple",
        ),
        (
            "Usage:\n   x [-help] <task-name> <task-args>\n\n   Known tasks:\n      arrayjoin\n      calc\n      cone\n",
            "arrayjoin calc cone",
        ),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
    // The text of the program, printed for a subcommand.
    let images =
        "Commands:\n  list ls    List it\n  make-it mt Create it from files\n  verify     Check it\n";
    assert!(crate::read(images, "x make-it").subcommands.is_empty());
}

#[test]
fn program_works_alone_if_a_usage_line_of_its_own_has_arguments() {
    let works_alone = |usage: &str| {
        let text =
            format!("{usage}\n\nSUBCOMMANDS:\n    cache    Modify the cache\n    help     Print help\n");
        crate::read(&text, "bat").works_alone()
    };
    assert!(works_alone("USAGE:\n    bat [OPTIONS] [FILE]...\n    bat <SUBCOMMAND>"));
    for usage in [
        "USAGE:\n    bat <SUBCOMMAND>",
        "USAGE:\n    bat [OPTIONS] <COMMAND>\n    bat cache [FILE]",
        "USAGE:\n    bat [OPTIONS]\n    bat <SUBCOMMAND>",
    ] {
        assert!(!works_alone(usage), "{usage}");
    }
}

fn of(text: &str, name: &str) -> Vec<String> {
    crate::read(text, name).subcommands.into_iter().map(|command| command.name).collect()
}

#[test]
fn lists_of_many_forms_are_read() {
    for (text, expected) in [
        // openssl, quilt
        (
            "help:\n\nStandard commands\nasn1parse   ca      ciphers\ncms         crl\n\nCipher commands (see `enc')\naes-128     bf      des\n",
            "asn1parse ca ciphers cms crl aes-128 bf des",
        ),
        // bup: two columns, in the order of the first.
        (
            "Other commands:\n    bloom     init\n    damage    join\n    gc        ls\n    help\n",
            "bloom damage gc help init join ls",
        ),
        // modal: groups of their own below `Commands:`.
        (
            "Usage: x COMMAND\n\nCommands:\n  run    Run it\n  serve  Serve it\n\nStorage:\n  image   Keep images.\n  secret  Keep secrets.\n\nModules:\n  disk    Disks of it\n  net     Nets of it\n",
            "run serve image secret",
        ),
        // dzil: names aligned at their colons.
        (
            "Available commands:\n\n    commands: list them\n        help: say more\n\n         add: add it\n       build: build it\n",
            "commands help add build",
        ),
        // ovs-dpctl, mysqladmin, f2fs_io: wider than their column, with capitals or brackets, or alone.
        (
            "usage: x [OPTIONS] COMMAND [ARG...]\n  add-dp DP     add it\n  add-flow [DP] FLOW ACTIONS add FLOW to DP\n  del-if DP IF  delete it\n",
            "add-dp add-flow del-if",
        ),
        (
            "Commands:\n  refresh      Read them again\n  password [new-password] Change old to new\n  get_encrypt_mode get the mode of it\n  stop         Stop it\n",
            "refresh password get_encrypt_mode stop",
        ),
        // fastboot: described beneath.
        (
            "usage: x [OPTION...] COMMAND...\n\nbasics:\n getvar NAME  Show it\n boot KERNEL [RAMDISK [SECOND]]\n              Load it and boot.\n format[:TYPE[:SIZE]] PARTITION\n              Format it.\n",
            "getvar boot format",
        ),
        // certbot, amadmin, shorewall, cabal
        ("Commands:\n  (default) run   Get it\n  renew           Get it again\n", "run renew"),
        (
            "Valid <command>s are:\n  due [<host> [<disks>]* ]*    # Show it.\n  export [<host> [<disks>]* ]* # Write it.\n",
            "due export",
        ),
        (
            "where <command> is one of:\n   [ check | ck ] [ -e ] [ <directory> ]\n   clear\n   reset [ <chain> ... ]\n",
            "check clear reset",
        ),
        (
            "Commands:\n build   Build it\n\n [new-style projects (with other names)]\n  v2-build   Build it so\n",
            "build v2-build",
        ),
        // nebula-cert, sos
        (
            "Usage of x <global flags> <mode>:\n\n  Modes:\n    ca <flags>: make one\n    sign <flags>: sign with it\n",
            "ca sign",
        ),
        (
            "usage: x <component> [options]\n\nAvailable components:\n    report, rep     Collect them\n    clean, mask     Hide them\n",
            "report clean",
        ),
        // git-imerge shows some in examples, vcs all behind an argument.
        (
            "usage: x [-h] {start,merge,drop,list} ...\n\nUse one of these commands:\n\n    x merge B\n        Merge it\n\n    x drop\n        Drop it\n\n    x start\n        Begin\n\npositional arguments:\n  {start,merge,drop,list}\n",
            "start merge drop list",
        ),
        (
            "usage: x [-h] [<command>]\n\npositional arguments:\n  <command>   The available commands: pull, push,\n              status\n",
            "pull push status",
        ),
        // but `start  starts` has a description.
        ("Commands:\n    stop     stops\n    start    starts\n    again    restarts\n", "stop start again"),
        // yarn, ionic, gm
        ("Commands:\n  - access\n  - generate-lock / generateLock\n", "access generate-lock"),
        ("Commands:\n  info ........ Print it\n  config <subcommand> ... Manage it\n", "info config"),
        (
            "Where commands include:\n    animate - show many\n      batch - issue many\n       help - say more\n",
            "animate batch help",
        ),
        // rrdtool, apt-ftparchive
        (
            "Usage: x [options] command\nValid commands: create, update,  dump,\n\t\tlast, and fetch\n\nMore.\n",
            "create update dump last fetch",
        ),
        (
            "Usage: x command\nCommands: packages binarypath [override]\n          sources srcpath\n          clean config\n",
            "packages sources clean",
        ),
        // dnf, kingpin
        (
            "List of Commands:\n\nalias        List them\nautoremove   Remove them\n\nOther text here.\n",
            "alias autoremove",
        ),
        (
            "Subcommands:\nx config [<flags>] <file>...\n    Check it.\n\nx metrics\n    Check them.\n",
            "config metrics",
        ),
        // vcsh: as far in as the heading.
        (
            "   commands:\n   commit               Commit\n   delete <repo>        Delete one\n",
            "commit delete",
        ),
        (
            "Available x commands:\n  Use 'x help <command>' for more\n\n  config      Show it\n  formats     List them\n",
            "config formats",
        ),
        // mix, net
        (
            "x            # Runs it\nx clean      # Deletes it all\nx deps.get   # Gets them all\nx do         # Does it now\n",
            "clean deps.get do",
        ),
        (
            "Usage:\nx rpc     Run over RPC\nx file    Open a file\nx share   Share a folder\n",
            "rpc file share",
        ),
        ("Examples:\nx rpc     Run over RPC\nx file    Open a file\nx share   Share a folder\n", ""),
        // svn, systemd, monit
        ("Available subcommands:\n   blame (praise, ann)\n   add\n", "blame add"),
        (
            "Commands:\n  call SERVICE METHOD [ARGUMENT...]\n              Call it\n  list        List them\n",
            "call list",
        ),
        (
            "Options are as follows:\n -h     Help\nOptional commands are as follows:\n start all    - Start all\n quit         - End it\n",
            "start quit",
        ),
        // npm, phar, jupyter, bwa
        ("All commands:\n\n    access, add,\n    audit\n\nMore\n", "access add audit"),
        (
            "Commands: add compress delete extract help\n          info list\n\nadd     Add it\n",
            "add compress delete extract help info list",
        ),
        ("Available subcommands: kernel migrate run\n", "kernel migrate run"),
        ("Commands: see the manual of x\n", ""),
        (
            "Command: index      index it all\n         mem        align it\n\n         shm        share it\n",
            "index mem shm",
        ),
        // node-gyp, nuxi, cordova
        ("where <command> is one of:\n  - build - Build it\n  - clean - Remove it\n", "build clean"),
        (
            "COMMANDS\n\n           add    Add them\n  add-template    Create one\n          _dev    Run it\n",
            "add add-template _dev",
        ),
        (
            "Global Commands\n    info ..... Print it\n    reqs ..... Check all\n                  of them\n\n    run ...... Run it\n",
            "info reqs run",
        ),
        // git-lfs, btrfs
        ("x lfs env:\n  Show it.\nx lfs ext:\n  Show that.\nx lfs fetch:\n  Get it.\n", ""),
        ("x env:\n  Show it.\nx ext:\n  Show that.\nx fetch:\n  Get it.\n", "env ext fetch"),
        (
            "    x add <path>\n        Add it\n    x delete <path>\n    x remove <path>\n        Remove it\n",
            "add delete remove",
        ),
        (
            "Additional help topics:\n  x backend    Help about it\n  x log        Help about logs\n  x redirect   Help about files\n",
            "",
        ),
        // brz
        (
            "add     Add it.\nalias   Set it.\nbind    Bind it.\nbisect  Find it.\nbranch  Make it.\ncat     Print it.\ncheck   Check it.\nclone   Clone it.\n",
            "add alias bind bisect branch cat check clone",
        ),
        // darcs, hg, dub: groups.
        (
            "Usage: x COMMAND\n\nCommands:\n  help     Show it\n\nMost used:\n  add      Add it\n\nHelp topics:\n  dates    How they are written\n",
            "help add",
        ),
        (
            "list of commands:\n\nCreation:\n\n clone    make it\n\nHistory:\n\n log      show it\n",
            "clone log",
        ),
        (
            "Available commands\n=====\n\n  Creation\n  --------\n  init [<dir>]\n          Make it\n\n  Running\n  -------\n  run [<name>]\n          Run it\n",
            "init run",
        ),
        // borg, aptitude, rndc
        (
            "usage: x [-h] <command> ...\n\nrequired arguments:\n  <command>\n    check      verify it\n    create     create it\n",
            "check create",
        ),
        (
            "Usage: x [options] <action> ...\n\nActions (if none is given, it asks):\n install    Install it.\n remove     Remove it.\n",
            "install remove",
        ),
        ("Usage: x [file]\n\nActions:\n install    Install it.\n remove     Remove it.\n", ""),
        (
            "Usage: x [-p port] command\n\ncommand is one of the following:\n\n  addzone zone [class]\n        Add it.\n  flush     Empty it.\n",
            "addzone flush",
        ),
        // nmcli, dkms
        ("Usage: x connection { COMMAND | help }\n\nCOMMAND := { show | up | down }\n", "show up down"),
        (
            "Usage: x [action] [options]\n  [action]  = { add | remove |\n                status }\n",
            "add remove status",
        ),
        // netlify, jfr, gopass, easyrsa, changeset
        ("COMMANDS\n  $ api      Run it\n             with all\n  $ blobs    Manage them\n", "api blobs"),
        (
            " x print [--xml]\n         [--depth <n>]\n     Print it.\n\n x summary <file>\n     Sum it up.\n\n x help\n     Say more.\n",
            "print summary help",
        ),
        (
            "Usage:\n  init   Make it.\n  ls     List it.\n  find   Find it.\n  show   Show it.\n  grep   Search it.\n",
            "init ls find show grep",
        ),
        (
            "Here is the list of commands available. Use the\n'help' command for more.\n\n  init-pki [ opts ]\n  build-ca [ opts ]\n  gen-dh\n  gen-req <name> [ opts ]\n  revoke <name>\n",
            "init-pki build-ca gen-dh gen-req revoke",
        ),
        ("  Usage\n    $ x [command]\n  Commands\n    init\n    add [--empty]\n", "init add"),
        // coreutils, datalad, umoci
        ("Currently defined functions:\n\n    [, arch, b2sum, cat,\n    chgrp\n", "arch b2sum cat chgrp"),
        (
            "Usage: x [opts] command\n\n*Essential*\n\n  create\n      Create one\n  create-sibling\n      Create another\n",
            "create create-sibling",
        ),
        (
            "COMMANDS:\n   help, h  Show it\n\n   image:\n     config  change it\n\n   layout:\n     gc        collect it\n",
            "help config gc",
        ),
        // hub has git's groups above its own list, ipmitool its interfaces.
        (
            "Usage: x <command>\n\nstart here (see help)\n   clone     Clone it\n   init      Make it\n\nwork on it\n   add       Add it\n   mv        Move it\n   rm        Remove it\n\nGitHub Commands:\n   pr        List them\n",
            "clone init add mv rm pr",
        ),
        (
            "Usage: x <command>\n\nInterfaces:\n   open      Linux\n   imb       Intel\n   lan       IPMI\n   free      Free\n   usb       OEM\n\nCommands:\n   raw       Send it\n",
            "raw",
        ),
        // yargs wraps at the first column; kaggle describes its braces.
        (
            "Commands:\n  x build    Build a project that is\nlong and has an environment\n  x clean    Wipe it\nand its cache\n  x repl     Start one\n",
            "build clean repl",
        ),
        (
            "usage: x [-h] {files,f,quota} ...\n\ncommands:\n  {files,f,quota}\n                 Use one of:\n                 files {list, get}\n    files (f)    Handle them\n    quota        Show it\n",
            "files quota",
        ),
        // hostapd_cli, snap, fs, direnv, sssctl, cabal, ansible-galaxy
        ("commands:\n  ping = test it\n  sta <addr> = get it\n  all_sta = get all\n", "ping sta all_sta"),
        (
            "Commonly used commands can be classified as follows:\n\n      Basics: find, info\n     History: changes\n  ... Other: warnings, ack\n",
            "find info changes warnings ack",
        ),
        ("x: Commands are:\napropos         search it\nbypass          set it\n", "apropos bypass"),
        (
            "Available commands\n------------------\nallow [PATH]:\npermit [PATH]:\n  Allow it.\nblock [PATH]:\n  Not.\n",
            "allow permit block",
        ),
        (
            "Usage: x COMMAND\n\nAvailable commands:\n\nStatus:\n* domain-list     List them\n* domain-status   Show it\n\nTools:\n* backup          Copy it\n",
            "domain-list domain-status backup",
        ),
        (
            "Commands:\n [global]\n  update     Get it\n  list       List it\n\n [package]\n  get        Get one\n",
            "update list get",
        ),
        (
            "usage: x [-h] ROLE_ACTION ...\n\npositional arguments:\n  ROLE_ACTION\n    init       Make it\n    list       List it\n",
            "init list",
        ),
        // Arguments are no description.
        (
            "Usage: x map create     FILE type TYPE\n       x map dump       MAP\n       x map pin        MAP  FILE\n",
            "",
        ),
    ] {
        assert_eq!(of(text, "x").join(" "), expected, "{text}");
    }
}

#[test]
fn other_names_of_commands_are_none_of_their_own() {
    let text = "usage: x [-h] {run,r,list,l} ...\n\nsubcommands:\n  {run,r,list,l}\n    run (r)     run it\n    list (l)    list them\n";
    let read = crate::read(text, "x").subcommands;
    let read: Vec<(&str, String)> =
        read.iter().map(|one| (one.name.as_str(), one.aliases.join(" "))).collect();
    assert_eq!(read, [("run", "r".to_owned()), ("list", "l".to_owned())]);
}

#[test]
fn what_is_no_list_of_commands_is_none() {
    for (text, expected) in [
        // Underlined headings behind the list.
        (
            "Commands:\n--------\n  add   Add it\n\nOptions\n-------\n  -v    Say more\n\nExit codes\n----------\n  zero  fine\n",
            "add",
        ),
        ("Commands\n========\n  add   Add it\n\nExit codes\n==========\n  zero  fine\n", "add"),
        // Another table in the same columns.
        (
            "Usage: x COMMAND\n\nCommands:\n  convert    Convert it\n  list       List them\n\nUnits:\n  km         Kilometres\n  mi         Miles\n",
            "convert list",
        ),
        // Titles of groups.
        (
            "Commands:\n  basic use\n    add      Add it\n    remove   Remove it\n  other things\n    log      Show it\n",
            "add remove log",
        ),
        // Prose.
        (
            "Usage: x [-c command] file\n\nCommand: what to run for each file. It is\n         given to the shell, with the name\n         of the file behind it.\n",
            "",
        ),
        ("  -b, --batch\n      Run all commands: stop when one fails first\n", ""),
        (
            "Options:\n  --action ACTION\n        What to do. Supported commands:\n        start, stop, restart\n\n  --force\n        Do not ask\n",
            "",
        ),
        (
            "Options:\n  -x SHELL\n      Use this shell to run the commands\n      that are given.  The default is sh.\n",
            "",
        ),
        ("x - run a list of commands\n\nx [-j N] file\n    -j N   how many jobs\n", ""),
        // Arguments and files.
        (
            "Usage:\n  x file      Show one file\n  x dir       Show all files of a folder\n  x url       Fetch and show a page\n",
            "",
        ),
        (
            "Usage: x [options] file...\n\nTypical uses:\n  x song.mp3        Play a song\n  x list.m3u        Play a list\n  x radio.pls       Play it now\n",
            "",
        ),
        (
            "Examples:\n\n  Play things:\n  x play    Play it now\n  x stop    Stop it now\n  x next    Play another\n",
            "",
        ),
        // Variables, but also aliases.
        ("Environment variables used by the commands:\n  X_HOME     where it looks\n", ""),
        ("Commands and aliases:\n  add, a      Add it\n  remove      Remove it\n", "add remove"),
        // Actions of a command, or of another argument.
        ("Usage: x [options] <command>\n\nTasks:\n  build   Build it\n  clean   Remove it\n", "build clean"),
        ("Usage: x IMAGE <action>\n\nActions:\n  resize   Change the size\n  rotate   Turn it\n", ""),
        // A heading of columns; a list of topics.
        ("Commands:\n  Command    Alias   Description\n  install    i       Install a package\n", "install"),
        (
            "Commands:\n  add     commit   diff\n  log     merge    push\n\nTopics\n  dates   keys     units\n",
            "add commit diff log merge push",
        ),
        // Keys of a program.
        (
            "up       one line up\ndown     one line down\nleft     one column left\nright    one column right\nhome     to the start\nend      to the end\nenter    open it\nquit     leave it\n\nUsage: x [file]\n",
            "",
        ),
        ("Commands:\n  w[file]     write it\n  quit        leave\n", "w quit"),
        // Values of another argument.
        ("Usage: x add <action> <host>\n\nwhere action = { allow | deny | count }\n", ""),
        ("COMMAND := { show [ DEV ] | add NAME | list }\n", "show add list"),
    ] {
        assert_eq!(of(text, "x").join(" "), expected, "{text}");
    }
}

#[test]
fn lines_between_commands_are_kept() {
    let text = "x add <path>\n    Add a file.\n    --force   Overwrite it\nx del <path>\n    Delete it.\n    -r        With all below\nx list\n    List all.\n    Hidden ones, too.\n";
    let read = crate::read(text, "x");
    assert_eq!(read.options.iter().map(|one| one.flags.join(" ")).collect::<Vec<_>>(), ["--force", "-r"]);
    assert_eq!(read.subcommands[2].description, "List all. Hidden ones, too.");
    let flags = |text: &str| {
        crate::read(text, "x")
            .options
            .iter()
            .map(|one| format!("{} {:?}", one.flags.join(","), one.value))
            .collect::<Vec<_>>()
    };
    assert_eq!(flags("Options:\n  --out / --output FILE   where to\n"), ["--out,--output Required"]);
    assert_eq!(flags("Usage: x OPTIONS FILE\n       OPTIONS = [-v] [-o FILE]\n"), ["-v None", "-o Required"]);
}

#[test]
fn commands_do_not_hide_arguments() {
    let of = |text: &str, name: &str| {
        crate::read(text, name).positionals.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        of("Usage: x { lock | unlock } DEVICE\n       x { mount | umount } DEVICE DIR\n", "x lock"),
        "DEVICE"
    );
    assert!(of("Usage: x [ on | off ] FILE\n       x [ slow | fast ] FILE\n", "x").contains("FILE"));
    assert_eq!(
        of("Usage: x [options] <object-file> <command>\n\nCommands:\n  dump   Dump it\n", "x"),
        "object-file"
    );
    // What stands behind a command is its own.
    assert_eq!(of("Usage: x [-v] <dir> <command> <path>\n\nCommands:\n  dump   Dump it\n", "x"), "dir");
    assert_eq!(
        of("Usage: x [globalflags] <command> [flags] <args>\n\nCommands:\n  dump   Dump it\n", "x"),
        ""
    );
    assert_eq!(of("Usage: x [options]\n\nAction arguments:\n  <src>   where from\n", "x"), "src");
    assert_eq!(of("x [file]\n\nFormat:\n  %Y   year\n  %m   month\n", "x"), "file");
    assert_eq!(of("Usage: x add [flags] <file>\n\n  x add a.jpg b.jpg\n", "x add"), "file");
    // A text that lists the command itself.
    assert!(
        crate::read("Commands:\nadd       Add it\nremove    Remove it\n", "x add").subcommands.is_empty()
    );
    // Brackets without end.
    let deep = format!("usage: x {}{}\n", "[ ".repeat(900), "]".repeat(900));
    assert!(crate::read(&deep, "x").subcommands.is_empty());
}

#[test]
fn lists_of_less_common_programs_are_read() {
    for (text, expected) in [
        // argparse: the place for a command has a name, and may have a description of its own.
        ("subcommands:\n  CMD\n    build    build it\n    list     list them\n", "build list"),
        (
            "usage: x COMMAND ...\n\navailable commands:\n  COMMAND    the command to execute. These are\n             \
             built in:\n    check    check it\n    download\n             load it\n",
            "check download",
        ),
        (
            "positional arguments:\n  <command>\n    environment (env, venv)\n                        Build it\n    \
             lock                Lock it\n",
            "environment lock",
        ),
        // aqbanking, bucardo, git-dpm
        (
            "Commands:\n\n  create:\n    Create it\n\n  show:\n    Show it\n\n  setkey:\n\n",
            "create show setkey",
        ),
        (
            "Commands:\n    \"install\"\n        Install it.\n\n    \"stop [<reason>]\"\n        Stop it.\n\n    \
             \"list <type>\"\n        List them.\n",
            "install stop list",
        ),
        (
            "Possible commands are:\n init: Begin it.\n tag: Tag it.\nLow-level-stuff:\n apply: apply it\n",
            "init tag apply",
        ),
        // copilot, oclif, rdme, sourmash
        (
            "Commands\n  First steps\n    init    Begin it.\n\n  Develop\n    app     Apps.\n    run     Run it.\n",
            "init app run",
        ),
        ("USAGE\n  $ x [COMMAND]\n\nTOPICS\n  api   call it\n\nCOMMANDS\n  login  log in\n", "api login"),
        (
            "Usage\n\n  x <command>\n\nA\n\n  $ x up    Load it.\n  $ x get   Get it.\n  $ x list  List them.\n",
            "up get list",
        ),
        (
            "Usage:\n    Basics\n        x compare --help   compare two\n        x info --help      say what it is\n        \
             x plot --help      plot it all\n\n    Others\n        x tax --help\n",
            "compare info plot tax",
        ),
        // evmctl: forms without descriptions. ipsec: several in a line. 0install: names alone.
        ("commands:\n help <command>\n import [--rsa] pubkey keyring\n convert key\n", "help import convert"),
        ("Commands:\n  start|restart [arguments]\n  up|down <name>\n  pki\n", "start restart up down pki"),
        (
            "Usage: x COMMAND\n\nTry one of these:\n\n  x add\n  x get\n  x run\n  x list\n  x man\n  x log\n\nOptions:\n  -v  say more\n",
            "add get run list man log",
        ),
        // solidarity, apktool, alsaucm, salsa
        (
            "\n  x            Do it   \n  create (c)   Make it\n  fix (f)      Mend it\n  help (h)     Help\n",
            "create fix help",
        ),
        (
            "usage: x\nusage: x d[ecode] [-f] <file>\nusage: x b[uild] [-f] <path>\nusage: x list [-f] <dir>\n",
            "decode build list",
        ),
        ("Available commands:\n  open NAME     open it\n  h,help        help\n", "open help"),
        ("Most used commands:\n  - checkout, co: clone it\n  - fork        : fork it\n", "checkout fork"),
    ] {
        assert_eq!(of(text, "x").join(" "), expected, "{text}");
    }
    // Other names are aliases, and values of an option are no commands.
    let read = crate::read(
        "positional arguments:\n  {clean_all,clean-all}\n    clean_all (clean-all)\n                        Delete all\n\nUsage: x {clean_all,clean-all} ...\n",
        "x",
    );
    assert!(read.subcommands.iter().all(|one| one.name != "clean-all"), "{:?}", read.subcommands);
    assert!(of("Options:\n    --mode {id|data|all}\n        Choose it:\n\n        id    one\n        data  more\n        all   all\n", "x").is_empty());
}

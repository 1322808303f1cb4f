use super::*;

fn of(text: &str, name: &str) -> (String, String) {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let usage = read(&lines, name, &Flags::default());
    let option = |option: &UsageOption| {
        format!("{}{}", option.spec.flags.join(","), if option.spec.values.is_empty() { "" } else { "=" })
    };
    let positional = |positional: &UsagePositional| {
        let dots = if positional.repeated { "..." } else { "" };
        if positional.required {
            format!("{}{dots}", positional.name)
        } else {
            format!("[{}]{dots}", positional.name)
        }
    };
    let options: Vec<String> = usage.options.iter().map(option).collect();
    let positionals: Vec<String> = usage.positionals.iter().map(positional).collect();
    (options.join(" "), positionals.join(" "))
}

#[test]
fn forms_that_begin_with_other_words_have_subcommands() {
    let commands = |text: &str, name: &str| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines, name, &Flags::default()).commands
    };
    let docopt = "Usage:\n  up [options] list\n  up [options] show <app>\n  up link install [<app>]\n  up (-h | --help)\n";
    assert_eq!(commands(docopt, "up"), ["list", "show", "link"]);
    // The same text for a subcommand: only its own form, and none below it.
    assert!(commands(docopt, "up show").is_empty());
    assert_eq!(of(docopt, "up show").1, "app");
    assert_eq!(of(docopt, "up").1, "");
    // Names of files, and too few.
    assert!(commands("Usage: up file [x]\n   or: up dir <y>\n   or: up path\n", "up").is_empty());
    assert!(commands("Usage: up list x\n   or: up show [y]\n", "up").is_empty());
    // Two are enough if their arguments are written as such.
    assert_eq!(
        commands("up attach VOLUME [KEY]\nup detach VOLUME\n\nIt does.\n", "up"),
        ["attach", "detach"]
    );
    // rc-update, git-flow, ip addrlabel
    let update =
        "Usage: up [options] add <x> [<y>]\n   or: up [options] del <x>\n   or: up [options] [show [<y>]]\n";
    assert_eq!(commands(update, "up"), ["add", "del", "show"]);
    assert_eq!(
        commands("usage: up [list]\n   or: up start\n   or: up finish\n", "up"),
        ["list", "start", "finish"]
    );
    let label = "Usage: up { add | del } prefix PREFIX\n       up [ list | flush | help ]\n";
    assert_eq!(commands(label, "up"), ["add", "del", "list", "flush", "help"]);
    // xdg-desktop-menu, npm: wrapped by the terminal, and without arguments.
    let menu = "Synopsis\n\nup install [--x] [--mode mode] directory-file\n(s) desktop-file(s)\n\nup uninstall [--x] desktop-file(s)\n\nup forceupdate [--mode mode]\n";
    assert_eq!(commands(menu, "up"), ["install", "uninstall", "forceupdate"]);
    // cddb-tool, compel
    let cddb = "usage: one of:\n  /bin/up parse file\n  /bin/up read it\n  /bin/up send x\n  /bin/up stat x\n  /bin/up help\n";
    assert_eq!(commands(cddb, "up"), ["parse", "read", "send", "stat", "help"]);
    let compel = "Usage:\n  up [--x] includes | cflags | libs\n  up plugins [NAME ...]\n";
    assert_eq!(commands(compel, "up"), ["includes", "cflags", "libs", "plugins"]);
    let open = "Synopsis\n\nup { a | b }\n\nup { --help | --manual }\n";
    assert_eq!(of(open, "up").0, "--help --manual");
    // Two letters with a value again and again are words.
    let words = "Usage: up [-nw] [-cf file] [-df file] [-lf file] [-pf file] [name]\n";
    assert_eq!(of(words, "up").0, "-n -w -cf= -df= -lf= -pf=");
    let icons = "Synopsis\n\nup install [--x] [--context\ncontext] [--mode mode] --size size\n\nup uninstall [--x]\n\nup update [--mode mode]\n";
    assert_eq!(commands(icons, "up"), ["install", "uninstall", "update"]);
    assert_eq!(commands("up install [--x] FILE\n\nup uninstall FILE\n", "up"), ["install", "uninstall"]);
    let org =
        "Usage:\nup org set orgname username [a | b]\nup org rm orgname username\nup org ls orgname [<x>]\n";
    assert_eq!(commands(org, "up org"), ["set", "rm", "ls"]);
    let cache = "Usage:\nup it add <x>\nup it clean [<y>]\nup it verify\n";
    assert_eq!(commands(cache, "up it"), ["add", "clean", "verify"]);
}

#[test]
fn form_of_a_listed_subcommand_has_no_arguments_of_the_program() {
    let lines: Vec<String> =
        ["Usage: mocha [spec..]", "       mocha init <path>"].map(str::to_owned).to_vec();
    let flags = Flags { commands: HashSet::from(["init"]), ..Flags::default() };
    let names: Vec<String> =
        read(&lines, "mocha", &flags).positionals.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["spec"]);
}

#[test]
fn usage_lines_show_options_and_arguments() {
    for (text, name, options, positionals) in [
        ("Usage: grep [OPTION]... PATTERNS [FILE]...", "", "", "PATTERNS [FILE]..."),
        ("usage: scp [-346B] [-c cipher] source ... target", "", "-3 -4 -6 -B -c=", "source... target"),
        ("usage: x [-h | --help] [--out FILE] a b", "x", "-h,--help --out=", "a b"),
        ("  Usage:\n  x [<file>...]        Run tests          [default]", "x", "", "[file]..."),
        ("Usage:\n  x [-v] <host>             <-Show it", "x", "-v", "host"),
        ("Usage:\n\n Coding: x [-a] [FILE]\n Back: x -d [FILE]", "x", "-a -d", "[FILE]"),
        (
            "Usage: uv pip install [OPTIONS] <PACKAGE|--requirements <FILE>>",
            "uv pip install",
            "",
            "[PACKAGE]",
        ),
        (
            "usage: git remote add [-t <branch>] [-m <master>] <name> <URL>",
            "git remote add",
            "-t= -m=",
            "name URL",
        ),
        ("Usage:\n  gh pr create [flags]", "gh pr create", "", ""),
        ("usage: nc [-46] [port]\n\t  Command Summary:\n\t  -4  x", "nc", "-4 -6", "[port]"),
        ("Usage: npx play test [options] [filter...]", "play test", "", "[filter]..."),
        ("Usage: docker build [OPTIONS] PATH | URL | -", "docker build", "", "PATH|URL"),
        ("Usage: cat <address> <address>", "cat", "", "address address"),
        ("Usage: up <interface> [netmask <address>] [mtu <NN>]", "up", "", "interface"),
        ("Usage: map [Scan Type(s)] [Options] {target specification}", "map", "", "target specification"),
        ("usage: scons [OPTIONS] [TARGETS]", "scons", "", "[TARGETS]..."),
        ("Usage of pick:\n\tpick [flags] -type T [directory]", "pick", "-type=", "[directory]"),
        ("Use: screen [-opts] [cmd]", "screen", "", "[cmd]"),
        ("USAGE:\n    hyperfine [OPTIONS] <command>...", "hyperfine", "", "command..."),
        ("usage: cp a b\n   or: cp a... dir", "cp", "", "a... b"),
        ("Usage: tar [OPTION...] [FILE]...", "tar", "", "[FILE]..."),
        ("usage: t.py [-h] {add,remove} file [file ...]", "t", "-h", "add|remove file..."),
        (
            "usage: vim [arguments] [file ..]       edit specified file(s)",
            "vim",
            "",
            "[arguments]... [file]...",
        ),
        ("Usage: ptx [INPUT]...   (without -G)", "ptx", "", "[INPUT]..."),
        (
            "Usage: git bisect start [a]    [--no-checkout] [<b>]",
            "git bisect start",
            "--no-checkout",
            "[a] [b]",
        ),
        ("usage: dpkg-scansources [<options>] <dir> > Sources", "", "", "dir"),
        ("Usage: flock [options] <file>|<directory> <command>", "flock", "", "file|directory command"),
        ("Usage: jmod (create|list) <jmod-file>", "jmod", "", "create|list jmod-file"),
        ("Usage: who [OPTION]... [ FILE | ARG1 ARG2 ]", "who", "", "[FILE]"),
        ("Usage: g-ir-inspect [OPTION…] NAMESPACE - Inspect GI typelib", "", "", "NAMESPACE"),
        ("usage: git am [<options>] [(<mbox> | <Maildir>)...]", "git am", "", "[mbox|Maildir]..."),
        (
            "Usage: taskset [options] [mask | cpu-list] [pid|cmd [args...]]",
            "taskset",
            "",
            "[mask|cpu-list] [pid|cmd] [args]...",
        ),
        ("usage: x [-a | -b] c", "x", "-a -b", "c"),
        (
            "Usage: seq [OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq FIRST STEP LAST",
            "seq",
            "",
            "[FIRST] [STEP] LAST",
        ),
        (
            "usage: cp A B\n  or: cp A... DIR\n  or: cp -t DIR A...\n  or: cp OPTION\n  or: cp --version",
            "cp",
            "-t= --version",
            "A... [B]",
        ),
        ("Usage: awk -f prog file ...\nUsage: awk 'program' file ...", "awk", "-f=", "[program] file..."),
        ("usage: vim [file ..]\n   or: vim [errors]  edit file with first error", "vim", "", "[file]..."),
        ("usage: date [MMDDhh[[CC]YY][.ss]]", "date", "", "[MMDDhh]"),
        (
            "usage: mysqlcheck db [tables] [class] [file2 ...]",
            "mysqlcheck",
            "",
            "db [tables]... [class] [file2]...",
        ),
        (
            "usage: mmove file targetfile\n       mmove file [files...] target_directory",
            "mmove",
            "",
            "file... targetfile",
        ),
        ("usage: derb [ -h, -?, --help ] [ -e, --encoding name ]", "derb", "-h,-?,--help -e,--encoding=", ""),
        ("usage: x [-v|--verbose [-v|--verbose ...]] [-OPTIONS]", "x", "-v,--verbose", ""),
        ("usage: x [-o pcf file] [bdf file] where # is 1, 2 or 4", "x", "-o=", "[bdf file]"),
        (
            "usage: ispell [-dfile | -Lcontext] [-Crtv] [-rename] file",
            "ispell",
            "-d= -L= -C -r -t -v -rename",
            "file",
        ),
        (
            "usage: alert [--help|-h|--version|-v|--diff|-d] [-b|--fd-base fd]",
            "alert",
            "--help,-h --version,-v --diff,-d -b,--fd-base=",
            "",
        ),
        ("Usage\t: e4defrag [-v] file", "e4defrag", "-v", "file"),
        ("Syntax: gpgtar [options] [files]", "gpgtar", "", "[files]..."),
        ("journalctl [OPTIONS...] [MATCHES...]\n\nQuery the journal.", "journalctl", "", "[MATCHES]..."),
        ("Set it:\n chrt [options] <priority> <command> [<arg>...]", "chrt", "", "priority command [arg]..."),
        ("This is it.  Usage:\n\n    gdb [options] [file [core]]", "gdb", "", "[file] [core]"),
        ("usage: ethtool [ FLAGS ] DEVNAME      Display what is known about it", "ethtool", "", "DEVNAME"),
        ("Usage: gresource COMMAND [ARGS?]", "gresource", "", "COMMAND [ARGS]..."),
        ("read [-mx] [file]\n        -m      trace memory use", "read", "-m -x", "[file]"),
        ("tool\n\ntool [options] FILE", "tool", "", "FILE"),
        ("  lvs\n        [ -a|--all ]\n        [ VG|LV ... ]", "lvs", "-a,--all", "[VG|LV]..."),
        ("rec FAIL sox: there is no device", "rec", "", ""),
        ("pydoc <name> ...\n    Show what <name> may be the name of", "pydoc", "", "name..."),
        ("Usage:\n------\n    astyle [OPTIONS] File1 File2 [...]", "astyle", "", "File1..."),
        ("usage: mountpoint [-q] /path/to/dir", "mountpoint", "-q", "/path/to/dir"),
        ("usage: dig {q-opt} host", "dig", "", "host"),
        ("usage: guards [--default=0|1] symbol", "guards", "--default=", "symbol"),
        (
            "Usage: timeout [OPTION] DURATION COMMAND [ARG]...\n  or:  timeout [OPTION]",
            "timeout",
            "",
            "DURATION COMMAND [ARG]...",
        ),
        ("Usage: w3m [options] [URL or filename]", "w3m", "", "[URL or filename]"),
        ("Usage: prove [options] [files or directories]", "prove", "", "[files or directories]..."),
        (
            "usage: debsign [options] [changes, dsc or commands file]",
            "debsign",
            "",
            "[changes, dsc or commands file]",
        ),
        (
            "SYNTAX: sqfstar [OPTIONS] FILE [list of exclude dirs/files]",
            "sqfstar",
            "",
            "FILE [list of exclude dirs/files]...",
        ),
        ("usage: debc [options] [.changes file] [package ...]", "debc", "", "[changes file] [package]..."),
        ("usage: train [.tr files ...] [OPTION ...]", "train", "", "[tr files]..."),
        ("Usage: cython [options] source.{pyx,py} ...", "cython", "", "source..."),
        ("Usage: hmmemit [-options] <hmmfile (single)>", "hmmemit", "", "hmmfile"),
        ("usage: mpg123 [option(s)] [file(s) | URL(s) | -]", "mpg123", "", "[file(s)|URL(s)]..."),
        ("Usage: wvunpack [-options] infile[.wv]|- [...]", "wvunpack", "", "infile..."),
        (
            "Usage : for recovering what was done in it :\n        recover [-b] partition\n        (e.g. recover /dev/a1)",
            "recover",
            "-b",
            "partition",
        ),
        ("Usage: oggdec [options] file1.ogg [file2.ogg ... fileN.ogg]", "oggdec", "", "file1.ogg..."),
        (
            "usage:  quant [options] [n] -- file [file ...]\n        quant [options] [n] - >stdout <stdin",
            "quant",
            "",
            "[n] [file]...",
        ),
        ("Usage : abc <abc file> [-v]\n        [reference number] selects one tune", "abc", "-v", "abc file"),
        (
            "Usage:\n blkid --label <label>\n\n blkid [-g] [<dev> ...]\n\n blkid -p <dev> ...\n\nOptions:",
            "blkid",
            "--label= -g -p=",
            "[dev]...",
        ),
        ("usage: atopsar [-r file] or\n       atopsar [-x] interval", "atopsar", "-r= -x", "[interval]"),
        (
            "Usage: gdal [-ro] [-of format] [-outsize x y] [-bands count]*\n            [-strict] [-q] <src>",
            "gdal",
            "-ro -of= -outsize= -bands= -strict -q",
            "src",
        ),
        (
            "Usage: iostat [ options ] [ <interval> [ <count> ] ]\nOptions are:\n[ -c ] [ -k | -m ]\n[ --human ] [ -o JSON ]",
            "iostat",
            "-c -k -m --human -o=",
            "[interval] [count]",
        ),
        ("usage: guards [--check|--list] symbol", "guards", "--check --list", "symbol"),
        ("Usage: gprof [-[abD]] [-[eF][name]] [-I dirs]", "gprof", "-a -b -D -e= -F= -I=", ""),
        (
            "Usage:\n  pdfopen [-h|--help]\n    Show this help and exit.\n  pdfopen [-r] <file>\n    Opens the file in a window.",
            "pdfopen",
            "-h,--help -r",
            "file",
        ),
        ("Usages:\n    batch -d | -D [-x log-file]\n    batch -l", "batch", "-d -D -x= -l", ""),
        ("Usage: pdf2ps [-dLanguageLevel=1|2|3] input.pdf", "pdf2ps", "-dLanguageLevel=", "input.pdf"),
        (
            "usage: lsx [-?abX] [+|-c c] [+D D] [+m [m]] [+|-f[gG]] [--] [names]",
            "lsx",
            "-? -a -b -X -c= -f=",
            "[names]...",
        ),
        ("usage: date [OPTION]... [+FORMAT]", "date", "", "[+FORMAT]"),
        (
            "cie: usage:  cie [-full]\n[-xy|-upvp] [-size <s>]\n[-width <x>] [file]",
            "cie",
            "-full -xy -upvp -size= -width=",
            "[file]",
        ),
        ("Usage: dump [-AbX#] [ -c count ] [file]", "dump", "-A -b -X -c=", "[file]"),
        ("general usage: svnrdump URL [-r LOWER]", "svnrdump", "-r=", "URL"),
        ("usage is:\n\n   listener [-e] [port]", "listener", "-e", "[port]"),
        (
            "Usage: tex [OPTION]... [NAME[.tex]] [COMMANDS]\n   or: tex [OPTION]... \\FIRST-LINE\n   or: tex [OPTION]... &FMT ARGS",
            "tex",
            "",
            "[NAME] [COMMANDS]...",
        ),
        ("Usage: ab [options] [http[s]://]hostname[:port]/path", "ab", "", "hostname"),
        (
            "Usage: ack [OPTION]... PATTERN [FILES OR DIRECTORIES]",
            "ack",
            "",
            "PATTERN [FILES OR DIRECTORIES]...",
        ),
        ("usage: btrfs check [options] <device>", "btrfsck", "", "device"),
        (
            "Usage:\n  train -v | --version | train [.tr files ...] [OPTION ...]",
            "train",
            "-v,--version",
            "[tr files]...",
        ),
        ("usage: sponge [-a] <file>: soak up all that comes", "sponge", "-a", "file"),
        (
            "usage: alembic [-h] {branches,check,current,downgrade,edit,ensure_version,heads,history,init} ...",
            "alembic",
            "-h",
            "branches|check|current|downgrade|edit|ensure_version|heads|history|init...",
        ),
        ("usage: get pkg1 [pkg2 ...]", "get", "", "pkg1..."),
        ("bzcmp, bzdiff\nusage: bzcmp [cmp_options] file [file]", "bzcmp", "", "file..."),
        ("Usage: chmod [OPTION]... MODE[,MODE]... FILE...", "chmod", "", "MODE FILE..."),
        ("Usage: sleep NUMBER[SUFFIX]...", "sleep", "", "NUMBER..."),
        ("Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...", "chown", "", "[OWNER] FILE..."),
        ("Usage: gprofng display [OPTION(S)] EXPERIMENT(S)", "gprofng display", "", "EXPERIMENT(S)..."),
        ("Usage: yq [options] <jq filter> [input file...]", "yq", "", "jq filter [input file]..."),
        ("Usage: mknod [OPTION]... NAME TYPE [MAJOR MINOR]", "mknod", "", "NAME TYPE [MAJOR] [MINOR]"),
        ("usage: t [-h] f\n  -h: print this help", "t", "-h", "f"),
        (
            "Usage: mount [-lhV]\n mount [options] <source> <directory>",
            "mount",
            "-l -h -V",
            "[source] [directory]",
        ),
        (
            "deluser [--system]\n        [--conf file] user\n\n  remove a user\n\ndeluser --group [--quiet] group",
            "deluser",
            "--system --conf= --group --quiet",
            "user",
        ),
        ("usage: ssh-copy-id [-n] [-p port] [user@]hostname", "ssh-copy-id", "-n -p=", "hostname"),
        ("Usage: minizinc [-a] <model> [<data> ...] or just <flat>", "minizinc", "-a", "model [data]..."),
        ("Usage: bash [GNU long option] [option] ...", "bash", "", ""),
        (
            "usage: git bugreport [(-o | --output-directory) <path>]\n                     [--diagnose[=<mode>]]",
            "git bugreport",
            "-o,--output-directory= --diagnose=",
            "",
        ),
        ("Usage: jo [-a] [word...]\n\tword is key=value or key@value\n", "jo", "-a", "[word]..."),
        (
            "Usage: cal [general options] [-y] [[month] year]\n       ncal [general options] [-b] [year]\nGeneral options: [-31] [-A months]\n",
            "cal",
            "-y -b -3 -1 -A=",
            "[month] [year]",
        ),
        (
            "Usage: view [-a_nodata <v>] [-oz <h>] [-tz <h>]\n            [-md <d>] -ox <x> [-vv <v>] src",
            "view",
            "-a_nodata= -oz= -tz= -md= -ox= -vv=",
            "src",
        ),
        ("Usage: tool (-q | --quiet) <file>", "tool", "-q,--quiet", "file"),
        ("Usage:\nmytool add file(s)\nmytool remove file(s)\n", "mytool", "", "add file(s)..."),
        ("Usage: host [-a] [-c class]\n            hostname [server]", "host", "-a -c=", "hostname [server]"),
        // A sentence is no form.
        ("tool formats JSON\nUsage of tool:\n  -d string\n        the delimiter\n", "tool", "", ""),
        ("Usage: install [OPTION?] [PLACE] [REF?]", "install", "", "[PLACE] [REF]..."),
        ("Usage: delv [@server] [domain]", "delv", "", "[@server] [domain]"),
        ("Usage: gprof [file] [@FILE]...", "gprof", "", "[file]"),
        (
            "Usage:\nx add <file>\nx add copies the given files into the store and\nmarks them as new.",
            "x add",
            "",
            "file",
        ),
        (
            "Usage: kadmin [-r realm] [clnt|local args]\n              [command args...]\n\tclnt args: [-s server]\n\tlocal args: [-d name] [-m]\n\twhere,\n\t[-d name]* - any number of special arguments.\n\t\t\tLook there for them\n",
            "kadmin",
            "-r= -s= -d= -m",
            "[clnt|local] [args]... [command]",
        ),
        ("Usage: stress [OPTION [ARG]] ...", "stress", "", ""),
        ("Usage: R [options] [< infile] [> outfile]", "R", "", ""),
        ("usage: pack [-q] <base> [< <refs> | < <objects>]", "pack", "-q", "base"),
        ("Usage: echo [SHORT-OPTION]... [STRING]...", "echo", "", "[STRING]..."),
        ("Usage: msgfilter [OPTION] FILTER [FILTER-OPTION]", "msgfilter", "", "FILTER [FILTER-OPTION]"),
        ("Usage: gcloud GROUP [--verbosity=V; default=\"warning\"]", "gcloud", "--verbosity=", "GROUP"),
        (
            "usage:\n\nProduce output in the specified format.\n\n   pprof [options] [binary] <source> ...",
            "go tool pprof",
            "",
            "[binary] source...",
        ),
    ] {
        assert_eq!(of(text, name), (options.to_owned(), positionals.to_owned()), "{text}");
    }
}

#[test]
fn values_that_forms_begin_with_are_choices() {
    let values = |text: &str| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines, "x", &Flags::default())
            .options
            .into_iter()
            .map(|one| one.spec.values.join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(values("usage: x -Y sign file\n       x -Y verify file"), ["sign|verify"]);
    assert_eq!(values("usage: x -f key_file\n       x -f other_file"), ["key_file"]);
    assert_eq!(values("usage: x -v -Y sign\n       x -Y verify"), ["", "sign"]);
}

#[test]
fn forms_of_a_subcommand_can_stand_apart_and_name_several() {
    let commands = |text: &str, name: &str| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines, name, &Flags::default()).commands.join(" ")
    };
    for (text, name, expected) in [
        (
            "Usage: ip netns list\n       ip netns add NAME\n       ip [-all] netns delete [NAME]\n",
            "ip netns",
            "list add delete",
        ),
        (
            "Usage: ip link add [link DEV]\n                [ mtu MTU ]\n\n       ip link delete DEV\n\n       ip link { set | show } [up]\n",
            "ip link",
            "add delete set show",
        ),
        (
            "Usage: ip rule { add | del } SELECTOR\n       ip rule [ list [ SELECTOR ]]\n",
            "ip rule",
            "add del list",
        ),
        (
            "usage: git bisect start [<bad>]\n   or: git bisect (good|bad) [<rev>]\n   or: git bisect run <cmd>\n",
            "git bisect",
            "start good bad run",
        ),
        ("usage: git sparse (init | list | set) [<options>]\n", "git sparse", "init list set"),
        ("Usage: tg [-r REMOTE] (create|delete|depend|export) ...\n", "tg", "create delete depend export"),
        // The words of the only form are values.
        ("Usage: jdeprscan [options] {dir|jar|class} ...\n", "jdeprscan", ""),
        ("Usage: xdg { get | check | set } {property} [value]\n", "xdg", ""),
        ("Usage: xdg {start|stop|status}\n", "xdg", ""),
        (
            "Usage: axfer transfer DIRECTION OPTIONS\n       axfer list DIRECTION\n       axfer version\n",
            "axfer",
            "transfer list version",
        ),
    ] {
        assert_eq!(commands(text, name), expected, "{text}");
    }
    assert_eq!(of("Usage: terraform [global options] init [options]\n", "terraform init").1, "");
}

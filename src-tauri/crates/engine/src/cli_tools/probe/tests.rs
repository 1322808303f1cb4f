use super::*;

#[test]
fn manual_is_told_from_help() {
    assert!(is_manual("\nGIT-CLONE(1)          Git Manual          GIT-CLONE(1)\n"));
    assert!(!is_manual("usage: git clone (x)"));
}

#[tokio::test]
async fn subcommands_are_not_run_where_the_program_explains_them() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = (folder.path().join("backup"), folder.path().join("log"));
    let text = format!(
        "echo \"$@\" >> '{}'\ncase \"$1 $2\" in\n\
         'help prune') printf 'Usage: sh prune [--keep N]\\n';;\n\
         'help '*|'--help '*) printf 'Usage: sh COMMAND\\n\\nCommands:\\n  prune  Remove old ones\\n  list   List all\\n  help   Explain one\\n';;\n\
         *) printf 'Usage: sh list [--all]\\n';;\nesac\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    let mut entry = CliEntry::of_command("sh");
    entry.args = vec![script.display().to_string()];
    // It writes the log.
    entry.confine = Some(Confine::WherePossible(false));
    let probed = probe(&entry, true).await.unwrap();
    let flags: Vec<&str> = probed.tools.iter().map(|(_, tool)| tool.options[0].flags[0].as_str()).collect();
    assert_eq!(flags, ["--keep", "--all"]);
    // `list` has no help of its own, and is asked for it.
    let asked = std::fs::read_to_string(&log).unwrap();
    assert_eq!(
        asked.lines().collect::<Vec<_>>(),
        ["--help", "help", "help prune", "help list", "list --help"]
    );
}

#[tokio::test]
async fn program_only_reads_while_it_is_asked_unless_it_prints_nothing_so() {
    if support().is_none() {
        eprintln!("skipped: this kernel has no Landlock");
        return;
    }
    // Not below the folder of temporary files, which the script may not write to either.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let (script, made) = (folder.path().join("greedy"), folder.path().join("made"));
    let mut entry = CliEntry::of_command("sh");
    entry.args = vec![script.display().to_string()];
    for (otherwise, notes) in [("true", Vec::new()), ("exit 1", vec![FREE])] {
        let usage = "echo temporary > \"$TMPDIR/here\" && printf 'Usage: sh [--all]\\n'";
        let text = format!("echo made > '{}' || {otherwise}\n{usage}\n", made.display());
        std::fs::write(&script, text).unwrap();
        let probed = probe(&entry, true).await.unwrap();
        assert_eq!(probed.tools[0].1.options[0].flags, ["--all"], "{otherwise}");
        assert_eq!(probed.notes, notes, "{otherwise}");
        assert_eq!(made.exists(), otherwise == "exit 1", "{otherwise}");
    }
}

/// Asks a script of the shell for its help.
async fn probed_script(text: &str) -> Probed {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, text).unwrap();
    let mut entry = CliEntry::of_command("sh");
    entry.args = vec![script.display().to_string()];
    probe(&entry, true).await.unwrap()
}

#[tokio::test]
async fn the_same_text_for_a_subcommand_lists_nothing_below_it() {
    let text = "printf 'Usage: sh COMMAND [FILES...]\\nCommands:\\n  list ls    List it\\n  make-it mt Create it from files\\n  verify     Check it\\n\\nOptions:\\n  -f  --force      Go on\\n'\n";
    let probed = probed_script(text).await;
    let names: Vec<String> = probed.tools.iter().map(|(words, _)| words.join(" ")).collect();
    assert_eq!(names, ["list", "make-it", "verify"]);
    assert!(probed.tools.iter().all(|(_, tool)| tool.options[0].flags == ["-f", "--force"]));
}

/// curl: `--help` lists the common options.
#[tokio::test]
async fn all_options_are_asked_for_where_the_help_says_how() {
    let text = "case \"$*\" in\n\
        '--help all') printf ' -d, --data <data>  Send it\n     --anyauth  Pick any method\n     --ca <file>  Check with it\n';;\n\
        --help) printf 'Usage: sh [options...] <url>\n -d, --data <data>  Send it\nFor all options use \"--help all\".\n';;\n\
        esac\n";
    let probed = probed_script(text).await;
    let (_, tool) = &probed.tools[0];
    let flags: Vec<&str> = tool.options.iter().map(|option| option.flags[0].as_str()).collect();
    assert_eq!(flags, ["-d", "--anyauth", "--ca"]);
    assert_eq!(tool.positionals[0].property, "url");
}

/// A slow start made an error message the definition of a subcommand, and that was kept.
#[tokio::test]
async fn what_does_not_answer_in_time_is_left_out_and_asked_again() {
    let text = "case \"$*\" in\n\
        'new --help') exec sleep 30;;\n\
        'new -h'|'help new') printf 'Usage: sh COMMAND\n\nError: No such command.\n'; exit 2;;\n\
        'old --help') printf 'Usage: sh old [--all]\n\nOptions:\n  --all  Take all\n';;\n\
        *) printf 'Usage: sh COMMAND\n\nCommands:\n  new  Make one\n  old  Take one\n';;\n\
        esac\n";
    let probed = probed_script(text).await;
    let names: Vec<String> = probed.tools.iter().map(|(words, _)| words.join(" ")).collect();
    assert_eq!(names, ["old"]);
    assert!(probed.is_late && probed.notes[0].starts_with("new: it printed no help within"), "{probed:?}");
}

/// apt: `apt show --help` prints what `apt --help` does, and takes names of packages.
#[tokio::test]
async fn subcommands_with_the_help_of_all_take_what_follows() {
    let text = "printf 'Usage: sh [options] command\n\nCommands:\n  list    List packages\n  show    Show a package\n\nOptions:\n  -q, --quiet   Say less\n'\n";
    let probed = probed_script(text).await;
    let shown = |(words, tool): &(Vec<String>, Definition)| {
        let names: Vec<(&str, bool)> =
            tool.positionals.iter().map(|one| (one.name.as_str(), one.repeated)).collect();
        (words.join(" "), names == [("arguments", true)])
    };
    let shown: Vec<(String, bool)> = probed.tools.iter().map(shown).collect();
    assert_eq!(shown, [("list".to_owned(), true), ("show".to_owned(), true)]);
}

#[tokio::test]
async fn programs_without_help_are_run_once_if_their_usage_says_all() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = (folder.path().join("keys"), folder.path().join("log"));
    let text = format!(
        "echo \"$@\" >> '{}'\nprintf 'Format:\\n  sh add [-x] <type>\\n  sh clear <ring>\\n  sh reap\\n'\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    let mut entry = CliEntry::of_command("sh");
    entry.args = vec![script.display().to_string()];
    // It writes the log.
    entry.confine = Some(Confine::WherePossible(false));
    let probed = probe(&entry, true).await.unwrap();
    let shown = |(words, tool): &(Vec<String>, Definition)| {
        let names: Vec<&str> = tool.positionals.iter().map(|one| one.name.as_str()).collect();
        format!("{} {}", words.join(" "), names.join(" "))
    };
    assert_eq!(probed.tools.iter().map(shown).collect::<Vec<_>>(), ["add type", "clear ring", "reap "]);
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().collect::<Vec<_>>(), ["--help"]);
}

#[tokio::test]
async fn commands_that_say_nothing_are_values_of_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("net");
    let text = "case \"$1 $2\" in\n\
         '--help '*) printf 'Usage: sh [ OPTIONS ] OBJECT { COMMAND | help }\\nwhere OBJECT := { link | route }\\n';;\n\
         'link help') printf 'Usage: sh link show [DEV]\\n       sh link set DEV up\\n       sh link add DEV\\n';;\n\
         *) echo \"Command \\\"$2\\\" is unknown, try \\\"sh $1 help\\\".\";;\nesac\n";
    std::fs::write(&script, text).unwrap();
    let mut entry = CliEntry::of_command("sh");
    entry.args = vec![script.display().to_string()];
    let probed = probe(&entry, true).await.unwrap();
    let [(words, link)] = probed.tools.as_slice() else { panic!("{:?}", probed.tools) };
    assert_eq!(words, &["link"]);
    assert_eq!(link.positionals[0].choices, ["show", "set", "add"]);
    assert!(link.positionals[0].required && link.positionals[1].repeated && link.subcommands.is_empty());
    assert_eq!(probed.notes, ["route: it prints nothing for --help, -h and help"]);
}

#[test]
fn arguments_of_an_entry_belong_to_the_name_where_the_text_has_them() {
    let named = |args: &[&str], words: &[&str], text: &str| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        as_written("python3", &owned(args), &owned(words), text)
    };
    let usage = "usage: python -m json.tool [-h] [infile]";
    assert_eq!(named(&["-m", "json.tool"], &[], usage).as_deref(), Some("python -m json.tool"));
    assert_eq!(named(&["-m", "json.tool"], &["x"], usage), None);
    assert_eq!(named(&[], &["json.tool"], usage), None);
    assert_eq!(named(&["-m", "json.tool"], &[], "usage: other -m json.tool"), None);
}

#[tokio::test]
async fn programs_are_probed_or_named_with_the_reason() {
    let probed = probe(&CliEntry::of_command("ls"), true).await.unwrap();
    assert_eq!(probed.tools.len(), 1);
    assert!(probed.tools[0].1.options.iter().any(|option| option.property == "all"));
    let missing = probe(&CliEntry::of_command("no-such-program"), true).await.unwrap_err();
    assert!(missing.to_string().contains("was not found in PATH"), "{missing}");
    let mut git = CliEntry::of_command("git");
    git.subcommands = vec!["remote add".into(), "no-such-command".into()];
    let probed = probe(&git, true).await.unwrap();
    assert_eq!(probed.tools[0].0, ["remote", "add"]);
    assert!(probed.tools[0].1.options.iter().any(|option| option.flags.contains(&"-f".to_owned())));
}

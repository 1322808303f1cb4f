//! Puts usage lines and entries together into a definition.

use std::collections::HashSet;

use crate::choices;
use crate::clean::lines;
use crate::definition::{Definition, Positional, Subcommand, Value};
use crate::description::description;
use crate::effects;
use crate::entries::{self, Entry, Section, What};
use crate::hints::{self, bare};
use crate::names::{Unique, plain};
use crate::options::{MAX_OPTIONS, aliases, options};
use crate::spelling::{usual, with_heading, with_plural_heading};
use crate::subcommands::{elsewhere, subcommands};
use crate::usage::{self, Flags, Usage};

/// What texts write for a file of arguments.
pub(crate) const AT_FILE: [&str; 3] = ["@<file", "@FILE", "@file"];

/// Reads a help text. `name` is the command, such as `git clone`; if it is empty, the usage line names it.
pub fn read(text: &str, name: &str) -> Definition {
    let name = name.trim();
    let (lines, is_cut) = lines(text);
    let lines = usual(&lines, name);
    let (mut definition, takes_command) = of_lines(&lines, name);
    if takes_command
        && definition.subcommands.is_empty()
        && let Some(headed) = with_heading(&lines)
    {
        let (other, _) = of_lines(&headed, name);
        if !other.subcommands.is_empty() {
            definition = other;
        }
    }
    let takes =
        takes_command || definition.positionals.first().is_some_and(|one| usage::is_placeholder(&one.name));
    let others = elsewhere(&lines, &definition, name, takes);
    if !others.is_empty() {
        if definition.subcommands.is_empty() {
            definition.positionals.clear();
        }
        definition.subcommands = others;
    }
    if definition.subcommands.is_empty()
        && let Some(headed) = with_plural_heading(&lines, &definition)
    {
        let (other, _) = of_lines(&headed, name);
        if other.subcommands.len() > 1 {
            definition = other;
        }
    }
    definition.at_files = lines.iter().any(|line| says_at_file(line));
    if is_cut {
        definition.notes.insert(
            0,
            "the text is longer than 1 MB or has lines of more than 2,000 characters; the rest was not read"
                .to_owned(),
        );
    }
    definition
}

/// Whether a line is about files of arguments: `@FILE   read options from FILE`.
fn says_at_file(line: &str) -> bool {
    let begins = line.trim_start().strip_prefix('@').is_some_and(|rest| {
        let word = rest.split_whitespace().next().unwrap_or_default();
        word.starts_with(|c: char| c == '<' || c.is_ascii_alphabetic())
            && !word.contains('/')
            && line.starts_with(' ')
    });
    begins || AT_FILE.iter().any(|word| line.contains(word))
}

/// Reads the lines of a help text, and whether the usage has a place for a command.
fn of_lines(lines: &[String], name: &str) -> (Definition, bool) {
    let (entries, is_long) = entries::read(lines);
    let usage = usage::read(lines, name, &flags(&entries, name));
    let mut definition = Definition {
        command: usage.command.clone(),
        description: description(lines, &usage.forms),
        usage: usage.forms.clone(),
        reads_stdin: lines.iter().any(|line| hints::says_stdin(line)),
        ..Definition::default()
    };
    let mut is_full = is_long;
    definition.options = options(&entries, &usage, &mut is_full);
    for option in &mut definition.options {
        // One literal alone is a name after all, and a longer list would not be closed.
        if option.choices.len() > choices::MAX_CHOICES
            || option.choices.len() < 2 && !option.description.contains("[possible values: ")
        {
            option.choices.clear();
        }
    }
    aliases(&mut definition.options);
    choices::from_lists(lines, &mut definition.options);
    if is_full {
        definition.notes.push(format!("only the first {MAX_OPTIONS} options were read"));
    }
    definition.subcommands = subcommands(&entries, &usage);
    definition.positionals = positionals(&entries, &usage, &definition.subcommands);
    let about_input: Vec<String> = hints::about_input(lines).collect();
    for positional in definition.positionals.iter_mut().filter(|positional| positional.required) {
        let name = positional.name.to_lowercase();
        positional.required = !about_input.iter().any(|line| hints::can_be_left_out(line, &name));
    }
    if definition.subcommands.is_empty() {
        take_commands(&mut definition);
    }
    effects::mark(&mut definition);
    if definition.is_empty() {
        definition.notes.push("no option, argument or subcommand was found in the text".to_owned());
    }
    (definition, usage.takes_command)
}

/// Makes the values of an argument such as `GROUP_OR_COMMAND ...` subcommands: Airflow lists them beneath it, in groups.
fn take_commands(definition: &mut Definition) {
    let is_command = |argument: &Positional| {
        argument.repeated && argument.choices.len() > 1 && argument.name.to_lowercase().ends_with("command")
    };
    let Some(at) = definition.positionals.iter().position(is_command) else { return };
    let argument = definition.positionals.remove(at);
    let alone = |name: String| Subcommand { name, ..Subcommand::default() };
    definition.subcommands = argument.choices.into_iter().map(alone).collect();
}

/// The flags of entries, and the subcommands that are listed.
fn flags<'e>(entries: &'e [Entry], program: &str) -> Flags<'e> {
    let (mut with, mut without) = (HashSet::new(), HashSet::new());
    for entry in entries {
        let What::Options(specs) = &entry.what else { continue };
        for spec in specs {
            let flags = if spec.value == Value::None { &mut without } else { &mut with };
            flags.extend(spec.flags.iter().map(String::as_str));
        }
    }
    let without_value = if with.is_empty() { HashSet::new() } else { &without - &with };
    let listed = || entries.iter().filter(|entry| entry.section == Section::Commands);
    // `commands:` above `action` alone, the place for one.
    let is_place = |left: &str| usage::is_placeholder(left) && listed().nth(1).is_none();
    let commands = listed().filter_map(|entry| match &entry.what {
        // yargs: `ava debug [<pattern>...]`.
        What::Name(left) => left
            .strip_prefix(program)
            .and_then(|rest| rest.strip_prefix(' '))
            .unwrap_or(left)
            .split([' ', ',', '|', '<', '['])
            .next()
            .filter(|name| !is_place(name)),
        What::Options(_) => None,
    });
    Flags { described: &with | &without, without_value, commands: commands.collect() }
}

fn positionals(entries: &[Entry], usage: &Usage, subcommands: &[Subcommand]) -> Vec<Positional> {
    let has_subcommands = !subcommands.is_empty();
    let mut unique = Unique::default();
    let key = |name: &str| {
        bare(name.split_whitespace().next().unwrap_or_default()).to_lowercase().replace(['-', '_', ' '], "")
    };
    let named: Vec<(&String, &Entry)> = entries
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Name(left) if entry.section == Section::Arguments => Some((left, entry)),
            _ => None,
        })
        .collect();
    let mut found: Vec<Positional> = Vec::new();
    let mut is_behind_command = false;
    for one in &usage.positionals {
        // apt-mark: `{auto|manual} pkg1`, of commands that are listed.
        let is_known = |choice: &String| subcommands.iter().any(|command| command.name == *choice);
        let are_commands =
            one.choices.len() > 1 && (usage.lists_commands() || one.choices.iter().all(is_known));
        let is_only = one.repeated && matches!(subcommands, [only] if only.name == one.name);
        // What follows a subcommand is its own.
        is_behind_command |= has_subcommands && (are_commands || is_only || usage::is_placeholder(&one.name));
        if is_behind_command {
            continue;
        }
        let described = named.iter().find(|(left, _)| key(left) == key(&one.name)).map(|(_, entry)| *entry);
        let description = described.map(|entry| entry.description.clone()).unwrap_or_default();
        // clap: `[PACKAGES]...` in the list, and only `<PACKAGES|--from <FILE>>` in the usage line.
        let is_repeated = named.iter().any(|(left, _)| left.ends_with("]...") && key(left) == key(&one.name));
        let mut choices = one.choices.clone();
        if choices.is_empty() {
            choices = choices::of_description(&description, &one.name);
        }
        found.push(Positional {
            property: unique.name(&plain(&one.name.to_lowercase())),
            name: one.name.clone(),
            required: one.required,
            repeated: one.repeated || is_repeated || hints::is_repeated(&description),
            choices,
            description,
            effects: Vec::new(),
        });
    }
    if found.is_empty() && !has_subcommands {
        for (left, entry) in named {
            let name = bare(left).to_owned();
            found.push(Positional {
                property: unique.name(&plain(&name.to_lowercase())),
                required: left.starts_with('<'),
                repeated: left.contains("...")
                    || left.contains('…')
                    || hints::is_repeated(&entry.description),
                choices: choices::of_description(&entry.description, &name),
                description: entry.description.clone(),
                effects: Vec::new(),
                name,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags, negated flags and value of each option.
    fn options_of(text: &str) -> Vec<String> {
        let shown = |option: &crate::OptionDefinition| {
            format!("{} {} {:?}", option.flags.join(","), option.negated.join(","), option.value)
        };
        read(text, "x").options.iter().map(shown).collect()
    }

    #[test]
    fn entries_of_many_programs_are_options() {
        for (text, expected) in [
            // dig: options in the column of a name's description.
            (
                "Usage: x [host] {opt}\nWhere:  opt  is one of:\n             -4   (use IPv4)\n             +[no]all  (set all)\n",
                vec!["-4  None", "+all +noall None"],
            ),
            ("Options:\n   -1 .. -3   set the level\n", vec!["-1  None", "-2  None", "-3  None"]),
            (
                "Options:\n  -Idirectory   look there\n  -ofile   write it\n",
                vec!["-I  Required", "-o  Required"],
            ),
            (
                "Options:\n  --xml-report DIR\n  --xslt-report DIR   write it\n",
                vec!["--xml-report  Required", "--xslt-report  Required"],
            ),
            ("Options:\n  --cache   Use it. Turn it off with --no-cache.\n", vec!["--cache --no-cache None"]),
            ("Options:\n  -v, --verbose count   say more\n", vec!["-v,--verbose  None"]),
            ("Usage: x [-o <offset>]\n\nOptions:\n  -o [offset]   begin there\n", vec!["-o  Required"]),
            (
                "Options:\n  -n   Number of runs\n  -t   Time. (default: 20)\n",
                vec!["-n  Required", "-t  Required"],
            ),
            ("Options:\n  --out   Where to write (PATH)\n", vec!["--out  Required"]),
            ("Options:\n  --key, <path>   Its path\n", vec!["--key  Required"]),
            ("Options:\n  -p, --port    #       the port\n", vec!["-p,--port  Required"]),
            ("Options:\n  -n, --bytes   #[KMG]  so many\n", vec!["-n,--bytes  Required"]),
            ("Options:\n  --volume=[]   mount it\n", vec!["--volume  Required"]),
            ("Options:\n  --fast / --safe   Skip checks. [default: --safe]\n", vec!["--fast --safe None"]),
            ("Options:\n  --with-x / --without-x   Both.\n", vec!["--with-x --without-x None"]),
            ("Options:\n  -c / --color / --colour   Colours.\n", vec!["-c,--color,--colour  None"]),
            // conan
            (
                "Options:\n  -pr:b PROFILE, --profile:build PROFILE\n  -o:h OPTION, --options:host OPTION\n",
                vec!["-pr:b,--profile:build  Required", "-o:h,--options:host  Required"],
            ),
            ("Options:\n  -verb:n   Say more\n", vec!["-verb  Required"]),
            ("Options:\n  --dns /etc/resolv.conf   servers\n", vec!["--dns  Required"]),
            ("Options:\n  --pull string[=\"true\"]   always\n", vec!["--pull  Optional"]),
            ("Options:\n  -v -V --version   print it\n", vec!["-v,-V,--version  None"]),
            ("Options:\n  -v -verbose[:class|gc]   say more\n", vec!["-v,-verbose  Optional"]),
            ("Options:\n  -g words : set them\n", vec!["-g  Required"]),
            (
                "Usage: x [-q] f\n       x -n[qm] f\n -q  be quiet\n -n  none\n -m  more\n",
                vec!["-q  None", "-n  None", "-m  None"],
            ),
            // vulture, urfave/cli, pngquant, memcached, global
            (
                "Options:\n  -v, --verbose\n  --version      Show it\n",
                vec!["-v,--verbose  None", "--version  None"],
            ),
            ("Options:\n  --job string [ --job string ]   run only these\n", vec!["--job  Required"]),
            ("Options:\n  --force    do it (synonym: -f)\n", vec!["--force,-f  None"]),
            (
                "-P, --pid=<file>   save it in it\n-f, --factor=<num> growth of chunks\n-n, --least=<bytes> space for them\n",
                vec!["-P,--pid  Required", "-f,--factor  Required", "-n,--least  Required"],
            ),
            ("-g, --grep pattern [files]\n       Print all lines.\n", vec!["-g,--grep  Required"]),
            // An entry beside the heading.
            ("Options: -a STR    its name\n         -6        short\n", vec!["-a  Required", "-6  None"]),
            // goaccess: what comes behind the dash is about it.
            (
                "FILE OPTIONS\n\n  -                     - Read it from stdin.\n  -f --log-file=<name>  - Its path.\n",
                vec!["-f,--log-file  Required"],
            ),
            // clap: an option without a description.
            (
                "Options:\n  -g, --global\n          \n\n      --exclude-peers\n          Leave them out\n",
                vec!["-g,--global  None", "--exclude-peers  None"],
            ),
            (
                "Usage: x dst [-f format]\n\nOptions specific to -single:\n            [-strategy First|Union]\n",
                vec!["-f  Required", "-strategy  Required"],
            ),
            (
                "x: fatal: usage: x [-Nfinoprs] [-c dir] file\n",
                vec![
                    "-N  None",
                    "-f  None",
                    "-i  None",
                    "-n  None",
                    "-o  None",
                    "-p  None",
                    "-r  None",
                    "-s  None",
                    "-c  Required",
                ],
            ),
            (
                "Create: x [-b] [-u owner]\nDelete: x -d name [-f file]\n",
                vec!["-b  None", "-u  Required", "-d  Required", "-f  Required"],
            ),
            (
                "Usage: x [-h] [-i dev]\n\t[-q n]\n\t[-w time]  host  [port]\n",
                vec!["-h  None", "-i  Required", "-q  Required", "-w  Required"],
            ),
            (
                "Synopsis\n\nx [--cc address] [--body text\n] [--attach file] [ uri ]\n",
                vec!["--cc  Required", "--body  Required", "--attach  Required"],
            ),
            (
                "Usage: x [-s types [ -e secs ] [ -f form ] ] file\n",
                vec!["-s  Required", "-e  Required", "-f  Required"],
            ),
            (
                "Usage: x [-adfhioruvs] [--keep | --keep=<m>] [-a2]\n",
                vec![
                    "-a  None",
                    "-d  None",
                    "-f  None",
                    "-h  None",
                    "-i  None",
                    "-o  None",
                    "-r  None",
                    "-u  None",
                    "-v  None",
                    "-s  None",
                    "--keep  Optional",
                    "-2  None",
                ],
            ),
            ("Usage: x [--(enable|disable)=<service>]\n", vec!["--enable  Required", "--disable  Required"]),
            ("Usage: x [-d dir] [-dd data_dir]\n", vec!["-d  Required", "-dd  Required"]),
            (
                "x\n  [ -V ] [ -list ] [ -encoding name ]\n  [ program [ args ] ]\n",
                vec!["-V  None", "-list  None", "-encoding  Required"],
            ),
            ("Options:\n  -i FILE  in\n\nExample: x -i in.txt -o out.txt\n", vec!["-i  Required"]),
            (
                "usage: x [-q quiet] [-o file]\n\n  -q  be quiet\n  -o FILE  write it\n",
                vec!["-q  None", "-o  Required"],
            ),
            // A sentence with a colon is no heading.
            (
                "Exit status: 1 if they differ, 0 if not\n\n-s, --separators=IFS\n    Specify them\n",
                vec!["-s,--separators  Required"],
            ),
            (
                "Usage: x -name|-N name host [port] [-block-size|-b size] [-swap|-s]\nOr   : x -l|--list host\n",
                vec![
                    "-name,-N  Required",
                    "-block-size,-b  Required",
                    "-swap,-s  None",
                    "-l,--list  Required",
                ],
            ),
            // nvme
            (
                "Options:\n  [  --format=<FMT>, -o <FMT> ]  --- Output format: normal|json\n  [  --verbose, -v ]  --- More\n",
                vec!["--format,-o  Required", "--verbose,-v  None"],
            ),
            // Names that stand for others.
            (
                "Options:\n  --force-<thing>   force it\n  --env.* <v>   set it\n  --long-na…   cut\n  +LINE   go\n  -a   all\n",
                vec!["-a  None"],
            ),
            ("Options:\n  -a   all\n\nExamples:\n  -se -r Bob   send it\n", vec!["-a  None"]),
            // gitingest: examples are wrapped with the text above the list.
            (
                "Usage: x [OPTIONS] [SOURCE]\n\n  With filtering:     $ x -i \"*.py\"     $ x\n  --include-pattern \"*.js\" --exclude \"y/*\"\n\n  With a token: $ x URL\n  -t abc     $ TOKEN=abc x\n\nOptions:\n  -i, --include-pattern TEXT  Patterns\n  -t, --token TEXT            A token\n  -a   all\n  -b   one\n  -c   two\n  -d   none\n",
                vec![
                    "-i,--include-pattern  Required",
                    "-t,--token  Required",
                    "-a  None",
                    "-b  None",
                    "-c  None",
                    "-d  None",
                ],
            ),
            // Go prints flags below whatever the program says.
            (
                "Example:\n\tx y\n\n  -aux string\n    \tmore\n  -debug\n    \tprint it\n",
                vec!["-aux  Required", "-debug  None"],
            ),
        ] {
            assert_eq!(options_of(text), expected, "{text}");
        }
    }

    #[test]
    fn options_of_a_subcommand_have_the_values_of_its_usage_lines() {
        let text = "Usage:\nx conf set <key>\nx conf list [--json]\n\nOptions:\n[--json] [--editor <editor>]\n\n  --json\n    As JSON\n\n  --editor\n    What to run\n";
        let values: Vec<Value> = read(text, "x conf").options.iter().map(|one| one.value).collect();
        assert_eq!(values, [Value::None, Value::Required]);
    }

    #[test]
    fn lists_of_arguments_say_whether_they_are_repeated() {
        for (text, expected) in [
            // clap and yargs.
            (
                "Usage: x [OPTIONS] <PACKAGES|--from <FILE>>\n\nArguments:\n  [PACKAGES]...  The packages\n",
                true,
            ),
            ("x [apis]\n\nPositionals:\n  apis                 [array] [default: []]\n", true),
            ("x [api]\n\nPositionals:\n  api                  [string]\n", false),
        ] {
            let positionals = read(text, "x").positionals;
            assert_eq!(positionals.iter().map(|one| one.repeated).collect::<Vec<_>>(), [expected], "{text}");
        }
    }

    #[test]
    fn arguments_in_brackets_are_described_beneath() {
        let text = "Usage: x [OPTIONS] [FILE]\n\nArguments:\n  [FILE]\n          The file to read.  Standard input if it is missing\n";
        let positionals = read(text, "x").positionals;
        assert!(positionals[0].description.starts_with("The file to read."));
    }

    #[test]
    fn forms_of_subcommands_show_no_arguments_of_the_program() {
        let text = "ava [<pattern>...]\nava debug [<x>...]\nava reset\n\nCommands:\n  ava [<pattern>...]     Run tests\n  ava debug [<x>...]     Run one\n  ava reset              Delete it\n";
        let names: Vec<String> = read(text, "ava").positionals.into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["pattern"]);
    }

    #[test]
    fn entries_may_be_flush_with_their_descriptions() {
        let text = "COMPILER OPTIONS\n\n--jsx\nSay what is written.\none of: preserve, react, none\ndefault: react\n\n--all, -a\nShow all.\n";
        let options = read(text, "x").options;
        assert_eq!(options[0].choices, ["preserve", "react", "none"]);
        assert_eq!(
            (options[1].flags.join(" "), options[1].description.as_str()),
            ("--all -a".to_owned(), "Show all.")
        );
    }

    #[test]
    fn values_can_stand_in_usage_lines_and_descriptions_alone() {
        let values = |text: &str| {
            let options = read(text, "host").options;
            options.into_iter().map(|one| (one.value, one.choices.join(" "))).collect::<Vec<_>>()
        };
        let usage = "Usage: host [-a] [-c class]\n  -a  all of it\n  -c  class (in|ch)\n";
        assert_eq!(values(usage), [(Value::None, String::new()), (Value::Required, "in ch".to_owned())]);
        let listed = "Usage: host [-c {in,ch}]\n  -c  class\n  -p N  number\n";
        assert_eq!(values(listed)[0], (Value::Required, "in ch".to_owned()));
        // gtester, gdal
        let twice = "Options:\n  -m {fast|slow}   do it\n  -m {all|none}    as well\n";
        assert_eq!(values(twice)[0].1, "fast slow all none");
        assert_eq!(values("Usage: host [-nodata YES/NO] [-units A/B]\n")[0].1, "YES NO");
        // A table can begin beside the flag, and be about parts of the value.
        let rows = "  --when MODE   early: before it\n                late: after it\n                never: not at all\n";
        assert_eq!(values(rows)[0].1, "early late never");
        let rows = "  --size <größe>   klein: small\n                   mittel: medium\n                   gross: large\n";
        assert_eq!(values(rows)[0].1, "klein mittel gross");
        let rows = "  --line TEXT   It may have these fields:\n                  author: who\n                  subject: what\n";
        assert_eq!(values(rows)[0].1, "");
        // Where entries show values, one without is none, unless the usage line is clear.
        let entries = "Usage: host [-c K=V]\n  -c  class\n  -p N  number\n";
        assert_eq!(values(entries)[0].0, Value::None);
        let entries = "Usage: host [-c class]\n  -c  class\n  -p N  number\n";
        assert_eq!(values(entries)[0].0, Value::Required);
        assert_eq!(values("  --rotate  left,right\n"), [(Value::Required, "left right".to_owned())]);
    }
}

//! What options do besides their purpose: run programs, write or delete files, use the network.
//!
//! The words of the help text say it, or the table of known programs does.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::definition::{Definition, OptionDefinition, Subcommand, Value};
use crate::hints::bare;
use crate::known::Known;
use crate::patterns::{is_match, pattern};

/// Something an option or argument makes a program do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Runs a program, shell text, code or a plug-in that the value names.
    Runs,
    /// Writes a file.
    Writes,
    /// Deletes files.
    Deletes,
    /// Reads the file that the value names.
    ReadsFile,
    /// Uses the network.
    Network,
    /// Loads a configuration file, which can change everything else.
    Config,
}

impl Effect {
    /// The effect of a word in the table of known programs.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "runs" => Self::Runs,
            "writes" => Self::Writes,
            "deletes" => Self::Deletes,
            "reads_file" => Self::ReadsFile,
            "network" => Self::Network,
            "config" => Self::Config,
            _ => return None,
        })
    }

    /// What it does, for people: "runs programs".
    pub fn words(self) -> &'static str {
        match self {
            Self::Runs => "runs programs",
            Self::Writes => "writes files",
            Self::Deletes => "deletes files",
            Self::ReadsFile => "reads files",
            Self::Network => "uses the network",
            Self::Config => "loads configuration",
        }
    }
}

// All patterns are for text in small letters. A verb that runs something, and what is run, in one sentence.
pattern!(
    RUNS,
    r"\b(?:execut(?:e|es|ed|ing)|run|runs|running|invok(?:e|es|ed|ing)|launch(?:es|ed|ing)?|spawn(?:s|ed|ing)?|call(?:s|ed|ing)?|evaluat(?:e|es|ed|ing)|eval|pip(?:e|es|ed|ing)|filter(?:s|ed|ing)?|pass(?:es|ed|ing)?|start(?:s|ed|ing)?|us(?:e|es|ed|ing))\b[^.;]{0,60}?\b(?:shell commands?|commands?|external programs?|programs?|executables?|scripts?|hooks?|binary|shell|utility|player|compressor|downloader|pager|editor|preprocessor|interpreter|javascript|python code|lua|expression as code)\b|\b(?:commands?|programs?|executables?|scripts?|hooks?|binary)\b[^.;]{0,30}?\bto (?:be )?(?:run|executed?|invoked?|start(?:ed)?|launch(?:ed)?|call(?:ed)?|spawn(?:ed)?)\b|\b(?:text|strings?)\b[^.;]{0,30}?\bto (?:be )?executed?\b|\bscripts?\b[^.;]{0,30}?\bsourced\b|\bpath (?:to|of) (?:the |an? )?(?:[\w.-]+ )?(?:executable|binary|interpreter|program)\b"
);
pattern!(
    LOADS,
    r"\b(?:load(?:s|ed|ing)?|import(?:s|ed|ing)?|preload(?:s|ed|ing)?|register(?:s|ed)?|require|inject(?:s|ed|ing)?|early-load)\b[^.;]{0,50}?\b(?:plug-?ins?|extensions?|shared (?:librar(?:y|ies)|objects?)|modules?|librar(?:y|ies)|agents?|hooks?|scripts?|engine|provider)\b|\b(?:shared librar(?:y|ies)|plug-?in|extension module)s? to (?:load|use)\b|\bcustom (?:[\w-]+ )?(?:parser|syntax|stringifier|reporter|formatter|renderer|resolver|processor)\b"
);
// What a switch makes run: `Enables inline JavaScript`. That a program runs tests says nothing of its switches.
pattern!(
    SWITCH_RUNS,
    r"\b(?:enables?|allows?|evaluates?|executes?) (?:the )?(?:inline|embedded|arbitrary) (?:javascript|js|code|scripts?|macros?)\b"
);
// What a switch makes a program write: `Edit files in-place`.
pattern!(
    SWITCH_WRITES,
    r"\bin[- ]?place\b|\boverwrit(?:e|es|ing) (?:the |existing |input |source |original )*files?\b"
);
// A program that runs the file it is given: `Run the spider defined in the given file`.
pattern!(
    RUNS_FILE,
    r"^(?:runs?|executes?|evaluates?) (?:[\w-]+ ){0,6}(?:scripts?|spiders?|programs?|playbooks?|notebooks?|modules?|code)\b"
);
// Configuration that is code: `only .js, .mjs, and .cjs is supported`.
pattern!(
    SCRIPTED,
    r"\.[cm]?[jt]s\b|\bjavascript\b|\bjs (?:file|module|config)|\bjs,|, js\b|\bpython (?:file|module)\b|\.py\b"
);
// Code of a language, or code that is run: `Python code to convert each item`.
pattern!(
    CODE,
    r"(?:^|\b(?:using|with|by|through) )(?:an? |the )?(?:python|javascript|js|typescript|lua|ruby|perl|php|tcl|scheme|lisp|groovy|jinja2?) (?:code|expressions?|snippets?|functions?|callables?)\b|\bcode (?:to|that|which) (?:be )?(?:run|runs?|executed?|executes|eval(?:uated?|uates)?|convert|transform|apply|process)\b"
);
// The same words about how a thing is done, not about what a value runs.
pattern!(
    HARMLESS,
    r"\b(?:do not|don't|never|without|no longer|instead of|before|after|when|while|whether|number of|time)\b[^.;]{0,30}?\b(?:execut|run|running|invok|launch|spawn|load|start)"
);
pattern!(
    RUN_NAME,
    r"^(?:(?:\w+_)?(?:command|cmd)|command_?line|command_?option|program|prog|program_?option|exec|shell|script|shell_?command|shell_?cmd|hook|plugin|pager|editor|interpreter|player)s?$"
);
pattern!(
    RUN_FLAG,
    r"^-{1,2}(?:.*-)?(?:exec|execute|eval|shell|command|cmd|hook|plugin|plugins|pre-cmd|post-cmd|to-command|compress-program|use-compress-program|rsh|upload-pack|receive-pack|pager|editor|preprocessor|filter-program|run|launcher|wrapper|load-extension|load-plugin)$"
);
pattern!(
    WRITES,
    r"\b(?:write|writes|written|save|saves|saved|store|stores|dump|dumps|output|outputs|log|logs|append|appends|create|creates)\b[^.;]{0,40}?\b(?:to|into|in|as)?\s*(?:a |an |the |this |given |specified )*(?:output |log |new |named )?(?:file|files|path|directory|folder|disk)\b|\bin[- ]place\b|\boutput (?:file|directory|folder|path)\b|\bto <?file"
);
pattern!(
    DELETES,
    r"\b(?:delete|deletes|deleted|remove|removes|removed|erase|erases|unlink|purge|wipe|prune)s?\b[^.;]{0,40}?\b(?:file|files|director(?:y|ies)|folder|source|original|existing|destination|dest|branch|input|cache)\b"
);
pattern!(
    READS,
    r"\b(?:read|reads|load|loads|take|takes|get|obtain|use|uses)\b[^.;]{0,40}?\bfrom (?:a |an |the |this |given |specified )*(?:file|files|<?file)\b|\bfile (?:containing|with|to read|that contains|of (?:patterns|file names))\b|\bpatterns? from\b"
);
pattern!(
    CONFIGURES,
    r"\b(?:config(?:uration)?|settings|rc|options|init(?:ialization)?|preferences|resource) ?-?files?\b|\bread (?:config|settings|options) from\b|\bpath to (?:the |a )?config"
);
pattern!(
    NETWORK,
    r"\b(?:proxy|download(?:s|ed|ing)?|upload(?:s|ed|ing)?|fetch(?:es|ed|ing)? from|connect(?:s|ed|ing)? to|remote (?:host|server|repository|url)|listen(?:s|ing)? on|url|http|https)\b"
);

/// Parts of words of which a text has one if `HARMLESS` can match.
const HARMLESS_WORDS: &[&str] = &["execut", "run", "invok", "launch", "spawn", "load", "start"];

/// Words of which a text has one if an expression can match: most texts need no expression.
const RUN_WORDS: &[&str] = &[
    "command",
    "program",
    "executable",
    "script",
    "hook",
    "binary",
    "shell",
    "utility",
    "player",
    "compressor",
    "downloader",
    "pager",
    "editor",
    "preprocessor",
    "interpreter",
    "python code",
    "lua",
    "expression as code",
    "string",
    "text",
];
const LOAD_WORDS: &[&str] = &[
    "plug",
    "extension",
    "librar",
    "shared object",
    "module",
    "agent",
    "hook",
    "script",
    "engine",
    "provider",
    "custom",
];
const CODE_WORDS: &[&str] = &["code", "expression", "snippet", "function", "callable"];
const DELETE_WORDS: &[&str] = &["delet", "remov", "eras", "unlink", "purge", "wipe", "prune"];

/// Words of a text that says when something is written, or that it is not.
const OTHERWISE: &[&str] = &["not ", "n't", "never", "instead", "when", "must be", "implies", "only"];

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Marks the options and arguments of a definition with what is known of the program.
pub fn mark(definition: &mut Definition) {
    let words: Vec<String> = definition.command.split_whitespace().map(str::to_owned).collect();
    let known = Known::of(words.first().map(String::as_str).unwrap_or_default());
    let path = words.get(1..).unwrap_or_default().join(" ");
    for option in &mut definition.options {
        option.effects = of_option(option, known, &path);
        let is_known = |flag: &String| known.is_some_and(|known| known.is_repeatable(&path, flag));
        option.repeated |= option.value != Value::None && option.flags.iter().any(is_known);
    }
    inherit(&mut definition.options);
    definition.reads_stdin |= path.is_empty() && known.is_some_and(|known| known.reads_stdin);
    definition.effects = known.map(|known| known.subcommand(&path).to_vec()).unwrap_or_default();
    let of_arguments = of_arguments(&definition.command);
    let about = definition.description.to_lowercase();
    for positional in &mut definition.positionals {
        let mut effects = of_arguments.clone();
        let lower = positional.name.to_lowercase();
        let begins = |word: &str| lower.starts_with(word);
        let says_command = definition.subcommands.is_empty()
            && (matches!(
                lower.as_str(),
                "command" | "cmd" | "command_args" | "prog" | "testprogram" | "testprog"
            ) || begins("prog-and-")
                || begins("program")
                || begins("executable")
                || begins("command-")
                || begins("commandline"));
        let says = positional.description.to_lowercase();
        let is_code = lower == "code" && (is_match(&CODE, &says) || is_match(&CODE, &about));
        let is_file = ["file", "script", "spider", "module", "notebook", "playbook"];
        let is_run = has_any(&lower, &is_file) && is_match(&RUNS_FILE, &about);
        if says_command || is_code || is_run || is_match(&RUN_NAME, &lower) && is_match(&RUNS, &says) {
            effects.push(Effect::Runs);
        }
        if matches!(lower.as_str(), "output" | "outfile" | "output_file" | "dest" | "destination") {
            effects.push(Effect::Writes);
        }
        sort(&mut effects);
        positional.effects = effects;
    }
}

/// Gives an option that is described as being like another one its effects: `--post-filter  Like '--filter', but for posts`.
fn inherit(options: &mut [OptionDefinition]) {
    let effects: Vec<(Vec<String>, Vec<Effect>)> =
        options.iter().map(|option| (option.flags.clone(), option.effects.clone())).collect();
    for option in options {
        let like = ["Like ", "Same as ", "Similar to "]
            .iter()
            .find_map(|words| option.description.strip_prefix(words));
        let flag = like.map(|rest| rest.trim_start_matches(['\'', '"', '`']));
        let Some(flag) = flag.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '-').next())
        else {
            continue;
        };
        if let Some((_, more)) = effects.iter().find(|(flags, _)| flags.iter().any(|known| known == flag)) {
            option.effects.extend(more);
            sort(&mut option.effects);
        }
    }
}

/// Adds what is known of the program that the command is a link to.
pub fn mark_as(definition: &mut Definition, target: &str) {
    definition.target = Some(target.to_owned());
    let Some(known) = Known::of(target) else { return };
    let path = definition.command.split_once(' ').map(|(_, path)| path.to_owned()).unwrap_or_default();
    for option in &mut definition.options {
        let flags = option.flags.iter().filter_map(|flag| known.option(&path, flag));
        option.effects.extend(flags.flatten());
        sort(&mut option.effects);
    }
    let own = known.subcommand(&path);
    definition.effects.extend(own);
    sort(&mut definition.effects);
    for positional in &mut definition.positionals {
        positional.effects.extend(own.iter().chain(&known.positionals));
        sort(&mut positional.effects);
        let below = |choice: &String| known.below(format!("{path} {choice}").trim());
        positional.choices.retain(|choice| !below(choice).contains(&Effect::Runs));
    }
}

/// Effects of a subcommand and of all below it, as far as its description or the table of known programs says.
pub fn of_subcommand(command: &str, subcommand: &Subcommand) -> Vec<Effect> {
    let (program, path) = command.split_once(' ').unwrap_or((command, ""));
    let path = format!("{path} {}", subcommand.name);
    let mut effects = Known::of(program).map(|known| known.below(path.trim())).unwrap_or_default();
    let says = subcommand.description.to_lowercase();
    if subcommand.name == "exec" || has_any(&says, RUN_WORDS) && is_match(&RUNS, &says) {
        effects.push(Effect::Runs);
    }
    sort(&mut effects);
    effects
}

/// Effects of all arguments of a command, as far as the table of known programs says.
pub fn of_arguments(command: &str) -> Vec<Effect> {
    let (program, path) = command.split_once(' ').unwrap_or((command, ""));
    let known = Known::of(program);
    let mut effects: Vec<Effect> = known.map(|known| known.subcommand(path).to_vec()).unwrap_or_default();
    effects.extend(known.iter().flat_map(|known| &known.positionals));
    effects
}

/// Whether a program does nothing but run what it is given: a shell, an interpreter, `env`, `xargs`.
pub fn is_interpreter(program: &str) -> bool {
    Known::of(program).is_some_and(|known| known.interpreter)
}

fn of_option(option: &OptionDefinition, known: Option<&Known>, path: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let found: Vec<&[Effect]> = known
        .into_iter()
        .flat_map(|known| option.flags.iter().filter_map(|flag| known.option(path, flag)))
        .collect();
    // The table knows better than words.
    if found.iter().any(|found| found.is_empty()) {
        return effects;
    }
    effects.extend(found.into_iter().flatten());
    if option.value_count > 0 {
        effects.extend(of_text(option));
    } else {
        let says = option.description.to_lowercase();
        if has_any(&says, DELETE_WORDS) && is_match(&DELETES, &says) {
            effects.push(Effect::Deletes);
        }
        effects.extend(is_match(&SWITCH_RUNS, &says).then_some(Effect::Runs));
        let is_named = |flag: &String| flag == "--in-place" || flag == "--overwrite";
        let says_writes = !has_any(&says, OTHERWISE) && is_match(&SWITCH_WRITES, &says);
        if option.flags.iter().any(is_named) || says_writes {
            effects.push(Effect::Writes);
        }
    }
    sort(&mut effects);
    effects
}

fn of_text(option: &OptionDefinition) -> Vec<Effect> {
    let mut effects = Vec::new();
    let says = option.description.to_lowercase();
    // `Run this command when a build starts` runs something all the same.
    let harmless = LazyLock::force(&HARMLESS).as_ref().filter(|_| has_any(&says, HARMLESS_WORDS));
    let said = harmless.map_or(Cow::Borrowed(&*says), |harmless| harmless.replace_all(&says, " "));
    let name = bare(&option.value_name).to_lowercase().replace('-', "_");
    let flag = |pattern| option.flags.iter().any(|flag| is_match(pattern, &flag.to_lowercase()));
    let runs = has_any(&said, RUN_WORDS) && is_match(&RUNS, &said)
        || has_any(&said, LOAD_WORDS) && is_match(&LOADS, &said)
        || has_any(&said, CODE_WORDS) && is_match(&CODE, &said);
    if option.choices.is_empty() && (is_match(&RUN_NAME, &name) || flag(&RUN_FLAG) || runs) {
        effects.push(Effect::Runs);
    }
    let is_file = matches!(option.kind, crate::definition::ValueType::Path);
    let has_file = has_any(&says, &["file", "path", "from", "director", "folder", "disk", "place"]);
    if has_any(&says, &["config", "settings", "file"]) && is_match(&CONFIGURES, &says) || flag(&CONFIG_FLAG) {
        effects.extend([Effect::Config, Effect::ReadsFile]);
        effects.extend(is_match(&SCRIPTED, &says).then_some(Effect::Runs));
    } else if flag(&OUTPUT_FLAG) || is_file && is_match(&WRITES, &says) {
        effects.push(Effect::Writes);
    } else if has_file && is_match(&READS, &says) || is_file {
        effects.push(Effect::ReadsFile);
    }
    if matches!(name.as_str(), "url" | "uri" | "host" | "proxy" | "address" | "server")
        && is_match(&NETWORK, &says)
    {
        effects.push(Effect::Network);
    }
    effects
}

pattern!(CONFIG_FLAG, r"^-{1,2}(?:.*-)?(?:config|rcfile|init-file|config-file|conf|settings)$");
pattern!(OUTPUT_FLAG, r"^-{1,2}(?:.*-)?(?:output|output-file|outfile|out|output-dir|log-file|save|dump-to)$");

fn sort(effects: &mut Vec<Effect>) {
    effects.sort_unstable();
    effects.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn effects(line: &str, command: &str) -> Vec<Effect> {
        let text = format!("Usage: {command} [OPTION]...\n\nOptions:\n  {line}\n");
        let definition = read(&text, command);
        assert_eq!(definition.options.len(), 1, "{definition:?}");
        definition.options[0].effects.clone()
    }

    #[test]
    fn words_of_the_text_say_what_an_option_does() {
        for line in [
            "--to-command=COMMAND   pipe extracted files to another program",
            "--exec <CMD>   Execute a command for each search result",
            "--pre <COMMAND>   For each input FILE, run COMMAND and search its output",
            "--plugin NAME   Load a plugin module",
            "--rsh=COMMAND   specify the remote shell to use",
            "--hook FILE   Run this script after each page",
            "--on-done TEXT   Command to run when a job finishes",
            "--on-done string   Shell command to execute",
            "--notify TEXT   Program to start for each file",
            "--on-change ON_CHANGE   Run this command when a build starts",
            "--convert TEXT   Python code to convert each item",
            "--functions TEXT   Python code defining one or more custom SQL functions",
            "--load-extension TEXT   Path to SQLite extension, with optional :entrypoint",
            "--python PYTHON_EXEC   path to python executable to search distributions from",
            "--parser NAME   Custom postcss parser",
            "--config FILE   Custom config file, only .js, .mjs, and .cjs is supported",
            "--js   Enables inline JavaScript in less files",
        ] {
            assert!(effects(line, "x").contains(&Effect::Runs), "{line}");
        }
        for line in [
            "--jobs N   Number of jobs to run in parallel",
            "--most N   Maximum number of programs to run",
            "--quiet-for N   Seconds to wait when running the command",
            "--color WHEN   Use color",
            "--timeout SECONDS   Time to wait before a command is started",
            "--format NAME   Output format",
            "--code NUMBER   HTTP code to expect",
            "--lang NAME   Generate Python code or C code",
            "--config FILE   Configuration file in JSON",
            "--dry-run   Print commands without running any tests",
            "--headed   Run tests in headed browsers",
            "--allowJs   Allow JavaScript files to be a part of your program",
            "--parser NAME   Parser for the input",
        ] {
            assert!(!effects(line, "x").contains(&Effect::Runs), "{line}");
        }
        assert_eq!(effects("--output FILE   Write the result to FILE", "x"), [Effect::Writes]);
        assert_eq!(
            effects("--config FILE   Path of the configuration file", "x"),
            [Effect::ReadsFile, Effect::Config]
        );
        assert_eq!(effects("--write   Edit files in-place", "x"), [Effect::Writes]);
        assert_eq!(effects("--delete   delete extraneous files from dest dirs", "x"), [Effect::Deletes]);
    }

    #[test]
    fn description_of_a_command_says_what_its_arguments_do() {
        let of = |text: &str, name: &str| {
            read(text, name).positionals.iter().any(|one| one.effects.contains(&Effect::Runs))
        };
        // The sentence stands in front of examples.
        let convert = "Usage: sq convert [OPTIONS] DB_PATH TABLE CODE\n\n  Convert columns using Python code you supply. For example:\n\n      sq convert a.db t 'value.upper()'\n\nOptions:\n  --help  Show it\n";
        assert!(of(convert, "sq convert"));
        let run = "Usage\n=====\n  scrape runspider [options] <spider_file>\n\nRun the spider defined in the given file\n\nOptions\n=======\n  -h, --help  show it\n";
        assert!(of(run, "scrape runspider"));
        assert!(!of(
            "Usage: count [OPTIONS] FILE\n\n  Counts the lines of a file.\n\nOptions:\n  --help  Show it\n",
            "count"
        ));
    }

    #[test]
    fn known_programs_are_found_by_name_and_version() {
        assert!(effects("-I PROG   filter", "tar").contains(&Effect::Runs));
        assert!(effects("-c name=value   pass a parameter", "git").contains(&Effect::Runs));
        assert!(is_interpreter("python3.11") && is_interpreter("/bin/sh") && !is_interpreter("tar"));
    }

    #[test]
    fn subcommands_as_arguments_keep_their_effects() {
        let of = |text: &str, command: &str| {
            let read = read(text, command).with_commands_as_argument();
            let [command, arguments] = read.positionals.as_slice() else { panic!("{:?}", read.positionals) };
            (command.choices.join(" "), arguments.effects.clone())
        };
        // `ip netns exec` runs a program.
        let ip = "Usage: ip OBJECT { COMMAND | help }\nwhere  OBJECT := { link | netns | vrf | route }\n";
        assert_eq!(of(ip, "ip").0, "link route");
        let listed = "Usage: x COMMAND\n\nCommands:\n  list     List them\n  start    Run a command in it\n  exec     In it\n";
        assert_eq!(of(listed, "x"), ("list".to_owned(), vec![]));
        // Arguments of some programs are run whatever the subcommand is.
        assert!(of(listed, "act").1.contains(&Effect::Runs));
    }
}

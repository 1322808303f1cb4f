//! The options of a definition: entries and usage lines put together, with their spellings, values and choices.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::choices::{self, MAX_CHOICES};
use crate::definition::{Join, OptionDefinition, Value, ValueType};
use crate::entries::{Entry, Section, What};
use crate::hints::{self, bare};
use crate::names::{Unique, of_flags};
use crate::patterns::{is_match, pattern};
use crate::spec::{Spec, is_literal};
use crate::usage::Usage;

/// Most options of a definition.
pub const MAX_OPTIONS: usize = 2_000;

// rich-click ends descriptions with the type.
pattern!(
    TYPE_AT_END,
    r"\((?:TEXT|INTEGER|FLOAT|PATH|FILE|DIRECTORY|FILENAME|UUID|DATETIME|BOOLEAN|NAME)(?: RANGE[^()]*)?\)$"
);

/// Puts the options of entries and usage lines together. Sets `is_full` if there are more than fit.
pub fn options(entries: &[Entry], usage: &Usage, is_full: &mut bool) -> Vec<OptionDefinition> {
    let mut options: Vec<OptionDefinition> = Vec::new();
    let mut unique = Unique::default();
    let mut known: HashMap<String, usize> = HashMap::new();
    // Whether every value of an option was a literal so far, and which options have such values as choices.
    let mut literals: HashMap<usize, bool> = HashMap::new();
    let mut merged: HashSet<usize> = HashSet::new();
    let mut push = |mut option: OptionDefinition, is_described: bool, literal: bool| {
        let earlier = option.flags.iter().find_map(|flag| known.get(flag)).copied();
        if let Some((at, earlier)) = earlier.and_then(|at| Some((at, options.get_mut(at)?))) {
            // The same flag again: a second mention says more only about what is missing.
            earlier.required |= option.required;
            earlier.repeated |= option.repeated;
            // docopt: `-o [offset]` in a list, but `[-o <offset>]` in the usage line.
            if !is_described
                && (earlier.value, earlier.join, option.value)
                    == (Value::Optional, Join::Space, Value::Required)
            {
                earlier.value = Value::Required;
            }
            // gtester: `-m {fast|slow}`, `-m {all|none}`.
            if is_described && !earlier.choices.is_empty() {
                for choice in &option.choices {
                    if earlier.choices.len() <= MAX_CHOICES && !earlier.choices.contains(choice) {
                        earlier.choices.push(choice.clone());
                    }
                }
            }
            // `--jumps=color`, `--jumps=off` in entries of their own; `--jumps=NUMBER` beside them takes more.
            let all_literal = literals.entry(at).or_default();
            if is_described && option.value_count > 0 && !(literal && *all_literal) {
                *all_literal = false;
                if merged.remove(&at) {
                    earlier.choices.clear();
                }
            } else if is_described
                && is_literal(&option.value_name)
                && option.value_name != earlier.value_name
            {
                let values = |name: &str| name.split('|').map(str::to_owned).collect::<Vec<_>>();
                if earlier.choices.is_empty() && is_literal(&earlier.value_name) {
                    earlier.choices = values(&earlier.value_name);
                }
                for value in values(&option.value_name) {
                    if earlier.choices.len() <= MAX_CHOICES && !earlier.choices.contains(&value) {
                        earlier.choices.push(value);
                    }
                }
                if choices::are_kinds(&earlier.choices) {
                    earlier.choices.clear();
                    *all_literal = false;
                } else {
                    // Choices are texts.
                    earlier.kind = ValueType::String;
                }
                merged.insert(at);
            }
            if is_described && (earlier.value == Value::None) != (option.value == Value::None) {
                // `--disassemble` and `--disassemble=<sym>`.
                earlier.value = Value::Optional;
                if earlier.value_count == 0 {
                    earlier.value_name = option.value_name.clone();
                    earlier.kind = option.kind;
                    earlier.join = option.join;
                    if earlier.choices.is_empty() {
                        earlier.choices = option.choices.clone();
                    }
                    earlier.value_count = option.value_count;
                }
            }
            if earlier.description.is_empty() && is_described {
                earlier.description = option.description.clone();
            }
            // `-C, --check=quiet` beside `-c, --check`: the new short flag is an option of its own.
            option.flags.retain(|flag| !known.contains_key(flag));
            if option.flags.is_empty() || !is_described {
                return;
            }
            option.value = Value::None;
            option.kind = ValueType::Boolean;
            option.value_count = 0;
            option.value_name.clear();
            option.choices.clear();
        }
        if options.len() >= MAX_OPTIONS {
            *is_full = true;
            return;
        }
        option.property = unique.name(&of_flags(&option.flags));
        for flag in option.flags.iter().chain(&option.negated) {
            known.insert(flag.clone(), options.len());
        }
        literals.insert(options.len(), literal);
        options.push(option);
    };
    let values = values_of_usage(entries, usage);
    let entries = stacked(entries);
    let listed = listed(&entries);
    for (at, entry) in entries.iter().enumerate() {
        let What::Options(specs) = &entry.what else { continue };
        if at < listed.first && entry.section == Section::Other && listed.has_one_of(specs) {
            continue;
        }
        let specs: Vec<Spec> = specs.iter().map(|spec| parted(with_value(spec, &values))).collect();
        let specs = &specs;
        // `-h -help  print this`: spellings in a row, if one description is for all of them.
        if let Some(all) = spellings(specs).filter(|_| !entry.description.is_empty()) {
            push(option(&all, &entry.description, &entry.table), true, has_literal(&all));
            continue;
        }
        let several = specs.len() > 1;
        for spec in specs {
            let (description, table) =
                if several { ("", &[][..]) } else { (entry.description.as_str(), &entry.table[..]) };
            push(option(spec, description, table), true, has_literal(spec));
        }
    }
    for one in &usage.options {
        let mut found = option(&one.spec, "", &[]);
        found.required = one.required;
        found.repeated |= one.repeated;
        push(found, false, false);
    }
    options
}

/// The flags below headings of options.
struct Listed<'e> {
    /// Position of the first entry there.
    first: usize,
    flags: HashSet<&'e str>,
}

impl Listed<'_> {
    fn has_one_of(&self, specs: &[Spec]) -> bool {
        specs.iter().flat_map(|spec| &spec.flags).any(|flag| self.flags.contains(flag.as_str()))
    }
}

/// gitingest: examples in the text above the list are wrapped, so that some lines begin with a flag. The list says what
/// such flags are, if it is much the longer one: gcov has a list of obsolete options below the others.
fn listed<'e>(entries: &'e [Cow<'_, Entry>]) -> Listed<'e> {
    let is_listed =
        |entry: &Entry| entry.section == Section::Options && matches!(entry.what, What::Options(_));
    let first = entries.iter().position(|entry| is_listed(entry)).unwrap_or_default();
    let is_above =
        |entry: &&Cow<'_, Entry>| entry.section == Section::Other && matches!(entry.what, What::Options(_));
    let above = entries.iter().take(first).filter(is_above).count();
    let count = entries.iter().filter(|entry| is_listed(entry)).count();
    let mut flags = HashSet::new();
    for entry in entries.iter().filter(|entry| is_listed(entry) && above * 3 <= count) {
        if let What::Options(specs) = &entry.what {
            flags.extend(specs.iter().flat_map(|spec| &spec.flags).map(String::as_str));
        }
    }
    Listed { first, flags }
}

/// Options in brackets of usage lines that have a value, by their flags, if no entry shows one: `-c  class of data` beneath
/// `[-c class]`.
fn values_of_usage<'u>(entries: &[Entry], usage: &'u Usage) -> HashMap<&'u str, &'u Spec> {
    let has_value = |entry: &Entry| match &entry.what {
        What::Options(specs) => specs.iter().any(|spec| spec.value != Value::None),
        What::Name(_) => false,
    };
    // `[-w <sec>]` is clear, also where entries of other options show a value.
    // `[-q quiet]` says what the letter is for.
    let is_switch = |value: &str| ["help", "version", "verbose", "quiet", "debug", "force"].contains(&value);
    let is_word = |value: &str| {
        value.len() > 1 && value.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '-'))
    };
    let is_clear = |spec: &Spec| {
        spec.values.len() == 1
            && spec.values.iter().all(|value| {
                value.starts_with('<')
                    || value.starts_with('{') && value.contains(',')
                    || is_word(value) && !is_switch(value)
            })
    };
    let show_values = entries.iter().any(has_value);
    // `-n[imBd]`: further letters that are options.
    let specs = entries.iter().filter_map(|entry| match &entry.what {
        What::Options(specs) => Some(specs),
        What::Name(_) => None,
    });
    let letters: HashSet<char> =
        specs.flatten().flat_map(|spec| &spec.flags).filter_map(|flag| letter(flag)).collect();
    let is_bundle = |spec: &Spec| {
        let further = spec.values.first().map_or("", |value| bare(value));
        spec.join == Join::Glued
            && further.chars().nth(1).is_some()
            && further.chars().all(|letter| letters.contains(&letter))
    };
    let with_value = usage.options.iter().filter(|option| {
        !option.required
            && option.spec.value != Value::None
            && (!show_values || is_clear(&option.spec))
            && !is_bundle(&option.spec)
    });
    with_value.flat_map(|option| option.spec.flags.iter().map(|flag| (flag.as_str(), &option.spec))).collect()
}

/// The letter of a flag such as `-x`.
fn letter(flag: &str) -> Option<char> {
    let mut letters = flag.strip_prefix('-')?.chars();
    letters.next().filter(|letter| *letter != '-' && letters.next().is_none())
}

fn with_value(spec: &Spec, values: &HashMap<&str, &Spec>) -> Spec {
    match spec.flags.iter().find_map(|flag| values.get(flag.as_str())) {
        Some(shown) if spec.value == Value::None => {
            Spec { value: shown.value, values: shown.values.clone(), join: shown.join, ..spec.clone() }
        }
        _ => spec.clone(),
    }
}

/// Parts a letter from the name of its value: `-Idirectory`, `-ofile`, `-Gname=val`.
fn parted(mut spec: Spec) -> Spec {
    const NAMES: &[&str] = &[
        "file",
        "dir",
        "directory",
        "library",
        "pattern",
        "path",
        "name",
        "key",
        "val",
        "value",
        "macro",
        "number",
    ];
    const LOWER: &[&str] = &["file", "dir", "directory", "library", "pattern"];
    let parts = match spec.flags.as_slice() {
        [flag] if !flag.starts_with("--") => flag.split_at_checked(2),
        _ => None,
    };
    let Some((letter, name)) = parts else { return spec };
    let is_upper = letter.ends_with(|c: char| c.is_ascii_uppercase());
    let is_joined = spec.values.is_empty() || spec.join != Join::Space;
    if !is_joined || !(if is_upper { NAMES } else { LOWER }).contains(&name) {
        return spec;
    }
    let rest = spec
        .values
        .iter()
        .map(|value| if value.starts_with('[') { value.clone() } else { format!("={value}") });
    (spec.values, spec.flags) = (vec![name.to_owned() + &rest.collect::<String>()], vec![letter.to_owned()]);
    (spec.value, spec.join) = (Value::Required, Join::Glued);
    spec
}

/// Whether an option is written with a value as itself: `--color=off`, not `--debug=<octal>` or `-d 0-5`. One without a
/// value is no other value.
fn has_literal(spec: &Spec) -> bool {
    spec.values.iter().all(|value| is_literal(value.trim_start_matches('=')))
}

/// Adds spellings that descriptions name: `(Alias: --no-colours)`.
pub fn aliases(options: &mut [OptionDefinition]) {
    let mut known: HashSet<String> =
        options.iter().flat_map(|option| option.flags.iter().chain(&option.negated)).cloned().collect();
    for option in options {
        for flag in hints::aliases(&option.description) {
            if known.insert(flag.clone()) {
                option.flags.push(flag);
            }
        }
        for off in hints::switched_off(&option.flags, &option.description) {
            if option.negated.is_empty() && known.insert(off.clone()) {
                option.negated.push(off);
            }
        }
    }
}

/// Entries in which spellings on lines of their own (`-cp <path>`, `--class-path <path>`) are one.
fn stacked(entries: &[Entry]) -> Vec<Cow<'_, Entry>> {
    let mut all: Vec<Cow<'_, Entry>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let above = all.last_mut().filter(|above| is_one(above, entry)).map(Cow::to_mut);
        match (&entry.what, above) {
            (What::Options(specs), Some(Entry { what: What::Options(above), description, table, .. })) => {
                for (last, spec) in above.iter_mut().zip(specs) {
                    last.flags.extend(spec.flags.iter().cloned());
                    last.negated.extend(spec.negated.iter().cloned());
                    last.join = spec.join;
                }
                description.clone_from(&entry.description);
                table.clone_from(&entry.table);
            }
            _ => all.push(Cow::Borrowed(entry)),
        }
    }
    all
}

/// Whether the entry below one without a description is of the same option.
fn is_one(above: &Entry, entry: &Entry) -> bool {
    let (What::Options(last), What::Options(specs)) = (&above.what, &entry.what) else { return false };
    let ([last], [spec]) = (last.as_slice(), specs.as_slice()) else { return false };
    above.description.is_empty()
        && spec.values.iter().map(|value| bare(value)).eq(last.values.iter().map(|value| bare(value)))
        && are_spellings(spec, last)
        && !(entry.description.is_empty() && spec.values.is_empty())
}

/// Whether options on lines of their own may be spellings of one: `-cp` and `--class-path`, but not `--xml-report` and
/// `--xslt-report`.
fn are_spellings(one: &Spec, other: &Spec) -> bool {
    let letters = |spec: &Spec| -> Option<String> {
        Some(spec.flags.first()?.chars().filter(|c| !matches!(c, '-' | '_')).collect())
    };
    let is_long = |spec: &Spec| spec.flags.iter().any(|flag| flag.starts_with("--"));
    let (one_is_long, other_is_long) = (is_long(one), is_long(other));
    let (Some(one), Some(other)) = (letters(one), letters(other)) else { return false };
    let are_long = one_is_long && other_is_long;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut rest = long.chars();
    let is_part =
        short.chars().all(|c| rest.any(|other| other == c)) && long.chars().next() == short.chars().next();
    short == long || !are_long && is_part && short.len() * 2 <= long.len()
}

/// Options in one line that are spellings of one: without values, and named alike (`-h -help`).
fn spellings(specs: &[Spec]) -> Option<Spec> {
    let (first, rest) = specs.split_first()?;
    let initial = |spec: &Spec| spec.flags.first()?.trim_start_matches('-').chars().next();
    let is_help = |spec: &Spec| spec.flags.iter().any(|flag| flag == "-?" || flag == "-h");
    // `-sS -sT` differ in their last letter, `-h -help` in length.
    let length = |spec: &Spec| spec.flags.first().map_or(0, |flag| flag.chars().count());
    // `-v -V --version`
    let is_other_case =
        |spec: &Spec| spec.flags.len() > 1 && initial(spec).map(|c| c.to_ascii_lowercase()) == initial(first);
    let fits = |spec: &Spec| {
        (length(spec) != length(first) || length(first) == 2 || is_help(first))
            && (initial(spec) == initial(first)
                || is_help(first) && is_help(spec)
                || is_help(spec)
                || is_other_case(spec))
    };
    let (last, before) = rest.split_last()?;
    // `-v -verbose[:class|gc]`
    let takes_none = |spec: &Spec| spec.value == Value::None;
    let has_own = last.join == Join::Colon && last.value == Value::Optional;
    if !takes_none(first)
        || !before.iter().all(takes_none)
        || !(takes_none(last) || has_own)
        || !rest.iter().all(|spec| fits(spec) || is_help(first) && takes_none(spec))
    {
        return None;
    }
    let mut all = Spec { value: last.value, values: last.values.clone(), join: last.join, ..first.clone() };
    for spec in rest {
        all.flags.extend(spec.flags.iter().cloned());
        all.negated.extend(spec.negated.iter().cloned());
    }
    Some(all)
}

/// Whether a description says that there is a value, where the entry shows none.
fn says_value(description: &str, default: Option<&str>) -> bool {
    // yargs says of switches that they are.
    let is_yargs = description.contains("[default: ") && !description.contains("[boolean]");
    // click: `--fast / --safe  … [default: --safe]`.
    let is_switch = |default: &str| {
        default.starts_with("--") || ["true", "false"].contains(&default.to_lowercase().as_str())
    };
    is_yargs && default.is_some_and(|default| !is_switch(default))
        || is_match(&TYPE_AT_END, description)
        // hey: `-n  Number of requests to run. Default is 200.`
        || description.starts_with("Number of ")
        || default.is_some_and(|default| default.parse::<f64>().is_ok())
}

fn option(spec: &Spec, description: &str, table: &[String]) -> OptionDefinition {
    let written = spec.values.join(" ");
    let several = any_number(&written);
    let values = several.clone().unwrap_or(written);
    let default = hints::default(description);
    let mut value = spec.value;
    // yargs and others say the type behind the description.
    let tag = |tag: &str| description.contains(tag);
    if value == Value::None && (tag("[string]") || tag("[number]") || tag("[array]") || tag("[choices:")) {
        value = Value::Required;
    }
    let is_counted = spec.flags.iter().any(|flag| flag == "--verbose" || flag == "--quiet");
    if value == Value::None
        && !is_counted
        && spec.negated.is_empty()
        && says_value(description, default.as_deref())
    {
        value = Value::Required;
    }
    let (mut value, mut choices) = choices::of_option(spec, value, description, table);
    // pflag's name for a switch that is counted.
    if is_counted && spec.values == ["count"] {
        value = Value::None;
    }
    let takes_value = value != Value::None;
    // `(default: HTML math.css)` beside `HTML`: a value may have more parts.
    let first = default.as_ref().and_then(|default| default.split_once(' ')).map(|(first, _)| first);
    // `(default: true if it is a terminal)`
    let is_condition = |default: &String| {
        [" if ", " when ", " in ", " for ", " on ", " unless "].iter().any(|word| default.contains(word))
    };
    if first.is_some_and(|first| choices.iter().any(|choice| choice == first))
        && !default.as_ref().is_some_and(is_condition)
    {
        choices.clear();
    }
    OptionDefinition {
        property: String::new(),
        flags: spec.flags.clone(),
        negated: spec.negated.clone(),
        value,
        value_name: hints::shown(&values).to_owned(),
        kind: match takes_value {
            false => ValueType::Boolean,
            true if !choices.is_empty() => ValueType::String,
            true if value == Value::Optional && values.trim_matches(['[', '=', '<', '>', ']']) == "bool" => {
                ValueType::Boolean
            }
            true => hints::kind(&values, default.as_deref(), description),
        },
        choices,
        default: default.filter(|default| takes_value && !says_none(default)),
        required: takes_value && hints::is_required(description),
        repeated: hints::is_repeated(description)
            || takes_value && (several.is_some() || hints::is_list_name(&values)),
        description: description.to_owned(),
        effects: Vec::new(),
        join: spec.join,
        value_count: match (takes_value, &several) {
            (false, _) => 0,
            (true, Some(_)) => 1,
            (true, None) => spec.values.len().max(1),
        },
        list: takes_value && several.is_some(),
    }
}

/// Whether a default says that there is none.
fn says_none(default: &str) -> bool {
    ["None", "none", "null", "nil", "undefined"].contains(&default)
}

/// The name of the values of which there can be any number, as argparse writes it: `FILE` of `FILE [FILE ...]`, of
/// `[FILE ...]`, and of `[FILE [FILE ...]]`.
fn any_number(values: &str) -> Option<String> {
    let rest = values.strip_suffix(" ...]").and_then(|values| values.rsplit_once('['));
    let rest = rest.map(|(before, name)| (before.trim_end(), name));
    let all = values.strip_suffix(" ...]]").and_then(|values| values.strip_prefix('[')?.split_once(" ["));
    let is_name = |name: &str| !name.is_empty() && !name.contains(['[', ' ']);
    match (rest, all) {
        (Some(("", name)), _) if is_name(name) => Some(format!("[{name}]")),
        (Some((first, name)), _) if is_name(name) && first == name => Some(name.to_owned()),
        (_, Some((first, name))) if is_name(name) && first == name => Some(format!("[{name}]")),
        _ => None,
    }
}

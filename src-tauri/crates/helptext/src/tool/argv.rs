//! The argument vector of a call. No value can become an option, whatever it is.

use serde_json::{Map, Value};

use super::STDIN;
use super::offer::{Offered, Style, Tool};
use super::schema::MAX_COUNT;
use crate::definition::{Definition, Join, OptionDefinition, Positional, Value as Takes, ValueType};
use crate::effects::Effect;
use crate::known::Known;

/// Most items of a repeated option or argument.
const MAX_ITEMS: usize = 10_000;
/// Longest value, in bytes. The kernel's own limit of one argument is 128 KB.
const MAX_VALUE: usize = 120_000;

/// What a call runs a program with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Arguments behind the program's name and its subcommands.
    pub arguments: Vec<String>,
    /// Text for its standard input.
    pub stdin: Option<String>,
    /// Values that name files or folders, by property.
    pub paths: Vec<(String, String)>,
    /// All other values, by property.
    pub texts: Vec<(String, String)>,
}

/// Why arguments are rejected. Says the property, what came and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{property}: {problem}")]
pub struct ArgumentError {
    /// Property of the argument.
    pub property: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

fn wrong<T>(property: &str, problem: impl Into<String>) -> Result<T, ArgumentError> {
    Err(ArgumentError { property: property.to_owned(), problem: problem.into() })
}

impl Tool {
    /// Checks the arguments of a call and makes the argument vector.
    pub fn invocation(&self, arguments: &Map<String, Value>) -> Result<Invocation, ArgumentError> {
        self.check_names(arguments)?;
        let mut made = Invocation::default();
        if self.arguments_first {
            self.positional_part(arguments, &mut made)?;
        }
        let is_given = |property: &String| arguments.get(property).is_some_and(|value| !value.is_null());
        let mut needed =
            self.options.iter().filter(|option| option.part.required && option.withheld.is_none());
        if let Some(option) = needed.find(|option| !is_given(&option.property)) {
            return wrong(&option.property, "is missing; the program needs it");
        }
        // In the order of the call, which can matter: `rsync --include=*.txt --exclude=*`.
        for (property, value) in arguments.iter().filter(|(property, _)| is_given(property)) {
            if let Some(option) = self.options.iter().find(|option| option.property == *property) {
                self.option(option, value, &mut made)?;
            }
        }
        if !self.arguments_first {
            self.positional_part(arguments, &mut made)?;
        }
        match arguments.get(STDIN).filter(|_| self.reads_stdin) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => made.stdin = Some(text.clone()),
            Some(other) => return wrong(STDIN, format!("has to be text, not {}", kind(other))),
        }
        Ok(made)
    }

    fn check_names(&self, arguments: &Map<String, Value>) -> Result<(), ArgumentError> {
        for name in arguments.keys() {
            match self.arguments().find(|(own, _)| own == name) {
                Some((_, None)) => {}
                Some((_, Some(reason))) => {
                    return wrong(name, format!("is not offered: it {}", reason.words()));
                }
                None => {
                    let offered = self.arguments().filter(|(_, withheld)| withheld.is_none());
                    let names: Vec<&str> = offered.map(|(name, _)| name).collect();
                    let shown = names.iter().take(20).copied().collect::<Vec<_>>().join(", ");
                    let more = if names.len() > 20 { ", …" } else { "" };
                    return wrong(name, format!("is no argument of this tool; there are: {shown}{more}"));
                }
            }
        }
        Ok(())
    }

    fn option(
        &self,
        option: &Offered<OptionDefinition>,
        value: &Value,
        made: &mut Invocation,
    ) -> Result<(), ArgumentError> {
        let (property, part) = (option.property.as_str(), &option.part);
        let Some(flag) = longest(&part.flags) else { return Ok(()) };
        match (part.value, value) {
            (Takes::None, Value::Number(count)) if part.repeated => {
                let Some(count) = count.as_u64().filter(|count| *count <= MAX_COUNT) else {
                    return wrong(property, format!("has to be a whole number from 0 to {MAX_COUNT}"));
                };
                made.arguments.extend((0..count).map(|_| flag.to_owned()));
                Ok(())
            }
            // kubectl: `--wait=false` switches off what is on by itself.
            (Takes::Optional, Value::Bool(false)) if part.kind == ValueType::Boolean => {
                self.one(property, flag, part, value, made)
            }
            (Takes::None | Takes::Optional | Takes::Unknown, Value::Bool(true)) => {
                made.arguments.push(flag.to_owned());
                Ok(())
            }
            (Takes::None | Takes::Optional | Takes::Unknown, Value::Bool(false)) => {
                made.arguments.extend(longest(&part.negated).map(str::to_owned));
                Ok(())
            }
            (Takes::None, other) => {
                let wanted = if part.repeated { "a whole number" } else { "true or false" };
                wrong(property, format!("has to be {wanted}, not {}", kind(other)))
            }
            (Takes::Required, value) if part.value_count > 1 => {
                for row in rows(property, part, value)? {
                    self.row(property, flag, part, row, made)?;
                }
                Ok(())
            }
            (Takes::Required | Takes::Optional, value) if part.list => {
                let items = match value {
                    Value::Array(items) => items.as_slice(),
                    one => std::slice::from_ref(one),
                };
                if items.len() > MAX_ITEMS {
                    return wrong(property, format!("has {} items; {MAX_ITEMS} are allowed", items.len()));
                }
                if items.is_empty() && part.value == Takes::Required {
                    return wrong(property, "has no items; the program needs at least one");
                }
                self.row(property, flag, part, items, made)
            }
            (_, Value::Array(items)) if part.repeated => {
                if items.len() > MAX_ITEMS {
                    return wrong(property, format!("has {} items; {MAX_ITEMS} are allowed", items.len()));
                }
                items.iter().try_for_each(|item| self.one(property, flag, part, item, made))
            }
            (_, value) => self.one(property, flag, part, value, made),
        }
    }

    fn one(
        &self,
        property: &str,
        flag: &str,
        part: &OptionDefinition,
        value: &Value,
        made: &mut Invocation,
    ) -> Result<(), ArgumentError> {
        let text = text_of(property, value, part.kind, &part.choices)?;
        self.check_text(property, &text)?;
        note_path(property, part.kind, &part.effects, &text, made);
        let is_long = flag.starts_with("--");
        let may_be_option = text.starts_with('-') || self.is_plus(&text);
        // Where the value is optional, a second word would be an argument of its own.
        let join = match (part.join, part.value) {
            (Join::Space, Takes::Optional) if is_long && (may_be_option || text.is_empty()) => Join::Equals,
            // As its help writes it: `dpkg --list [<pattern>]` takes no `=`.
            (Join::Space, Takes::Optional) if is_long => Join::Space,
            (Join::Space, Takes::Optional) => Join::Glued,
            // objdump writes `--dwarf[a/=abbrev, …]`: no long option ends without a mark.
            (Join::Glued, _) if is_long => Join::Equals,
            (join, _) => join,
        };
        match join {
            Join::Equals => made.arguments.push(format!("{flag}={text}")),
            Join::Colon => made.arguments.push(format!("{flag}:{text}")),
            Join::Glued if text.is_empty() => {
                return wrong(property, format!("an empty value cannot be given to {flag}"));
            }
            Join::Glued => made.arguments.push(format!("{flag}{text}")),
            Join::Space if !may_be_option => made.arguments.extend([flag.to_owned(), text]),
            // One word cannot be taken for an option.
            Join::Space if is_long && (self.style == Style::Long || self.knows_equals()) => {
                made.arguments.push(format!("{flag}={text}"));
            }
            Join::Space if !is_long && self.style != Style::Unknown && flag.chars().count() == 2 => {
                made.arguments.push(format!("{flag}{text}"));
            }
            Join::Space if text == "-" => made.arguments.extend([flag.to_owned(), text]),
            Join::Space => return wrong(property, option_problem(&text)),
        }
        Ok(())
    }

    /// Whether the program takes `--x=V` although nothing else is known of how it reads its options.
    fn knows_equals(&self) -> bool {
        self.definition.command.split(' ').next() == Some("git")
    }

    /// Whether a value could be an option with a plus sign.
    fn is_plus(&self, text: &str) -> bool {
        self.has_plus && text.starts_with('+')
    }

    fn row(
        &self,
        property: &str,
        flag: &str,
        part: &OptionDefinition,
        row: &[Value],
        made: &mut Invocation,
    ) -> Result<(), ArgumentError> {
        made.arguments.push(flag.to_owned());
        for value in row {
            let wanted = if part.list { part.kind } else { ValueType::String };
            let text = text_of(property, value, wanted, &part.choices)?;
            self.check_text(property, &text)?;
            if text.starts_with('-') && text != "-" || self.is_plus(&text) {
                return wrong(property, option_problem(&text));
            }
            note_path(property, part.kind, &part.effects, &text, made);
            made.arguments.push(text);
        }
        Ok(())
    }

    fn positional_part(
        &self,
        arguments: &Map<String, Value>,
        made: &mut Invocation,
    ) -> Result<(), ArgumentError> {
        let mut words: Vec<String> = Vec::new();
        let mut left_out: Option<&str> = None;
        let is_switch = |last: &&String| {
            self.options.iter().any(|option| {
                [&option.part.flags, &option.part.negated].iter().any(|flags| flags.contains(last))
            })
        };
        let last_switch =
            made.arguments.last().filter(is_switch).filter(|_| self.style != Style::Unknown).cloned();
        for positional in self.positionals.iter().filter(|positional| positional.withheld.is_none()) {
            let property = positional.property.as_str();
            let given = arguments.get(property).filter(|value| !value.is_null());
            let Some(value) = given else {
                if self.is_replaced(&positional.part, arguments) {
                    continue;
                }
                if positional.part.required {
                    return wrong(property, "is missing; the program needs it");
                }
                left_out.get_or_insert(property);
                continue;
            };
            let items = match value {
                Value::Array(items) if positional.part.repeated => items.as_slice(),
                Value::Array(_) => return wrong(property, "has to be one value, not an array"),
                other => std::slice::from_ref(other),
            };
            if items.len() > MAX_ITEMS {
                return wrong(property, format!("has {} items; {MAX_ITEMS} are allowed", items.len()));
            }
            if positional.part.required && items.is_empty() {
                return wrong(property, "has no items; the program needs at least one");
            }
            // `seq [FIRST] LAST`: the program tells by their number which ones are there.
            let follows = !items.is_empty() && !positional.part.required;
            if let Some(earlier) = left_out.filter(|_| follows) {
                return wrong(property, format!("cannot be given without {earlier}, which comes before it"));
            }
            for item in items {
                let text = self.positional(property, &positional.part, item)?;
                // `-` alone is no option anywhere: it stands for standard input or output.
                if self.style == Style::Unknown && text.starts_with('-') && text != "-" || self.is_plus(&text)
                {
                    return wrong(property, option_problem(&text));
                }
                // A switch may take a value that its help does not tell, and that would be the `--`.
                let may_be_option = text.starts_with('-') && text != "-";
                if let Some(switch) = last_switch.as_ref().filter(|_| may_be_option) {
                    return wrong(
                        property,
                        format!(
                            "begins with \"-\", and the program could take it for an option if {switch} takes a value; leave {switch} out, or write a path as ./-name"
                        ),
                    );
                }
                note_path(property, path_kind(&positional.part), &positional.part.effects, &text, made);
                words.push(text);
            }
        }
        let needs_end =
            self.needs_end_of_options(arguments, &words) || self.would_take_more(made.arguments.last());
        let is_bundle = made.arguments.is_empty() && self.reads_a_bundle();
        if !words.is_empty() && (is_bundle || self.style != Style::Unknown && needs_end) {
            made.arguments.push("--".to_owned());
        }
        made.arguments.append(&mut words);
        Ok(())
    }

    /// Whether an option that is given takes the place of an argument: `grep -e PATTERNS` that of `PATTERNS`.
    fn is_replaced(&self, positional: &Positional, arguments: &Map<String, Value>) -> bool {
        self.options.iter().any(|option| {
            arguments.get(&option.property).is_some_and(|value| !value.is_null())
                && can_replace(&option.part, positional)
        })
    }

    /// Whether the program would read options from a first word without a dash.
    fn reads_a_bundle(&self) -> bool {
        let Definition { command, target, .. } = &self.definition;
        let is_bundle = |program: &str| Known::of(program).is_some_and(|known| known.bundle);
        !command.contains(' ') && (is_bundle(command) || target.as_deref().is_some_and(is_bundle))
    }

    /// Whether the last option, given without its value, would take the next word for it: `--jobs [N]`.
    fn would_take_more(&self, last: Option<&String>) -> bool {
        let takes = |option: &Offered<OptionDefinition>| {
            matches!(option.part.value, Takes::Optional | Takes::Unknown)
                && option.part.join == Join::Space
                && last.is_some_and(|last| option.part.flags.contains(last))
        };
        self.options.iter().any(takes)
    }

    /// Whether positional arguments have to follow `--`: where one could be an option, a further value of an option, or a
    /// subcommand. Only there, as not every program with long options knows `--` (docopt, `xmlstarlet`).
    fn needs_end_of_options(&self, arguments: &Map<String, Value>, words: &[String]) -> bool {
        let mut words_of = self.definition.command.split(' ');
        let known = Known::of(words_of.next().unwrap_or_default());
        let subcommand = words_of.collect::<Vec<_>>().join(" ");
        // What is given again takes one value each time.
        let is_given_again =
            |flag: &String| known.is_some_and(|known| known.is_repeatable(&subcommand, flag));
        let takes_list = |option: &Offered<OptionDefinition>| {
            option.part.repeated
                && option.part.value != Takes::None
                && !option.part.flags.iter().any(is_given_again)
                && arguments.get(&option.property).is_some_and(|value| !value.is_null())
        };
        let has_subcommands = !self.definition.subcommands.is_empty();
        !words.is_empty()
            && (words.iter().any(|word| word.starts_with('-') && word != "-")
                || has_subcommands
                || self.options.iter().any(takes_list))
    }

    fn positional(&self, property: &str, part: &Positional, value: &Value) -> Result<String, ArgumentError> {
        let text = text_of(property, value, ValueType::String, &part.choices)?;
        self.check_text(property, &text)?;
        Ok(text)
    }

    fn check_text(&self, property: &str, text: &str) -> Result<(), ArgumentError> {
        if text.contains('\0') {
            return wrong(property, "contains a NUL character, which no argument can");
        }
        if text.len() > MAX_VALUE {
            return wrong(property, format!("has {} bytes; an argument can have {MAX_VALUE}", text.len()));
        }
        let is_file = ["file", "path"].iter().any(|word| property.contains(word));
        if is_file && (text.starts_with('|') || text.ends_with('|')) {
            return wrong(
                property,
                "begins or ends with \"|\", which some programs take for a command to run; write a path as ./|name",
            );
        }
        if self.at_files && text.starts_with('@') {
            return wrong(
                property,
                "begins with \"@\", which makes this program read a file; write the content itself",
            );
        }
        Ok(())
    }
}

/// Whether an option's value is what an argument is, by their names. Names that fit many values say nothing.
pub(super) fn can_replace(option: &OptionDefinition, positional: &Positional) -> bool {
    const TELLING: [&str; 7] = ["command", "expression", "pattern", "program", "query", "regexp", "script"];
    let plain = |name: &str| name.to_lowercase().trim_end_matches('s').to_owned();
    let name = plain(&positional.name);
    // sed: `{script-only-if-no-other-script}`.
    let name = name.split("-only-if").next().unwrap_or_default().trim_start_matches('{');
    option.value == Takes::Required && TELLING.contains(&name) && plain(&option.value_name) == name
}

fn option_problem(text: &str) -> String {
    let sign = if text.starts_with('+') { '+' } else { '-' };
    format!(
        "begins with \"{sign}\", and this program could take it for an option; write a path as ./{sign}name, or another value"
    )
}

/// The longest spelling; of those as long, the first.
fn longest(flags: &[String]) -> Option<&str> {
    flags
        .iter()
        .map(String::as_str)
        .reduce(|best, flag| if flag.chars().count() > best.chars().count() { flag } else { best })
}

fn rows<'a>(
    property: &str,
    part: &OptionDefinition,
    value: &'a Value,
) -> Result<Vec<&'a [Value]>, ArgumentError> {
    let wanted = part.value_count;
    let row = |value: &'a Value| match value {
        Value::Array(items) if items.len() == wanted => Ok(items.as_slice()),
        _ => wrong(property, format!("has to be an array of {wanted} values ({})", part.value_name)),
    };
    match value {
        Value::Array(items) if part.repeated && items.len() <= MAX_ITEMS => items.iter().map(row).collect(),
        value => Ok(vec![row(value)?]),
    }
}

fn path_kind(part: &Positional) -> ValueType {
    let name = part.name.to_lowercase();
    let is_path = ["file", "path", "dir", "folder", "source", "dest", "target", "input", "output", "src"]
        .iter()
        .any(|word| name.contains(word));
    if is_path { ValueType::Path } else { ValueType::String }
}

fn note_path(property: &str, kind: ValueType, effects: &[Effect], text: &str, made: &mut Invocation) {
    let opens = |effect: &Effect| {
        matches!(effect, Effect::Writes | Effect::Deletes | Effect::ReadsFile | Effect::Config)
    };
    let is_path = kind == ValueType::Path || effects.iter().any(opens);
    let list = if is_path { &mut made.paths } else { &mut made.texts };
    list.push((property.to_owned(), text.to_owned()));
}

fn text_of(
    property: &str,
    value: &Value,
    wanted: ValueType,
    choices: &[String],
) -> Result<String, ArgumentError> {
    let text = match (value, wanted) {
        (Value::String(text), ValueType::String | ValueType::Path) => text.clone(),
        (Value::Bool(given), ValueType::Boolean) => given.to_string(),
        (other, ValueType::Boolean) => {
            return wrong(property, format!("has to be true or false, not {}", kind(other)));
        }
        (Value::Number(number), ValueType::Integer) if number.is_i64() || number.is_u64() => {
            number.to_string()
        }
        // JSON Schema counts `3.0` among the integers.
        (Value::Number(number), ValueType::Integer) if number.as_f64().is_some_and(is_whole) => {
            format!("{:.0}", number.as_f64().unwrap_or_default())
        }
        (Value::Number(number), ValueType::Number | ValueType::String) => number.to_string(),
        (other, ValueType::Integer) => {
            return wrong(property, format!("has to be a whole number, not {}", kind(other)));
        }
        (other, ValueType::Number) => {
            return wrong(property, format!("has to be a number, not {}", kind(other)));
        }
        (other, _) => return wrong(property, format!("has to be text, not {}", kind(other))),
    };
    if !choices.is_empty() && !choices.contains(&text) {
        return wrong(property, format!("is {}; it has to be one of {}", short(&text), choices.join(", ")));
    }
    Ok(text)
}

/// Whether a number is an integer that a float holds exactly.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0
}

fn short(text: &str) -> String {
    const MOST: usize = 60;
    let head: String = text.chars().take(MOST).collect();
    if head.len() < text.len() { format!("{head:?}…") } else { format!("{head:?}") }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;

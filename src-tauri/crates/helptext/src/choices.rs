//! Lists of values that stand apart from their option: "FORMAT is one of the following:".

use std::sync::LazyLock;

use regex::Regex;

use crate::definition::{OptionDefinition, Value, ValueType};

/// Most values of a list.
const MAX_VALUES: usize = 200;

static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:(?-i:([A-Z][A-Z_-]+)) (?:is|are|can be|may be|must be) (?:one|any) of(?: the following)?(?: values)?:?|(?:valid|possible|allowed|available|supported) (?:arguments?|values?|choices?)(?: for)?(?: the)? (--?[\w-]+)(?: option)?(?: are)?:)\s*$",
    )
    .ok()
});
static ITEM: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s+([\w.+-]+(?:, [\w.+-]+)*,?)(?:\s{2,}\S.*)?$").ok());

/// Gives options without choices those of a list that names them or their value.
pub fn from_lists(lines: &[String], options: &mut [OptionDefinition]) {
    let (Some(heading), Some(item)) = (LazyLock::force(&HEADING), LazyLock::force(&ITEM)) else { return };
    for (at, line) in lines.iter().enumerate() {
        let is_candidate = line.len() < 200 && (line.ends_with(':') || line.ends_with("following"));
        let Some(captures) = is_candidate.then(|| heading.captures(line)).flatten() else { continue };
        let name = captures.get(1).map(|name| name.as_str());
        let flag = captures.get(2).map(|flag| flag.as_str());
        let below = lines.iter().skip(at + 1).skip_while(|line| line.is_empty());
        let mut values: Vec<String> = Vec::new();
        for line in below.take(MAX_VALUES) {
            // A list without indentation is one line.
            let bare = values.is_empty() && line.contains(", ") && !line.contains("  ");
            let padded = if bare { format!(" {line}") } else { line.clone() };
            let Some(found) = item.captures(&padded).and_then(|found| found.get(1)) else { break };
            values.extend(
                found.as_str().split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned),
            );
            if bare {
                break;
            }
        }
        if values.len() < 2 {
            continue;
        }
        for option in
            options.iter_mut().filter(|option| option.choices.is_empty() && option.value != Value::None)
        {
            let is_named = name.is_some_and(|name| option.value_name == name)
                || flag.is_some_and(|flag| option.flags.iter().any(|own| own == flag));
            if is_named {
                option.choices.clone_from(&values);
                option.kind = ValueType::String;
            }
        }
    }
}

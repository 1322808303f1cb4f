//! Values in rows of their own beneath an option: `auto   choose it`, `fast: do less`.

use super::description::{is_combined, is_free, is_open, is_structured};
use super::{MAX_CHOICES, are_kinds, gives_examples, names_parts};
use crate::clean::indent;
use crate::hints::bare;

/// What stands between a value and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// At least two blanks, up to the column of the descriptions.
    Column(usize),
    Colon,
    Dash,
    Equals,
}

impl Gap {
    /// Whether a line that is no row is parted so.
    fn parts(self, line: &str) -> bool {
        match self {
            Self::Column(at) => {
                let begins = line.get(at..).is_some_and(|rest| !rest.starts_with(' '));
                begins && line.get(..at).is_some_and(|before| before.ends_with(' '))
            }
            Self::Colon => line.contains(": "),
            Self::Dash => line.contains(" - "),
            Self::Equals => line.contains(" = "),
        }
    }
}

/// The values of the only table in the lines of a description, if each of its rows is a value and what it means.
pub(super) fn rows(description: &str, lines: &[String], value: &str) -> Vec<String> {
    if lines.len() < 2
        || is_structured(value)
        || is_combined(description)
        || is_open(description)
        || gives_examples(description)
        || names_parts(description)
    {
        return Vec::new();
    }
    let mut values: Vec<String> = Vec::new();
    // Where the rows begin, and how they are written.
    let mut form: Option<(usize, Gap)> = None;
    let mut above = "";
    let mut is_over = false;
    for line in lines {
        let new = row(line).map(|(value, gap)| (value, (indent(line), gap)));
        match (new, form) {
            // More rows behind what is none: not all of them were read.
            (Some((_, own)), Some(form)) if own == form && is_over => return Vec::new(),
            (Some((value, own)), Some(form)) if own == form => values.push(value),
            (_, Some((start, _))) if indent(line) > start => {}
            (Some((value, own)), _) if values.len() < 2 => {
                // `NUMBER, ID   a number`, above the first that was read.
                if indent(above) == own.0 && own.1.parts(above) {
                    return Vec::new();
                }
                (values, form) = (vec![value], Some(own));
            }
            // A second table.
            (Some(_), _) => return Vec::new(),
            (None, Some((start, gap))) if indent(line) == start && gap.parts(line) => return Vec::new(),
            (None, _) if values.len() < 2 => (values, form) = (Vec::new(), None),
            (None, _) => is_over = true,
        }
        above = line;
    }
    // A row beside the flags that the others do not continue.
    let first = lines.first().and_then(|line| row(line));
    if first.is_some_and(|(value, _)| !values.contains(&value)) {
        return Vec::new();
    }
    let are_letters =
        values.iter().all(|value| value.len() == 1 && !value.starts_with(|c: char| c.is_ascii_digit()));
    let are_numbers = values.iter().all(|value| value.parse::<i64>().is_ok());
    let is_lower = |value: &String| !value.starts_with(|c: char| c.is_ascii_uppercase());
    let is_upper = |value: &String| !value.contains(|c: char| c.is_ascii_lowercase());
    let fits = (2..=MAX_CHOICES).contains(&values.len())
        && !are_letters
        && (!is_free(bare(value)) || are_numbers)
        && (values.iter().all(is_lower) || values.iter().all(is_upper))
        && !are_kinds(&values);
    if fits { values } else { Vec::new() }
}

/// The value of a row, and how it is parted from its description.
fn row(line: &str) -> Option<(String, Gap)> {
    const OTHERS: &[&str] =
        &["note", "default", "example", "see", "warning", "env", "type", "values", "format", "usage"];
    let text = line.trim_start();
    let text =
        ["* ", "- ", "• "].iter().find_map(|bullet| text.strip_prefix(bullet)).unwrap_or(text).trim_start();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let inner = quote.map_or(text, |_| text.get(1..).unwrap_or_default());
    let value = inner.get(..inner.find(|c| !is_part(c))?)?;
    let behind = inner.get(value.len()..)?;
    let behind = quote.map_or(Some(behind), |quote| behind.strip_prefix(quote))?;
    let behind = behind.strip_prefix(" (default)").unwrap_or(behind);
    let is_decimal = value.contains('.') && value.parse::<f64>().is_ok();
    if !value.starts_with(|c: char| c.is_ascii_alphanumeric()) || value.ends_with(['.', '-']) || is_decimal {
        return None;
    }
    let rest = behind.trim_start();
    let gap = if behind.starts_with("  ") && !rest.starts_with([':', '-', '=']) {
        Gap::Column(line.len() - rest.len())
    } else if rest.starts_with(": ") {
        Gap::Colon
    } else if rest.starts_with("- ") || rest.starts_with("-- ") {
        Gap::Dash
    } else if rest.starts_with("= ") {
        Gap::Equals
    } else {
        return None;
    };
    let is_other = OTHERS.contains(&value.to_lowercase().as_str());
    (!rest.is_empty() && !is_other).then(|| (value.to_owned(), gap))
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn tables_beneath_an_option_are_its_values() {
        let of = |text: &str, value: &str| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            rows(&text.replace('\n', " "), &lines, value).join(" ")
        };
        assert_eq!(of("set how\n  lan: use it\n  tunnel: go\n    far\n", "X"), "lan tunnel");
        assert_eq!(of("set how\n    0   no\n    1   yes\n    2   more\n", "N"), "0 1 2");
        assert_eq!(of("set how\n    'no' - not\n    'yes' - so\n", "X"), "no yes");
        assert_eq!(of("where it is\n", "X"), "");
        assert_eq!(of("how\n  no   not\n  yes  so\n more of it\n  one  1\n  two  2\n", "X"), "");
        assert_eq!(of("how\n  no   not\n  yes  so\n or any other word\n", "X"), "");
        assert_eq!(of("parts, comma separated\n  no   not\n  yes  so\n", "X"), "");
        assert_eq!(of("how\n  no   not\n  yes  so\n  NUM  many\n", "X"), "");
        assert_eq!(of("how\n  a   not\n  b   so\n", "X"), "");
        assert_eq!(of("set it\n  size: that of it\n", "X"), "");
    }
}

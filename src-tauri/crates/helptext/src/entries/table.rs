//! Tables in descriptions: `auto   choose it`, `fast: do less`.

/// The column at which a line begins, and what stands there.
pub(super) type Line<'l> = (usize, &'l str);

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
    fn parts(self, (indent, text): Line<'_>) -> bool {
        match self {
            Self::Column(column) => column.checked_sub(indent).is_some_and(|at| {
                let begins = text.get(at..).is_some_and(|rest| !rest.starts_with(' '));
                begins && text.get(..at).is_some_and(|before| before.ends_with(' '))
            }),
            Self::Colon => text.contains(": "),
            Self::Dash => text.contains(" - "),
            Self::Equals => text.contains(" = "),
        }
    }
}

/// What the rows of the only table in these lines begin with, if each is a word and what it means.
pub(super) fn table(lines: &[Line<'_>]) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    // Where the rows begin, and how they are written.
    let mut form: Option<(usize, Gap)> = None;
    let mut above = (0, "");
    let mut is_over = false;
    for line in lines.iter().copied() {
        let new = row(line).map(|(word, gap)| (word, (line.0, gap)));
        match (new, form) {
            // More rows behind what is none: not all of them were read.
            (Some((_, own)), Some(form)) if own == form && is_over => return Vec::new(),
            (Some((word, own)), Some(form)) if own == form => words.push(word),
            (_, Some((start, _))) if line.0 > start => {}
            (Some((word, own)), _) if words.len() < 2 => {
                // `NUMBER, ID   a number`, above the first that was read.
                if above.0 == own.0 && own.1.parts(above) {
                    return Vec::new();
                }
                (words, form) = (vec![word], Some(own));
            }
            // A second table.
            (Some(_), _) => return Vec::new(),
            (None, Some((start, gap))) if line.0 == start && gap.parts(line) => return Vec::new(),
            (None, _) if words.len() < 2 => (words, form) = (Vec::new(), None),
            (None, _) => is_over = true,
        }
        above = line;
    }
    // A row beside the flags that the others do not continue.
    let first = lines.first().copied().and_then(row);
    let is_whole = words.len() > 1 && first.is_none_or(|(word, _)| words.contains(&word));
    if is_whole { words.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

/// The first word of a row, and how it is parted from its description.
fn row((indent, text): Line<'_>) -> Option<(&str, Gap)> {
    const OTHERS: &[&str] =
        &["note", "default", "example", "see", "warning", "env", "type", "values", "format", "usage"];
    let all = text;
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
        Gap::Column(indent + all.len() - rest.len())
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
    (!rest.is_empty() && !is_other).then_some((value, gap))
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn tables_have_rows_of_one_form() {
        let of = |text: &str| {
            let lines = text.lines().map(|line| (crate::clean::indent(line), line.trim_start()));
            table(&lines.collect::<Vec<_>>()).join(" ")
        };
        assert_eq!(of("set how\n  lan: use it\n  tunnel: go\n    far\n"), "lan tunnel");
        assert_eq!(of("set how\n    0   no\n    1   yes\n    2   more\n"), "0 1 2");
        assert_eq!(of("set how\n    'no' - not\n    'yes' - so\n"), "no yes");
        assert_eq!(of("where it is\n"), "");
        assert_eq!(of("how\n  no   not\n  yes  so\n more of it\n  one  1\n  two  2\n"), "");
        assert_eq!(of("how\n  no   not\n  yes  so\n  NUM, ID  many\n  all  all\n"), "");
        assert_eq!(of("set it\n  size: that of it\n"), "");
    }
}

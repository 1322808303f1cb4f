//! Two schemas as text, line by line.
//!
//! Owns: how they are laid out and how much is shown around a change. Refuses to know: what a change means (see
//! `shape`), and how lines are drawn.

use std::time::Duration;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// Lines around a change.
const AROUND: usize = 3;
/// How long the shortest script is sought before a longer one has to do.
const LIMIT: Duration = Duration::from_millis(500);

/// The lines that differ, with some around them: ` ` the same, `-` gone, `+` new, `@@ OLD NEW` where lines are left
/// out before the ones with these numbers.
pub fn lines(old: &Value, new: &Value) -> Vec<String> {
    // Values have string keys, so writing them does not fail.
    let text = |schema: &Value| serde_json::to_string_pretty(schema).unwrap_or_default();
    let (old, new) = (text(old), text(new));
    let script = TextDiff::configure().timeout(LIMIT).diff_lines(&old, &new);
    let mut told = Vec::new();
    for group in script.grouped_ops(AROUND) {
        let starts = group.first().map(|op| (op.old_range().start, op.new_range().start));
        if let Some((old, new)) = starts.filter(|starts| *starts != (0, 0)) {
            told.push(format!("@@ {} {}", old + 1, new + 1));
        }
        for change in group.iter().flat_map(|op| script.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            told.push(format!("{sign}{}", change.value().trim_end_matches('\n')));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_goes_and_comes_is_told_with_what_is_around() {
        let old = json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        let new = json!([1, 2, 3, 4, 5, 6, "x", 8, 9, 10]);
        assert_eq!(lines(&old, &old), Vec::<String>::new());
        assert_eq!(
            lines(&old, &new),
            ["@@ 5 5", "   4,", "   5,", "   6,", "-  7,", "+  \"x\",", "   8,", "   9,", "   10"]
        );
        assert_eq!(lines(&json!(true), &json!(false)), ["-true", "+false"]);
    }
}

//! Differences of two schemas, or two texts, line by line. `compare` decides the meaning of a change of a schema.

use std::time::Duration;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;
/// Time after which the search for the shortest difference ends.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// The lines that differ, with some around them. Each begins with ` ` (unchanged), `-` (removed) or `+` (added);
/// `@@ OLD NEW` gives the line numbers behind lines that are left out.
pub fn lines(old: &Value, new: &Value) -> Vec<String> {
    // Values have string keys, so writing them does not fail.
    let text = |schema: &Value| serde_json::to_string_pretty(schema).unwrap_or_default();
    lines_of_text(&text(old), &text(new))
}

/// The same for two texts.
pub(crate) fn lines_of_text(old: &str, new: &str) -> Vec<String> {
    let script = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
    let mut found = Vec::new();
    for group in script.grouped_ops(CONTEXT_LINES) {
        let starts = group.first().map(|op| (op.old_range().start, op.new_range().start));
        if let Some((old, new)) = starts.filter(|starts| *starts != (0, 0)) {
            found.push(format!("@@ {} {}", old + 1, new + 1));
        }
        for change in group.iter().flat_map(|op| script.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            found.push(format!("{sign}{}", change.value().trim_end_matches('\n')));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changed_lines_are_shown_with_context() {
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

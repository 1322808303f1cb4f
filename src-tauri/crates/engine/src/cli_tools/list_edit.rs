//! Edits of a list in a JSON file that leave everything else byte for byte: people lay such files out as they like.

use std::ops::Range;

use schemascope_json::jsonc::{self, Node, Ranged as _};
use schemascope_json::splice_text;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::PrettyFormatter;

/// The text with another list under a key of the document. `None` if there is no such list in it.
pub(super) fn with_list(text: &str, key: &str, before: &[Value], after: &[Value]) -> Option<String> {
    let tree = jsonc::parse(text).ok()?;
    let Some(Node::Object(root)) = &tree.root else { return None };
    let Node::Array(list) = &root.get(key)?.value else { return None };
    let places: Vec<Range<usize>> =
        list.elements.iter().map(|element| element.start()..element.end()).collect();
    if places.len() != before.len() {
        return None;
    }
    let layout = Layout::of(text, list.start(), places.first());
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut removed: Vec<usize> = Vec::new();
    let (mut at, is_shorter) = (0, after.len() < before.len());
    for (n, value) in before.iter().enumerate() {
        match after.get(at) {
            Some(new) if new == value => at += 1,
            Some(new) if !is_shorter => {
                edits.push((places.get(n)?.clone(), layout.written(new)));
                at += 1;
            }
            _ => removed.push(n),
        }
    }
    let inside = list.start() + 1..list.end() - 1;
    for run in removed.chunk_by(|one, next| one + 1 == *next) {
        let (first, last) = (*run.first()?, *run.last()?);
        let before = first.checked_sub(1).and_then(|before| places.get(before));
        // With the comma and the blanks that would be left.
        let place = match (before, places.get(last + 1)) {
            (_, Some(next)) => places.get(first)?.start..next.start,
            (Some(before), None) => before.end..places.get(last)?.end,
            (None, None) => inside.clone(),
        };
        edits.push((place, String::new()));
    }
    for new in after.get(at..)? {
        let written = layout.written(new);
        match places.last() {
            Some(last) => edits.push((last.end..last.end, format!(",{}{written}", layout.gap))),
            None => edits.push((inside.clone(), format!("{}{written}{}", layout.gap, layout.end))),
        }
    }
    Some(splice_text(text, &mut edits))
}

/// How items are laid out.
struct Layout {
    /// What stands between two items, behind the comma: a blank, or a line break and blanks.
    gap: String,
    /// What stands between the last item and the bracket.
    end: String,
    /// Blanks of one level.
    unit: String,
    newline: &'static str,
}

impl Layout {
    fn of(text: &str, list: usize, first: Option<&Range<usize>>) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let blanks = |at: usize| -> &str {
            let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
            &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
        };
        let outer = blanks(list);
        let is_single = !text.trim_end().contains('\n');
        let own = first.and_then(|first| {
            let before = &text[list + 1..first.start];
            before.contains('\n').then(|| blanks(first.start).to_owned())
        });
        let unit =
            if outer.contains('\t') || text.contains("\n\t") { "\t".to_owned() } else { "  ".to_owned() };
        let own = match (own, first) {
            (Some(own), _) => own,
            (None, Some(_)) => {
                return Self { gap: " ".into(), end: String::new(), unit: String::new(), newline };
            }
            (None, None) if is_single => {
                return Self { gap: String::new(), end: String::new(), unit: String::new(), newline };
            }
            (None, None) => format!("{outer}{unit}"),
        };
        let unit = own.strip_prefix(outer).filter(|unit| !unit.is_empty()).map_or(unit, str::to_owned);
        Self { gap: format!("{newline}{own}"), end: format!("{newline}{outer}"), unit, newline }
    }

    /// A new item.
    fn written(&self, value: &Value) -> String {
        if self.unit.is_empty() {
            return value.to_string();
        }
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        let _ = value.serialize(&mut serializer);
        let text = String::from_utf8(bytes).unwrap_or_default();
        let own = self.gap.trim_start_matches(['\r', '\n']);
        text.replace('\n', &format!("{}{own}", self.newline))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, after: &[Value], expected: &str) {
        let before: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        let before = before["tools"].as_array().unwrap();
        let bare = text.trim_start_matches('\u{feff}');
        assert_eq!(with_list(bare, "tools", before, after).unwrap(), expected);
        // What is added and removed again leaves nothing behind.
        let written: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(written["tools"].as_array().unwrap(), after);
        assert_eq!(
            with_list(expected, "tools", after, before).map(|text| text.trim().len()),
            Some(bare.trim().len())
        );
    }

    #[test]
    fn with_list_changes_items_only() {
        let (a, b, c) = (json!({"n": 2.5}), json!({"n": 1}), json!({"c": [1]}));
        let lines = "{\r\n\t\"x\": 1e3,\r\n\t\"tools\": [\r\n\t\t{\"n\":  2.50}\r\n\t]\r\n}\r\n";
        let read: Value = serde_json::from_str("2.50").unwrap();
        let first = json!({ "n": read });
        check(
            lines,
            &[first.clone(), c.clone()],
            "{\r\n\t\"x\": 1e3,\r\n\t\"tools\": [\r\n\t\t{\"n\":  2.50},\r\n\t\t{\r\n\t\t\t\"c\": [\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}\r\n",
        );
        check(
            "{\"tools\":[], \"u\":\"\\u00fc\"}",
            std::slice::from_ref(&b),
            "{\"tools\":[{\"n\":1}], \"u\":\"\\u00fc\"}",
        );
        check("{\"tools\": [{\"n\":1}]}", &[b.clone(), a.clone()], "{\"tools\": [{\"n\":1}, {\"n\":2.5}]}");
        let three = "{\n  \"tools\": [\n    {\"n\":1},\n    {\"m\": 1 },\n    {\"k\": 1}\n  ]\n}\n";
        let m = json!({"m": 1});
        let k = json!({"k": 1});
        let list = |text: &str, after: &[Value]| {
            let before: Value = serde_json::from_str(text).unwrap();
            with_list(text, "tools", before["tools"].as_array().unwrap(), after).unwrap()
        };
        assert_eq!(
            list(three, &[b.clone(), k.clone()]),
            "{\n  \"tools\": [\n    {\"n\":1},\n    {\"k\": 1}\n  ]\n}\n"
        );
        assert_eq!(
            list(three, &[b.clone(), m.clone()]),
            "{\n  \"tools\": [\n    {\"n\":1},\n    {\"m\": 1 }\n  ]\n}\n"
        );
        assert_eq!(list(three, std::slice::from_ref(&b)), "{\n  \"tools\": [\n    {\"n\":1}\n  ]\n}\n");
        assert_eq!(list(three, std::slice::from_ref(&k)), "{\n  \"tools\": [\n    {\"k\": 1}\n  ]\n}\n");
        assert_eq!(list(three, &[]), "{\n  \"tools\": []\n}\n");
        assert_eq!(
            list(three, &[b, json!({"m": 2}), k]),
            "{\n  \"tools\": [\n    {\"n\":1},\n    {\n      \"m\": 2\n    },\n    {\"k\": 1}\n  ]\n}\n"
        );
        assert_eq!(with_list("{}", "tools", &[], &[]), None);
    }
}

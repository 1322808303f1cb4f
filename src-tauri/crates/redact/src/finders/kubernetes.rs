//! Values of Kubernetes Secrets in YAML: whatever their keys are, `kind: Secret` says what they are.

use memchr::memmem;

use crate::edits::Span;

/// Keys of the maps with the values.
const MAPS: [&str; 2] = ["data:", "stringData:"];

/// Finds the values in all documents of a text that has a Secret.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    if memmem::find(text.as_bytes(), b"kind: Secret").is_none() {
        return;
    }
    let mut margin = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content.is_empty() {
            continue;
        }
        if MAPS.contains(&content) {
            margin = Some(indent);
        } else if margin.is_some_and(|margin| indent <= margin) {
            margin = None;
        } else if margin.is_some() {
            // Lines of a block have no key.
            let value = content.split_once(": ").map_or(content, |(_, value)| value.trim());
            let is_mark = matches!(value, "|" | "|-" | ">" | ">-" | "\"\"" | "''") || value.ends_with(':');
            let from = at + line.trim_end().len() - value.len();
            spans.extend((!is_mark).then_some(from..from + value.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        super::super::found_by(find, text)
    }

    #[test]
    fn values_of_a_secret_are_found_under_any_key() {
        let text = "apiVersion: v1\ndata:\n  foo: SzhzZl85\n  cert: |\n    TElORTE=\nkind: Secret\nmetadata:\n  name: db\n";
        assert_eq!(found(text), ["SzhzZl85", "TElORTE="]);
        let text = "- kind: Secret\n  stringData:\n    foo: x y\n  type: Opaque\n";
        assert_eq!(found(text), ["x y"]);
        assert_eq!(found("kind: ConfigMap\ndata:\n  foo: bar\n"), Vec::<&str>::new());
    }
}

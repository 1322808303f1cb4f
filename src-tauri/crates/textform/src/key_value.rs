//! Lines `key: value`, plain or as a list with bold keys, below at most one title.

use serde_json::{Map, Value};

/// Fewest lines.
const MIN_KEYS: usize = 3;
/// Most lines. Longer texts are logs.
const MAX_KEYS: usize = 100;
/// Limit of a key's length in bytes.
const MAX_KEY: usize = 40;
/// Most words of a key. More are a sentence.
const MAX_WORDS: usize = 4;

/// Returns the lines as an object of strings.
pub(crate) fn read(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.next_if(|line| is_title(line));
    let mut members = Map::new();
    for line in lines {
        let (key, value) = pair(line)?;
        let is_new = members.insert(key.to_owned(), Value::from(value)).is_none();
        (is_new && members.len() <= MAX_KEYS).then_some(())?;
    }
    (members.len() >= MIN_KEYS).then(|| Value::Object(members).to_string())
}

fn is_title(line: &str) -> bool {
    line.starts_with('#') || line.strip_suffix(':').is_some_and(|title| !title.contains(':'))
}

/// The key and value of a line.
fn pair(line: &str) -> Option<(&str, &str)> {
    let line =
        ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim_start();
    let (key, value) = match line.strip_prefix("**") {
        // Both `**key:** value` and `**key**: value` are common.
        Some(bold) => {
            let (key, rest) = bold.split_once("**")?;
            match key.strip_suffix(':') {
                Some(key) => (key, rest),
                None => (key, rest.strip_prefix(':')?),
            }
        }
        None => line.split_once(':')?,
    };
    let is_separated = value.is_empty() || value.starts_with([' ', '\t']);
    (is_separated && is_key(key)).then_some((key, value.trim()))
}

fn is_key(key: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || " _-./()".contains(c);
    key.len() <= MAX_KEY
        && key.starts_with(char::is_alphabetic)
        && key.chars().all(is_part)
        && key.split(' ').count() <= MAX_WORDS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn read_takes_lines_below_a_title() {
        let expect = json!({"Name": "Argo", "Crew size": "50", "Home port": ""});
        for text in [
            "Name: Argo\nCrew size: 50\nHome port:",
            "Ship:\nName: Argo\n\nCrew size: 50\nHome port: ",
            "# Ship\n\n- **Name:** Argo\n- **Crew size**: 50\n* Home port:",
        ] {
            assert_eq!(serde_json::from_str::<Value>(&read(text).unwrap()).unwrap(), expect, "{text}");
        }
    }

    #[test]
    fn read_rejects_other_lines() {
        for text in [
            "a: 1\nb: 2",
            "a: 1\nb: 2\na: 3",
            "a: 1\nb: 2\nc: 3\nand more",
            "http://a\nhttp://b\nhttp://c",
            "12:30 x\n12:31 y\n12:32 z",
            "This is a long sentence with: a colon\na: 1\nb: 2\nc: 3",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn read_returns_the_pairs_that_were_written(
            pairs in prop::collection::btree_map("[A-Z][a-z]{1,8}( [a-z]{1,5}){0,2}", "[!-~]([ -~]{0,20}[!-~])?", 3..10)
        ) {
            let text: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {value}")).collect();
            let json: Value = serde_json::from_str(&read(&text.join("\n")).unwrap()).unwrap();
            prop_assert_eq!(json, json!(pairs));
        }
    }
}

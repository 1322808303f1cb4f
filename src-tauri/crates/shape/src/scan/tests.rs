//! Tests of what is read, also against other readers.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Rebuilds the document from its tokens.
fn parse(document: &[u8]) -> Result<Value, Unreadable> {
    let mut tokens = Vec::new();
    scan(document, &mut tokens)?;
    let (mut stack, mut keys) = (vec![Value::Array(Vec::new())], Vec::new());
    let put = |stack: &mut Vec<Value>, keys: &mut Vec<String>, value| match stack.last_mut() {
        Some(Value::Array(items)) => items.push(value),
        Some(Value::Object(fields)) => drop(fields.insert(keys.pop().unwrap(), value)),
        _ => unreachable!(),
    };
    for token in tokens {
        let value = match token {
            Token::Null => Value::Null,
            Token::Boolean(value) => value.into(),
            // serde_json rejects numbers too large for a float.
            Token::Integer(text) | Token::Number(text) => serde_json::from_str(text).unwrap_or_default(),
            Token::String(text) => text.decoded().into_owned().into(),
            Token::Key(text) => {
                keys.push(text.decoded().into_owned());
                continue;
            }
            Token::BeginObject => {
                stack.push(Value::Object(serde_json::Map::new()));
                continue;
            }
            Token::BeginArray => {
                stack.push(Value::Array(Vec::new()));
                continue;
            }
            Token::EndObject | Token::EndArray => stack.pop().unwrap(),
        };
        put(&mut stack, &mut keys, value);
    }
    Ok(stack.pop().unwrap()[0].take())
}

#[test]
fn strings_are_decoded() {
    let text = r#"["\ud83d\ude00é\n\/\"\\\u0000","\\ud83d",{"\u0061":1}]"#;
    assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(parse(br#""\ud83dx\ude00""#).unwrap(), "\u{fffd}x\u{fffd}");
}

#[test]
fn lone_surrogates_are_distinguished_from_pairs_and_escaped_backslashes() {
    let lone = |json: &str| {
        let mut tokens = Vec::new();
        scan(json.as_bytes(), &mut tokens).unwrap();
        matches!(tokens[0], Token::String(text) if text.has_lone_surrogate())
    };
    assert!(lone(r#""\ud83d""#) && lone(r#""\ude00\ud83d""#) && lone(r#""é\ud83d\n""#));
    assert!(!lone(r#""\ud83d\ude00""#) && !lone(r#""\\ud83d""#) && !lone(r#""ud83d""#));
}

#[test]
fn depth_is_unlimited() {
    let levels = 1_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(levels) + "1" + &close.repeat(levels);
        assert!(scan(deep.as_bytes(), &mut ()).is_ok());
        assert!(scan(&deep.as_bytes()[..deep.len() - 1], &mut ()).is_err());
    }
    let mixed = "[{\"a\":".repeat(levels) + "1" + &"}]".repeat(levels);
    assert!(scan(mixed.as_bytes(), &mut ()).is_ok());
    assert!(scan(mixed.replace("1}]}", "1}}]").as_bytes(), &mut ()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Everything that serde_json reads gives the same result. Everything it rejects is rejected,
    /// except for surrogates and ranges.
    #[test]
    fn agrees_with_serde_json(text in "[\\[\\]{}\",:0-9a-z\\\\ .eE+\u{e9}\u{1}tfn-]{0,40}|[\\[{]?(\"a\":|\"[\u{e9}a-c\\\\\"u0-9]{0,9}\"|-?[0-9]{1,3}(\\.[0-9]{1,2})?([eE][+-]?[0-9])?|true|false|null|[,:\\[\\]{} ]){1,9}[\\]}]?") {
        let ours = parse(text.as_bytes());
        match serde_json::from_str::<Value>(&text) {
            Ok(theirs) => prop_assert_eq!(ours.unwrap(), theirs),
            Err(error) => {
                let known = error.to_string();
                let lenient = ["surrogate", "unexpected end of hex escape", "out of range"].iter().any(|word| known.contains(word));
                prop_assert!(ours.is_err() || lenient, "{} is no JSON: {}", text, known);
            }
        }
    }

    #[test]
    fn documents_are_read_completely(values in prop::collection::vec("[a-z\"\\\\\n\u{1F600}\u{e9}]{0,20}", 0..20)) {
        let text = serde_json::to_string(&values).unwrap();
        prop_assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::to_value(&values).unwrap());
    }
}

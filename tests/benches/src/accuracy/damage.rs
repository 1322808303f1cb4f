//! Damages one value: another value, a broken format, changed items, other names. *Frozen*.

use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use schemascope_benches::words::WORDS;
use serde_json::{Map, Value, json};

/// A value of the same type that no enum lists.
pub fn another_value(value: &mut Value, random: &mut Random) {
    if let Some(number) = value.as_i64() {
        let other = match random.below(3) {
            0 => number.saturating_add(1_000),
            1 => number.saturating_neg().saturating_sub(1),
            _ => random.within(0, 100_000),
        };
        *value = json!(other);
        return;
    }
    let text = value.as_str().unwrap_or_default();
    let other = match random.below(5) {
        0 => text.to_uppercase(),
        1 => format!("{text}s"),
        2 => format!("{}_{}", random.one(WORDS), random.one(WORDS)),
        3 => "unknown".to_owned(),
        _ => (random.one(WORDS)).to_owned(),
    };
    *value = json!(other);
}

/// A text that is nearly right, or what people write instead.
pub fn break_format(text: &str, random: &mut Random) -> String {
    match random.below(7) {
        0 => {
            let letters: Vec<char> = text.chars().collect();
            letters[..letters.len() / 2].iter().collect()
        }
        1 => text.replace(['-', ':', '@', '/', '.'], " "),
        2 => "n/a".to_owned(),
        3 => "03/14/2024".to_owned(),
        4 => random.within(1_500_000_000, 1_800_000_000).to_string(),
        5 => format!("{text} ({})", random.one(WORDS)),
        _ => (random.one(WORDS)).to_owned(),
    }
}

/// Changes what an array holds: one item, the order, the length.
pub fn item(value: &mut Value, random: &mut Random) {
    let Some(items) = value.as_array_mut() else { return };
    let at = random.below(items.len());
    match random.below(5) {
        0 | 1 => {
            let candidates =
                [json!(text("word", random)), json!(random.within(0, 99)), Value::Null, json!({}), json!([])];
            items[at] = random.pick(&candidates).clone();
        }
        2 => {
            let other = random.below(items.len());
            items.swap(at, other);
        }
        3 => {
            items.remove(at);
        }
        _ => items.push(items[at].clone()),
    }
}

/// The same field under the name another developer would have chosen.
pub fn rename(object: &mut Map<String, Value>, key: &str, random: &mut Random) {
    let Some(value) = object.shift_remove(key) else { return };
    let camel: String = key
        .split('_')
        .enumerate()
        .map(|(at, part)| {
            if at == 0 {
                part.to_owned()
            } else {
                part[..part.len().min(1)].to_uppercase() + part.get(1..).unwrap_or("")
            }
        })
        .collect();
    let name = match random.below(4) {
        0 if camel != key => camel,
        1 => format!("{key}s"),
        2 => format!("new_{key}"),
        _ => (random.one(WORDS)).to_owned(),
    };
    object.insert(name, value);
}

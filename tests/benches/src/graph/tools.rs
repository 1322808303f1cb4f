//! Tools that feed each other: one in the middle, 30 behind it, and 9 behind each of these, which take what others give as
//! well; all further ones likewise, from ids that are drawn.

use schemascope_benches::random::Random;
use serde_json::{Value, json};

/// The tool in the middle.
pub(super) const FOCUS: &str = "list_root";
/// Tools behind the one in the middle, and behind each of these.
const NEAR: usize = 30;
const FAR: usize = 9;

const NOUNS: &[&str] = &[
    "invoice",
    "parcel",
    "ticket",
    "booking",
    "patient",
    "sample",
    "asset",
    "tenant",
    "vessel",
    "pallet",
    "course",
    "payment",
    "route",
    "sensor",
    "report",
    "contract",
    "vehicle",
    "student",
    "batch",
    "device",
    "permit",
    "claim",
    "survey",
    "lease",
    "voucher",
    "shift",
    "locker",
    "recipe",
    "engine",
    "parcel_stop",
];
const KINDS: &[&str] =
    &["draft", "archive", "audit", "return", "estimate", "sales", "branch", "partner", "transit", "support"];

/// What an id is of, by number.
fn noun(number: usize) -> String {
    let kind = number / NOUNS.len() % (KINDS.len() + 1);
    let noun = NOUNS[number % NOUNS.len()];
    if kind == 0 { noun.to_owned() } else { format!("{}_{noun}", KINDS[kind - 1]) }
}

/// Name of a tool.
pub(super) fn name(number: usize) -> String {
    match number {
        0 => FOCUS.to_owned(),
        number => format!("show_{}_{number}", noun(number)),
    }
}

/// The ids that a tool takes and those that it gives.
fn ids(number: usize) -> (Vec<String>, Vec<String>) {
    let id = |noun: String| format!("{noun}_id");
    let mut random = Random::new(3, &format!("tool {number}"));
    let drawn = |random: &mut Random, count: usize| -> Vec<String> {
        // Not of the kind that the tools around the middle have.
        (0..count).map(|_| id(noun(NOUNS.len() + random.below(NOUNS.len() * KINDS.len())))).collect()
    };
    if number == 0 {
        (Vec::new(), vec!["root_id".to_owned()])
    } else if number <= NEAR {
        (vec!["root_id".to_owned()], vec![id(noun(number - 1))])
    } else if number <= NEAR + NEAR * FAR {
        let own = (number - NEAR - 1) / FAR;
        let others = [(own + 1 + random.below(NEAR - 1)) % NEAR, (own + 1 + random.below(NEAR - 1)) % NEAR];
        let taken = [own, others[0], others[1]].map(|other| id(noun(other)));
        (taken.into(), Vec::new())
    } else {
        (drawn(&mut random, 3), drawn(&mut random, 3))
    }
}

/// The definitions.
pub(super) fn list(count: usize) -> Vec<Value> {
    let schema = |ids: &[String], more: &[&str]| {
        let fields = ids.iter().map(String::as_str).chain(more.iter().copied());
        let properties: serde_json::Map<String, Value> =
            fields.map(|field| (field.to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties, "required": ids})
    };
    let tool = |number: usize| {
        let (taken, given) = ids(number);
        json!({
            "name": name(number), "description": format!("Shows number {number}"),
            "inputSchema": schema(&taken, &[]), "outputSchema": schema(&given, &["colour", "remark"]),
        })
    };
    (0..count).map(tool).collect()
}

/// The result of a tool.
pub(super) fn answer(name: &Value) -> Value {
    let number = (0..).take(1_000).find(|number| *name == self::name(*number)).unwrap_or_default();
    let (_, given) = ids(number);
    let mut result = serde_json::Map::new();
    result.extend(given.into_iter().map(|id| (id.clone(), json!(format!("{id}_{number}7")))));
    result.insert("colour".to_owned(), json!("red"));
    let text = Value::Object(result.clone()).to_string();
    json!({"content": [{"type": "text", "text": text}], "structuredContent": result})
}

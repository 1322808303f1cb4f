//! Lists of which a server sends each item in a text block, or on a line, of its own.
//!
//! One result does not tell a list of one item from an item, nor an empty list from no value. Once a tool has sent
//! several items at once, all its results are lists.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::Carrier;
use schemascope_shape::Policy;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::observation::{Observation, has_empty_content};
use crate::tool::Tool;

/// Items of a list that are compared.
const COMPARED: usize = 16;
/// Bytes that a value without content takes at most.
const SHORT: usize = 64;
/// Most observations of a tool that is found to send items. What has sent single values for longer has changed.
const MAX_EARLIER: u64 = 1_000;

impl Tool {
    /// Whether it sends each item of a list in a text of its own.
    pub fn sends_items(&self) -> bool {
        self.sends_items
    }

    /// Learns single values as lists from now on. What they taught before would be alternatives of the list.
    pub(crate) fn expect_items(&mut self) {
        if self.sends_items || self.shape.observations() > MAX_EARLIER {
            return;
        }
        let root = self.shape.root(&Policy::default());
        let types: BTreeSet<&str> =
            root.iter().flat_map(|root| &root.types).map(|kind| kind.name.as_str()).collect();
        // A list within one text says that other values are none.
        if types.contains("array") {
            return;
        }
        self.sends_items = true;
        if !types.is_subset(&BTreeSet::from(["string"])) {
            self.forget_text();
            self.machines.apart.values_mut().for_each(Self::forget_text);
        }
    }
}

/// The observation of a tool that sends each item of a list in a text of its own, if it differs from what the result
/// teaches alone: one item is a list, and so is a result without any. Whether the tool does is asked only if it matters.
pub fn in_list<'a>(
    observation: Option<&'a Observation<'_>>,
    result: Option<&RawValue>,
    sends_items: impl FnOnce() -> bool,
) -> Option<Observation<'a>> {
    let is_empty = || result.is_some_and(has_empty_content);
    let Some(one) = observation else {
        return (is_empty() && sends_items()).then(|| Observation::new(Carrier::JsonInText, "[]"));
    };
    let json = one.json.trim();
    let is_nothing = match one.carrier {
        // What was sent is the text in `{"result": text}`.
        Carrier::Structured => one.sent.as_deref().is_some_and(is_blank) || is_empty_list(json) && is_empty(),
        Carrier::Text => is_blank(json),
        Carrier::JsonInText | Carrier::MarkdownJson if !json.starts_with('[') => false,
        _ => return None,
    };
    let is_other = matches!(one.carrier, Carrier::Structured | Carrier::Text) && !is_nothing;
    if is_other || !sends_items() {
        return None;
    }
    let sent = Some(one.sent.as_deref().unwrap_or(&one.json).into());
    Some(match is_nothing {
        true => Observation { sent, ..Observation::new(Carrier::JsonInText, "[]") },
        false => Observation { sent, ..Observation::new(one.carrier, format!("[{json}]")) },
    })
}

/// Whether a string has nothing but white space.
fn is_blank(json: &str) -> bool {
    json.len() < SHORT && serde_json::from_str::<String>(json).is_ok_and(|text| text.trim().is_empty())
}

/// Whether it is `{"result": []}`.
fn is_empty_list(json: &str) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped {
        #[serde(rename = "result")]
        _result: [IgnoredAny; 0],
    }
    json.len() < SHORT && serde_json::from_str::<Wrapped>(json).is_ok()
}

/// Whether the values of a list are of one kind: objects that share half of the keys of the smallest, or scalars of one
/// type. Some servers add a block with other data to a result, and that makes no list.
pub(crate) fn are_alike(list: &str) -> bool {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(list) else { return false };
    let items = &items[..items.len().min(COMPARED)];
    let kinds: BTreeSet<u8> = items.iter().filter_map(|item| kind(item.get())).collect();
    match kinds.first() {
        Some(b'[') | None => false,
        Some(b'{') if kinds.len() == 1 => share_keys(items),
        _ => kinds.len() == 1,
    }
}

/// First character of a value, the same for all numbers and both booleans.
fn kind(json: &str) -> Option<u8> {
    let first = json.trim_start().bytes().next()?;
    Some(match first {
        b'0'..=b'9' => b'-',
        b'f' => b't',
        other => other,
    })
}

fn share_keys(objects: &[&RawValue]) -> bool {
    let keys = |object: &&RawValue| -> Option<BTreeSet<String>> {
        let members: BTreeMap<String, IgnoredAny> = serde_json::from_str(object.get()).ok()?;
        Some(members.into_keys().collect())
    };
    let Some(sets) = objects.iter().map(keys).collect::<Option<Vec<_>>>() else { return false };
    let fewest = sets.iter().map(BTreeSet::len).min().unwrap_or_default();
    let shared = sets.into_iter().reduce(|mine, other| &mine & &other).unwrap_or_default().len();
    shared > 0 && shared * 2 >= fewest
}

#[cfg(test)]
mod tests {
    use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp};
    use serde_json::{Value, json};

    use super::*;
    use crate::observation::observe;

    fn result(texts: &[Value]) -> Box<RawValue> {
        let block = |text: &Value| {
            let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
            json!({"type": "text", "text": text})
        };
        let content: Vec<Value> = texts.iter().map(block).collect();
        serde_json::value::to_raw_value(&json!({ "content": content })).unwrap()
    }

    fn schema(results: &[Vec<Value>]) -> Value {
        let (mut tool, ids) = (Tool::default(), IdSource::new(0, 0));
        for texts in results {
            let at = Timestamp::from_millis(1);
            let id = "s__t".parse().unwrap();
            let call = CallRecord::new(ids.live(at), at, id, Outcome::Ok, Origin::Proxy);
            tool.record(&CallRecord { result: Some(result(texts)), ..call });
        }
        tool.shape.schema(&Policy::default())
    }

    /// Regression: a tool that sends 0 to 3 hits in a block each was learned as an object or a list.
    #[test]
    fn single_items_are_lists_once_several_were_sent() {
        let hits =
            |count: usize| (0..count).map(|n| json!({"id": n, "name": format!("n{n}")})).collect::<Vec<_>>();
        for order in [[0, 1, 2, 3, 1, 0], [3, 2, 1, 0, 1, 1], [1, 1, 1, 0, 2, 0]] {
            let results: Vec<_> = order.iter().chain(&[1; 20]).map(|count| hits(*count)).collect();
            let schema = schema(&results);
            assert_eq!(schema["type"], "array", "{order:?} {schema}");
            assert_eq!(schema["items"]["required"], json!(["id", "name"]), "{order:?} {schema}");
        }
        assert_eq!(schema(&[hits(1), hits(1)])["type"], "object");
    }

    #[test]
    fn other_data_beside_a_result_makes_no_list() {
        let one = json!({"id": 1, "name": "a"});
        let with_other = vec![one.clone(), json!({"took_ms": 3})];
        assert_ne!(schema(&[vec![one.clone()], with_other, vec![one]])["type"], "array");
        let list = json!([{"id": 1}]);
        let kinds = schema(&[vec![list], vec![json!({"id": 1}), json!({"id": 2})], vec![json!({"id": 3})]]);
        assert_ne!(kinds["type"], "array", "{kinds}");
    }

    #[test]
    fn are_alike_compares_keys_and_types() {
        for list in ["[{\"a\":1,\"b\":2},{\"a\":2}]", "[1,-2.5]", "[true,false]", "[\"a\",\"b\"]"] {
            assert!(are_alike(list), "{list}");
        }
        for list in ["[{\"a\":1},{\"b\":2}]", "[1,\"a\"]", "[[1],[2]]", "[{},{}]", "[{\"a\":1},2]", "[]", "x"]
        {
            assert!(!are_alike(list), "{list}");
        }
    }

    #[test]
    fn in_list_leaves_lists_structure_and_texts_alone() {
        let observed = |result: &Value| {
            let raw = serde_json::value::to_raw_value(result).unwrap();
            let observation = observe(&raw);
            in_list(observation.as_ref(), Some(&raw), || true).map(|one| one.json.into_owned())
        };
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        assert_eq!(observed(&text("{\"a\":1}")).as_deref(), Some("[{\"a\":1}]"));
        assert_eq!(observed(&text("7")).as_deref(), Some("[7]"));
        for nothing in [
            json!({"content": []}),
            text(" "),
            text(""),
            json!({"content": [], "structuredContent": {"result": []}}),
            json!({"content": [], "structuredContent": {"result": ""}}),
        ] {
            assert_eq!(observed(&nothing).as_deref(), Some("[]"), "{nothing}");
        }
        for other in [
            text("[1]"),
            text("no hits"),
            json!({"content": [], "structuredContent": {"a": 1}}),
            json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            json!({"content": [], "isError": true}),
            json!({}),
        ] {
            assert_eq!(observed(&other), None, "{other}");
        }
    }
}

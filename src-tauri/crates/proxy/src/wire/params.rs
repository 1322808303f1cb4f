//! The few values of `params` that a proxy must read, and replacing them in place.

use std::ops::Range;

use bytes::Bytes;
use schemascope_json::{Members, range_within};
use serde_json::value::RawValue;

/// A value inside an object, with its place there.
#[derive(Debug, Clone)]
pub(crate) struct FieldValue {
    pub(crate) range: Range<usize>,
    pub(crate) raw: Bytes,
}

/// Parts of a request's `params` that a proxy must read.
#[derive(Debug, Default)]
pub(crate) struct KnownParams {
    pub(crate) name: Option<FieldValue>,
    pub(crate) arguments: Option<Bytes>,
    pub(crate) progress_token: Option<FieldValue>,
}

impl KnownParams {
    /// Reads `params`. Nothing is found in what is not an object: it is forwarded unchanged, and the upstream
    /// rejects it.
    pub(crate) fn of(params: Option<&Bytes>) -> Self {
        let Some(params) = params else { return Self::default() };
        let Some(members) = Members::of(params) else { return Self::default() };
        let meta = members.get("_meta").and_then(|meta| Members::of(meta.get().as_bytes()));
        Self {
            name: members.get("name").map(|raw| found(params, raw)),
            arguments: members.get("arguments").map(|raw| found(params, raw).raw),
            progress_token: meta.and_then(|meta| {
                // Some serializers write null for what there is not.
                let token = meta.get("progressToken").filter(|raw| raw.get() != "null");
                token.map(|raw| found(params, raw))
            }),
        }
    }

    /// The `name`, if it is text.
    pub(crate) fn name(&self) -> Option<String> {
        self.name.as_ref().and_then(|name| serde_json::from_slice(&name.raw).ok())
    }
}

/// The raw value of one key of an object.
pub(crate) fn field(object: &Bytes, key: &str) -> Option<FieldValue> {
    Members::of(object)?.get(key).map(|raw| found(object, raw))
}

fn found(whole: &Bytes, raw: &RawValue) -> FieldValue {
    let range = range_within(whole, raw.get());
    FieldValue { raw: whole.slice(range.clone()), range }
}

/// The text at one key of an object.
pub(crate) fn text(object: &Bytes, key: &str) -> Option<String> {
    serde_json::from_slice(&field(object, key)?.raw).ok()
}

/// The object with these fields set, each to a raw value: in place where it has the field, else in front. Anything
/// that is not an object is replaced by one.
pub(crate) fn with(object: Option<&Bytes>, fields: &[(&str, &[u8])]) -> Bytes {
    let empty = Bytes::from_static(b"{}");
    let known = object.and_then(|object| Some((object, Members::of(object)?)));
    let (object, known) = known.unwrap_or((&empty, Members::default()));
    let mut edits = Vec::new();
    let mut inserted = Vec::new();
    for (name, value) in fields {
        match known.get(name) {
            Some(raw) => edits.push((range_within(object, raw.get()), value.to_vec())),
            None => {
                inserted.extend_from_slice(serde_json::Value::from(*name).to_string().as_bytes());
                inserted.push(b':');
                inserted.extend_from_slice(value);
                inserted.push(b',');
            }
        }
    }
    if known.is_empty() {
        inserted.pop();
    }
    // An object may begin with white space.
    let start = object.iter().position(|byte| *byte == b'{').map_or(0, |at| at + 1);
    if !inserted.is_empty() {
        edits.push((start..start, inserted));
    }
    splice(object, edits)
}

/// The object without these fields.
pub(crate) fn without(object: &Bytes, names: &[&str]) -> Bytes {
    let Some(members) = Members::of(object) else { return object.clone() };
    if names.iter().all(|name| members.get(name).is_none()) {
        return object.clone();
    }
    let kept = members.except(names).map(|(key, value)| format!("{key}:{value}"));
    format!("{{{}}}", kept.collect::<Vec<_>>().join(",")).into()
}

/// Replaces ranges of `bytes`, given in any order and not overlapping.
pub(crate) fn splice(bytes: &Bytes, mut edits: Vec<(Range<usize>, Vec<u8>)>) -> Bytes {
    if edits.is_empty() {
        return bytes.clone();
    }
    schemascope_json::splice(bytes, &mut edits).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splice_replaces_name_and_token_and_keeps_all_other_bytes() {
        let params = Bytes::from_static(
            br#"{ "x":1.10, "_meta":{"k":1E5,"progressToken" : "a\u0062"},"name":"git__\u0073tatus","arguments":{"a":1,"a":2}}"#,
        );
        let seen = KnownParams::of(Some(&params));
        assert_eq!(seen.name().as_deref(), Some("git__status"));
        assert_eq!(seen.arguments.as_deref(), Some(&br#"{"a":1,"a":2}"#[..]));
        let (name, token) = (seen.name.unwrap(), seen.progress_token.unwrap());
        assert_eq!(token.raw.as_ref(), br#""a\u0062""#);
        let spliced =
            splice(&params, vec![(name.range, b"\"status\"".to_vec()), (token.range, b"17".to_vec())]);
        assert_eq!(
            spliced.as_ref(),
            br#"{ "x":1.10, "_meta":{"k":1E5,"progressToken" : 17},"name":"status","arguments":{"a":1,"a":2}}"#
        );
    }

    #[test]
    fn with_sets_fields_in_place_or_in_front() {
        for (object, expect) in [
            (None, r#"{"a":1,"b":{}}"#),
            (Some("null"), r#"{"a":1,"b":{}}"#),
            (Some(" { } "), r#" {"a":1,"b":{} } "#),
            (Some(r#"{"z":1.10}"#), r#"{"a":1,"b":{},"z":1.10}"#),
            (Some(r#"{"z":1.10,"b":[ 1 ]}"#), r#"{"a":1,"z":1.10,"b":{}}"#),
        ] {
            let object = object.map(Bytes::from);
            assert_eq!(with(object.as_ref(), &[("a", b"1"), ("b", b"{}")]), expect, "{object:?}");
        }
    }

    #[test]
    fn without_removes_fields_and_keeps_keys_as_written() {
        let object = Bytes::from(r#"{ "b":1.10, "a" : 1E5,"\u0063":[ 1 ]}"#);
        assert_eq!(without(&object, &["a"]), r#"{"b":1.10,"\u0063":[ 1 ]}"#);
        assert_eq!(without(&object, &["a", "b", "c"]), "{}");
        assert_eq!(without(&object, &["x"]), object);
    }

    /// Lookups read all members, so their number must not grow with that of the members.
    #[test]
    fn fields_of_an_object_with_many_members_are_found_and_replaced() {
        let many: String = (0..100_000).map(|n| format!("\"\\u006b{n}\":{n},")).collect();
        let object = Bytes::from(format!("{{{many}\"name\":\"t\",\"_meta\":{{\"progressToken\":7}}}}"));
        let seen = KnownParams::of(Some(&object));
        assert_eq!(seen.name().as_deref(), Some("t"));
        assert_eq!(field(&object, "k99999").unwrap().raw, "99999");
        let changed = with(Some(&object), &[("k5", b"[]"), ("new", b"1")]);
        assert_eq!(changed.len(), object.len() + "\"new\":1,".len() + 1);
        assert_eq!(without(&object, &["name", "_meta"]).len(), many.len() - 1 + 2);
    }

    #[test]
    fn nothing_is_found_in_params_that_are_not_an_object() {
        let repeated = Bytes::from(r#"{"name":"a","name":"b"}"#);
        assert_eq!(KnownParams::of(Some(&repeated)).name().as_deref(), Some("b"));
        for odd in ["[]", "null", "1", r#"{"arguments":{}}"#] {
            assert!(KnownParams::of(Some(&Bytes::from(odd))).name.is_none(), "{odd}");
        }
    }
}

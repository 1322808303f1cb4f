//! The few values of `params` a proxy must see, and how they are replaced in place.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use serde_json::value::RawValue;

/// A value inside `params`, with where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) raw: Bytes,
}

/// What a proxy must see of a request's `params`.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) name: Option<Found>,
    pub(crate) arguments: Option<Bytes>,
    pub(crate) progress_token: Option<Found>,
}

/// An object's fields. Of a repeated key the last counts, as it does for the upstreams' readers.
type Fields<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

impl Seen {
    /// Looks into `params`. What is not an object shows nothing: it is forwarded as it is and the
    /// upstream says what it thinks of it.
    pub(crate) fn of(params: Option<&Bytes>) -> Self {
        let Some(params) = params else { return Self::default() };
        let Ok(fields) = serde_json::from_slice::<Fields<'_>>(params) else { return Self::default() };
        let meta = fields.get("_meta").and_then(|meta| serde_json::from_str::<Fields<'_>>(meta.get()).ok());
        Self {
            name: fields.get("name").map(|raw| found(params, raw)),
            arguments: fields.get("arguments").map(|raw| params.slice_ref(raw.get().as_bytes())),
            progress_token: meta.and_then(|meta| meta.get("progressToken").map(|raw| found(params, raw))),
        }
    }

    /// `name` as text.
    pub(crate) fn name(&self) -> Option<String> {
        self.name.as_ref().and_then(|name| serde_json::from_slice(&name.raw).ok())
    }
}

/// The raw value of one key of an object.
pub(crate) fn field(object: &Bytes, key: &str) -> Option<Found> {
    let fields: Fields<'_> = serde_json::from_slice(object).ok()?;
    fields.get(key).map(|raw| found(object, raw))
}

fn found(whole: &Bytes, raw: &RawValue) -> Found {
    let raw = whole.slice_ref(raw.get().as_bytes());
    let start = raw.as_ptr() as usize - whole.as_ptr() as usize;
    Found { range: start..start + raw.len(), raw }
}

/// The text at one key of an object.
pub(crate) fn text(object: &Bytes, key: &str) -> Option<String> {
    serde_json::from_slice(&field(object, key)?.raw).ok()
}

/// The object with these fields set, each to a raw value: in place where it has the field, else in front.
/// What is no object is replaced by one.
pub(crate) fn with(object: Option<&Bytes>, fields: &[(&str, &[u8])]) -> Bytes {
    let empty = Bytes::from_static(b"{}");
    let known = object.and_then(|object| Some((object, serde_json::from_slice::<Fields<'_>>(object).ok()?)));
    let (object, known) = known.unwrap_or((&empty, Fields::new()));
    let mut edits = Vec::new();
    let mut inserted = Vec::new();
    for (name, value) in fields {
        match known.get(*name) {
            Some(raw) => edits.push((found(object, raw).range, value.to_vec())),
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
    // White space may stand before an object that came alone.
    let start = object.iter().position(|byte| *byte == b'{').map_or(0, |at| at + 1);
    if !inserted.is_empty() {
        edits.push((start..start, inserted));
    }
    splice(object, edits)
}

/// The object without these fields.
pub(crate) fn without(object: &Bytes, names: &[&str]) -> Bytes {
    let Ok(known) = serde_json::from_slice::<Fields<'_>>(object) else { return object.clone() };
    if !names.iter().any(|name| known.contains_key(*name)) {
        return object.clone();
    }
    let mut kept: Vec<_> = known.iter().filter(|(name, _)| !names.contains(&name.as_ref())).collect();
    kept.sort_by_key(|(_, raw)| raw.get().as_ptr());
    let mut written = Vec::with_capacity(object.len());
    for (name, raw) in kept {
        written.push(if written.is_empty() { b'{' } else { b',' });
        written.extend_from_slice(serde_json::Value::from(name.as_ref()).to_string().as_bytes());
        written.push(b':');
        written.extend_from_slice(raw.get().as_bytes());
    }
    if written.is_empty() {
        written.push(b'{');
    }
    written.push(b'}');
    written.into()
}

/// Replaces ranges of `bytes`, given in any order and not overlapping.
pub(crate) fn splice(bytes: &Bytes, mut edits: Vec<(Range<usize>, Vec<u8>)>) -> Bytes {
    if edits.is_empty() {
        return bytes.clone();
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut spliced = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for (range, replacement) in edits {
        spliced.extend_from_slice(&bytes[at..range.start]);
        spliced.extend_from_slice(&replacement);
        at = range.end;
    }
    spliced.extend_from_slice(&bytes[at..]);
    spliced.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_replaced_changes() {
        let params = Bytes::from_static(
            br#"{ "x":1.10, "_meta":{"k":1E5,"progressToken" : "a\u0062"},"name":"git__\u0073tatus","arguments":{"a":1,"a":2}}"#,
        );
        let seen = Seen::of(Some(&params));
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
    fn fields_are_set_in_place_or_in_front() {
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
    fn fields_are_taken_out() {
        let object = Bytes::from(r#"{ "b":1.10, "a" : 1E5,"\u0063":[ 1 ]}"#);
        assert_eq!(without(&object, &["a"]), r#"{"b":1.10,"c":[ 1 ]}"#);
        assert_eq!(without(&object, &["a", "b", "c"]), "{}");
        assert_eq!(without(&object, &["x"]), object);
    }

    #[test]
    fn params_of_odd_form_show_nothing() {
        let repeated = Bytes::from(r#"{"name":"a","name":"b"}"#);
        assert_eq!(Seen::of(Some(&repeated)).name().as_deref(), Some("b"));
        for odd in ["[]", "null", "1", r#"{"arguments":{}}"#] {
            assert!(Seen::of(Some(&Bytes::from(odd))).name.is_none(), "{odd}");
        }
    }
}

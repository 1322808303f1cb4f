//! Parts of a request that are repeated in HTTP headers (2026-07-28): the method, the name, and the arguments that a
//! tool marks with `x-mcp-header`. Writes such headers, and checks that they match the body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::params::{KnownParams, text};

pub(crate) const SESSION_ID: &str = "mcp-session-id";
pub(crate) const PROTOCOL_VERSION: &str = "mcp-protocol-version";
pub(crate) const METHOD: &str = "mcp-method";
pub(crate) const NAME: &str = "mcp-name";
const PARAM: &str = "mcp-param-";
/// Marks requests of our own relay. They came as lines, without headers and without a stream to resume.
pub(crate) const RELAYED: &str = "schemascope-relayed";

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Levels of `properties` that are searched for marked arguments.
const MAX_DEPTH: usize = 16;

/// Encodes a value for a header: unchanged if it is plain ASCII, else in Base64.
pub(crate) fn encoded(value: &str) -> String {
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && value.trim() == value
        && !(value.starts_with(PREFIX) && value.ends_with(SUFFIX));
    if plain { value.to_owned() } else { format!("{PREFIX}{}{SUFFIX}", BASE64_STANDARD.encode(value)) }
}

/// Decodes a header; `None` if that fails.
pub(crate) fn decoded(header: &str) -> Option<String> {
    match header.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) {
        Some(coded) => String::from_utf8(BASE64_STANDARD.decode(coded).ok()?).ok(),
        None => Some(header.to_owned()),
    }
}

/// The value that `Mcp-Name` must have for a request, if it needs one.
pub(crate) fn name(method: &str, params: Option<&Bytes>) -> Option<String> {
    match method {
        "tools/call" | "prompts/get" => KnownParams::of(params).name(),
        "resources/read" => text(params?, "uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => text(params?, "taskId"),
        _ => None,
    }
}

/// An argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MirroredArgument {
    /// `mcp-param-…`
    header: String,
    /// Path of keys below `arguments`.
    path: Vec<String>,
}

/// The arguments that a tool marks.
fn mirrored(definition: &Bytes) -> Vec<MirroredArgument> {
    // Few tools mark an argument, and a definition may be large.
    if memchr::memmem::find(definition, b"x-mcp-header").is_none() {
        return Vec::new();
    }
    let definition: Value = serde_json::from_slice(definition).unwrap_or_default();
    let mut found = Vec::new();
    let mut open = vec![(&definition["inputSchema"], Vec::new())];
    while let Some((schema, path)) = open.pop() {
        if let Some(name) = schema["x-mcp-header"].as_str().filter(|_| !path.is_empty()) {
            found.push(MirroredArgument {
                header: format!("{PARAM}{}", name.to_ascii_lowercase()),
                path: path.clone(),
            });
        }
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            if path.len() < MAX_DEPTH {
                let path = path.iter().chain([key]).cloned().collect();
                open.push((below, path));
            }
        }
    }
    found
}

/// The headers that a call of this tool must have, with encoded values.
pub(crate) fn of_arguments(definition: &Bytes, arguments: Option<&Bytes>) -> Vec<(String, String)> {
    let mirrored = mirrored(definition);
    if mirrored.is_empty() {
        return Vec::new();
    }
    let arguments: Value =
        arguments.and_then(|arguments| serde_json::from_slice(arguments).ok()).unwrap_or_default();
    let headers = mirrored.into_iter().filter_map(|MirroredArgument { header, path }| {
        Some((header, encoded(&written(at(&arguments, &path)?)?)))
    });
    headers.collect()
}

fn at<'a>(arguments: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(arguments, |value, key| value.get(key))
}

/// Whether a header's text equals a number of the body. Integers are compared exactly, others as floats.
fn equals_number(text: &str, number: &serde_json::Number) -> bool {
    match (text.parse::<i128>(), number.to_string().parse::<i128>()) {
        (Ok(text), Ok(number)) => text == number,
        _ => text.parse::<f64>().is_ok_and(|text| text.is_finite() && Some(text) == number.as_f64()),
    }
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The reason why the headers of a request do not match its body; `None` if they match. `header` returns the value
/// of a header, joined if it is repeated.
pub(crate) fn mismatch(
    method: &str,
    params: Option<&Bytes>,
    definition: Option<&Bytes>,
    header: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let wrong = |title: &str, value: Option<&str>, expected: &str| match value {
        None => Some(format!("{title} header is missing; the body has {expected:?}")),
        Some(value) if value == expected => None,
        Some(value) => Some(format!("{title} header value {value:?} does not match body value {expected:?}")),
    };
    if let Some(reason) = wrong("Mcp-Method", header(METHOD).as_deref(), method) {
        return Some(reason);
    }
    let read = |title: &str, name: &str| match header(name) {
        None => Ok(None),
        Some(value) => match decoded(&value) {
            Some(value) => Ok(Some(value)),
            None => Err(format!("{title} header value {value:?} does not match: it cannot be decoded")),
        },
    };
    if let Some(expected) = name(method, params) {
        match read("Mcp-Name", NAME) {
            Ok(value) => {
                if let Some(reason) = wrong("Mcp-Name", value.as_deref(), &expected) {
                    return Some(reason);
                }
            }
            Err(reason) => return Some(reason),
        }
    }
    let mirrored = mirrored(definition.filter(|_| method == "tools/call")?);
    if mirrored.is_empty() {
        return None;
    }
    let arguments = KnownParams::of(params).arguments;
    let arguments: Value =
        arguments.and_then(|arguments| serde_json::from_slice(&arguments).ok()).unwrap_or_default();
    mirrored.into_iter().find_map(|MirroredArgument { header, path }| {
        let value = match read(&header, &header) {
            Ok(value) => value,
            Err(reason) => return Some(reason),
        };
        let argument = at(&arguments, &path);
        match (argument.and_then(|argument| Some((argument, written(argument)?))), value) {
            (None, None) => None,
            (None, Some(value)) => {
                Some(format!("{header} header value {value:?} does not match the body, which has none"))
            }
            (Some((Value::Number(number), _)), Some(value)) if equals_number(&value, number) => None,
            (Some((_, expected)), value) => wrong(&header, value.as_deref(), &expected),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_matches_the_examples_of_the_specification() {
        for (value, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encoded(value), header);
            assert_eq!(decoded(header).as_deref(), Some(value));
        }
        assert_eq!(decoded("=?base64?%?="), None);
    }

    #[test]
    fn mismatch_compares_strings_as_strings_and_numbers_as_numbers() {
        let definition = Bytes::from(r#"{"inputSchema":{"properties":{"a":{"x-mcp-header":"A"}}}}"#);
        for (argument, header, right) in [
            (r#""007""#, Some("007"), true),
            (r#""007""#, Some("7"), false),
            (r#""inf""#, Some("Infinity"), false),
            ("7", Some("7.0"), true),
            ("7", Some("007"), true),
            ("1e400", Some("inf"), false),
            ("9007199254740993", Some("9007199254740992"), false),
            ("9007199254740993", Some("9007199254740993"), true),
            ("true", Some("true"), true),
            ("null", None, true),
            ("null", Some("null"), false),
            ("7", Some("7, 7"), false),
            ("7", None, false),
        ] {
            let params = Bytes::from(format!(r#"{{"name":"t","arguments":{{"a":{argument}}}}}"#));
            let reason = mismatch("tools/call", Some(&params), Some(&definition), |name| match name {
                METHOD => Some("tools/call".into()),
                NAME => Some("t".into()),
                _ => header.map(str::to_owned),
            });
            assert_eq!(reason.is_none(), right, "{argument} {header:?} {reason:?}");
        }
    }

    #[test]
    fn mismatch_reports_missing_and_different_headers() {
        let definition = Bytes::from(
            r#"{"inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},
                "n":{"type":"integer","x-mcp-header":"N"},"in":{"properties":{"b":{"x-mcp-header":"B"}}}}}}"#,
        );
        let params = Bytes::from(r#"{"name":"sql","arguments":{"region":"é","n":42,"in":{"b":true}}}"#);
        let right = [
            (METHOD, "tools/call"),
            (NAME, "sql"),
            ("mcp-param-region", "=?base64?w6k=?="),
            ("mcp-param-n", "42.0"),
            ("mcp-param-b", "true"),
        ];
        let check = |headers: &[(&str, &str)]| {
            mismatch("tools/call", Some(&params), Some(&definition), |name| {
                headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(check(&right), None);
        for left_out in 0..right.len() {
            let mut headers = right.to_vec();
            headers.remove(left_out);
            assert!(check(&headers).is_some_and(|reason| reason.contains("missing")), "{left_out}");
            let mut headers = right.to_vec();
            headers[left_out].1 = "other";
            assert!(check(&headers).is_some_and(|reason| reason.contains("does not match")), "{left_out}");
        }
        let mut undecodable = right.to_vec();
        undecodable[1].1 = "=?base64?!?=";
        assert!(check(&undecodable).is_some_and(|reason| reason.contains("does not match")));
        let mut written = of_arguments(&definition, KnownParams::of(Some(&params)).arguments.as_ref());
        written.sort();
        assert_eq!(written[1], ("mcp-param-n".to_owned(), "42".to_owned()));
        assert_eq!(written.len(), 3);
    }
}

//! Words to insert into inputs: difficult ones for readers, those that decide what a schema says, and the vocabulary
//! of schemas and states. They are also libFuzzer's dictionary.

/// The words of a target.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// Keys as written, without quotes.
    pub keys: &'static [&'static str],
    /// Values as written.
    pub values: &'static [&'static str],
}

impl Words {
    /// Of documents.
    pub const DOCUMENTS: Self = Self { keys: KEYS, values: VALUES };
    /// Of schemas, and of documents they may be of.
    pub const SCHEMAS: Self = Self { keys: KEYWORDS, values: SCHEMAS };
    /// Of written states.
    pub const STATES: Self = Self { keys: STATE_KEYS, values: STATE_VALUES };

    /// Of bundles, which contain states.
    pub const BUNDLES: Self = Self { keys: BUNDLE_KEYS, values: BUNDLE_VALUES };

    /// In the form of libFuzzer's dictionaries.
    pub fn dictionary(&self) -> String {
        let keys = self.keys.iter().map(|key| format!("\"{key}\":"));
        let values = self.values.iter().map(|value| (*value).to_owned());
        let tokens = TOKENS.iter().map(|token| String::from_utf8_lossy(token).into_owned());
        let mut lines: Vec<String> =
            keys.chain(values).chain(tokens).map(|word| entry(word.as_bytes())).collect();
        lines.extend(FOREIGN.iter().map(|token| entry(token)));
        lines.join("\n") + "\n"
    }
}

fn entry(word: &[u8]) -> String {
    let escaped: String = word.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{escaped}\"")
}

/// Typical names, names that look like data, and names with a meaning for some reader.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "a", "b", "c", "n", "s", "x", "id", "kind", "type", "ok", "status", "items", "format", "content_type", "",
    "__proto__", "constructor", "services", "by_id", "a.b", "a/b", "a b", "~1", "$ref", "oneOf", "properties", "required", "é",
    "\\u0061", "k\\u0069nd", "\\u0000", "\\\"", "\\ud83d", "2026-11-21", "2026-11-22", "1234", "5678", "9012",
    "7", "u/1", "u/2", "10.0.0.1", "ada@example.org", "3f2a8c1e-0000-4000-8000-000000000000",
    "$serde_json::private::RawValue", "$serde_json::private::Number",
];

/// What bundles and the states in them consist of.
#[rustfmt::skip]
const BUNDLE_KEYS: &[&str] = &[
    "format", "version", "values", "key_id", "nodes", "tools", "position", "calls", "latest", "failures",
    "unanswered", "carriers", "structured", "json_in_text", "text", "declared_fits", "declared_violates",
    "last_called", "last_observed", "shape", "definition", "listed", "inferred", "observation_count", "quality",
    "presence", "in_force", "signature", "veil", "observations", "cap", "cut", "epochs", "signatures", "oddities",
    "data", "depth", "hash", "d", "k", "s", "p", "r", "n", "c", "o", "f", "e", "numbers", "strings", "arrays", "tags",
    "shop__get", "shop__other", "00000000000a", "00000000000b", "⟦waaaaaaaaaaaaaaaa⟧", "⟦k aaaaaaaaaaaaaaaa⟧",
];

/// Counts and times at the edges of what is plausible.
#[rustfmt::skip]
const BUNDLE_VALUES: &[&str] = &[
    "null", "true", "false", "0", "1", "2", "20", "4096", "1000000000", "1000000001", "281474976710656",
    "18446744073709551615", "-1", "[]", "{}", "[0]", "20777", "20778", "4294967294", "4294967295",
    "\"2026-11-20T12:00:00.000Z\"", "\"2026-11-22T12:00:00.000Z\"", "\"9999-12-31T23:59:59.999Z\"",
    "\"1970-01-01T00:00:00.000Z\"", "{\"data\":false,\"depth\":0,\"hash\":0}",
    "{\"data\":true,\"depth\":9,\"hash\":1}", "[[5,1]]", "[[5,20]]", "[[5,281474976710656]]", "\"none\"", "\"high\"",
];

/// Few values that come again, texts with formats and nearly so, numbers at the edges, what stands for something else.
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "null", "true", "false", "0", "1", "2", "100", "200", "404", "-1", "-0", "-0.0", "1.0", "1.5", "1E5",
    "1e-5", "1e308", "1e309", "-1e999", "1e-999", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "123456789012345678901234567890", "\"\"", "\"a\"", "\"b\"", "\"c\"", "\"x\"",
    "\"ab\"", "\"\\u0061\"", "\"\\ud83d\"", "\"\\ud83d\\ude00\"", "\"\\u0000\"", "\"é\"", "\"2026-11-21\"",
    "\"2026-02-29\"", "\"2026-11-21T10:00:00Z\"", "\"2026-11-21T23:59:60Z\"",
    "\"2026-11-21T10:00:00.123+05:30\"", "\"10:00:00Z\"", "\"23:59:60Z\"",
    "\"3f2a8c1e-0000-4000-8000-000000000000\"", "\"ada@example.org\"", "\"a@b.cd\"", "\"@b.cd\"",
    "\"10.0.0.1\"", "\"010.0.0.1\"", "\"2001:db8::1\"", "\"::ffff:10.0.0.1\"",
    "\"https://example.org/a?b=c#d\"", "\"urn:a:b\"", "\"http://a b\"", "\"http://[::1]/%zz\"",
    "\"⟦integer⟧\"", "\"⟦number⟧\"", "\"⟦string⟧\"",
    "\"0123456789012345678901234567890123456789012345678901234567890123456789\"", "[]", "{}", "[[]]", "[{}]",
    "[1,2]", "[1,\"a\"]", "[null,1]", "[\"a\",null]", "[1,2,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8,9]", "{\"a\":1}",
    "{\"a\":1,\"a\":2}", "{\"kind\":\"a\",\"n\":1}", "{\"kind\":\"b\",\"s\":\"x\"}", "{\"kind\":true}",
    "{\"1234\":1,\"5678\":\"x\"}", "{\"2026-11-21\":{\"n\":1}}", "{\"\":{}}",
];

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "type", "enum", "const", "properties", "required", "additionalProperties", "patternProperties",
    "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "items",
    "prefixItems", "contains", "minContains", "maxContains", "uniqueItems", "minItems", "maxItems", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "format", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "unevaluatedProperties",
    "unevaluatedItems", "$ref", "$defs", "definitions", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor",
    "$schema", "title", "description", "default", "examples", "nullable", "a", "b", "kind", "",
];

#[rustfmt::skip]
const SCHEMAS: &[&str] = &[
    "true", "false", "null", "{}", "[]", "0", "1", "2", "-1", "1.0", "1.5", "0.1", "1e300",
    "9007199254740993", "18446744073709551616", "\"\"", "\"a\"", "\"b\"", "\"string\"", "\"integer\"",
    "\"number\"", "\"object\"", "\"array\"", "\"boolean\"", "\"null\"", "[\"a\"]", "[\"a\",\"b\"]",
    "[\"string\",\"null\"]", "[1,2]", "[null,true]", "\"#\"", "\"#/$defs/a\"", "\"#/properties/a\"",
    "\"#/$defs/a/properties/b\"", "\"#a\"", "\"#/%24defs/a\"", "\"date\"", "\"date-time\"", "\"email\"",
    "\"ipv4\"", "\"uri\"", "\"uri-reference\"", "\"^a\"", "\"b$\"", "\"^[a-z]+$\"", "\"(a|b)*\"",
    "\"^.{2}$\"", "\"(\"", "\"2026-11-21\"", "\"https://json-schema.org/draft/2020-12/schema\"",
    "\"http://json-schema.org/draft-07/schema#\"", "{\"type\":\"string\"}", "{\"type\":\"integer\"}",
    "{\"type\":[\"integer\",\"null\"]}", "{\"const\":\"a\"}", "{\"enum\":[\"a\",1,null]}", "{\"$ref\":\"#\"}",
    "{\"$ref\":\"#/$defs/a\"}", "{\"not\":{}}",
    "{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}",
    "{\"properties\":{\"kind\":{\"const\":\"a\"}},\"required\":[\"kind\"]}",
    "{\"additionalProperties\":false}", "{\"items\":{\"type\":\"string\"}}",
    "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}",
    "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
    "{\"oneOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}", "{\"minimum\":0}", "{\"minLength\":1}",
];

/// How states name things: those of `state.rs` and of what it is made of.
#[rustfmt::skip]
const STATE_KEYS: &[&str] = &[
    "d", "k", "s", "p", "r", "l", "n", "c", "o", "f", "e", "numbers", "strings", "arrays", "tags", "integers",
    "floats", "distinct", "format", "lengths", "redacted", "positions", "v", "m", "version", "key",
    "observations", "cap", "cut", "epochs", "signatures", "oddities", "nodes", "data", "depth", "hash",
    "surrogates", "out_of_range", "long_strings", "parts", "arguments", "rows", "count", "name", "a", "kind",
    "2026",
];

#[rustfmt::skip]
const STATE_VALUES: &[&str] = &[
    "0", "1", "2", "3", "7", "8", "9", "48", "57", "60", "61", "64", "255", "70000", "4294967295",
    "4294967296", "140737488355328", "281474976710656", "9223372036854775807", "18446744073709551615", "-1",
    "-9223372036854775808", "1.5", "1e300", "null", "true", "false", "[]", "{}", "\"\"", "\"*\"", "\"{\"", "\"+\"",
    "\"a\"", "\"kind\"", "\"date\"", "\"unseen\"", "\"not\"", "{\"on\":\"date\"}", "{\"v\":[]}",
    "{\"v\":[[\"a\",1]]}", "[0,1]", "[[0,1]]", "[[4,2]]", "[[7,1]]", "[[0,[[0,1]]]]",
    "[0,[[\"a\",3,[[0,1]]]]]", "[\"a\",1]", "[1,0]", "\"-170141183460469231731687303715884105728\"",
    "\"170141183460469231731687303715884105727\"", "{\"d\":1,\"k\":\"a\",\"n\":1,\"c\":[[4,1]],\"f\":[]}",
    "{\"d\":2,\"s\":\"*\",\"n\":1,\"c\":[[4,1]],\"f\":[[4,0]]}",
    "{\"d\":1,\"s\":\"{\",\"n\":1,\"c\":[],\"f\":[]}",
    "\"----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------\"",
];

/// Parts of what is written.
#[rustfmt::skip]
const TOKENS: &[&[u8]] = &[
    b"\\ud83d", b"\\ude00", b"\\ud83d\\ude00", b"\\u0000", b"\\u00e9", b"\\\"", b"\\\\", b"\\", b"\"",
    b"[[[[[[[[", b"]]]]]]]]", b"{\"a\":{\"a\":{\"a\":", b"}}}", b",", b":", b"{", b"}", b"[", b"]", b"e",
    b"E+", b".", b"-", b"99999999999999999999", b"\"a\":1,", b"\"kind\":\"a\",", b"\"2026-11-21\":", b"\"\":",
    b"\"1234\":{", b" ", b"\n", b"\x1e", b"\x1e{", b"},", b"],[", b",null]",
];

/// Bytes that are no text, or no text that JSON knows.
#[rustfmt::skip]
const FOREIGN: &[&[u8]] = &[
    b"\0", b"\x1f", b"\x7f", b"\xef\xbb\xbf", b"\xff", b"\xc3\xa9", b"\xc3", b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80", b"\xe2\x80\xa8",
];

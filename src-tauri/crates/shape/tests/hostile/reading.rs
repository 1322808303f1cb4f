//! Input that is not JSON, or barely: it counts nothing.

use schemascope_shape::Shape;

use crate::judge::{noted, survives};

const SAMPLE: &str = r#" {"id": -12.5e+3, "näme": ["\ud83d\ude00\n", "", null, true, false], "2026-11-21":
  {"a": {"b": [[], {}, [0]]}, "\u0000": "\\"}, "__proto__": {"": 1E5}} "#;

fn shape() -> Shape {
    survives("a sample", [SAMPLE, "[1]", "{\"id\":1}"])
}

#[track_caller]
fn counts_nothing(shape: &mut Shape, state: &[u8], document: &[u8]) {
    let error = shape.observe(document).unwrap_err();
    assert!(error.at <= document.len(), "{error}");
    assert!(shape.to_state() == state, "{:?} left a trace", String::from_utf8_lossy(document));
}

#[test]
fn document_truncated_at_any_byte_counts_nothing() {
    let mut shape = shape();
    let state = shape.to_state();
    let end = SAMPLE.trim_end().len();
    for at in 0..end {
        counts_nothing(&mut shape, &state, &SAMPLE.as_bytes()[..at]);
    }
    // Too long to be planned at once, so it is read twice.
    let long = " ".repeat(300_000) + SAMPLE;
    for at in (0..end).step_by(7) {
        counts_nothing(&mut shape, &state, &long.as_bytes()[..300_000 + at]);
    }
    shape.observe(&SAMPLE.as_bytes()[..end]).unwrap();
}

#[test]
fn invalid_json_counts_nothing() {
    let mut shape = shape();
    let state = shape.to_state();
    let texts: &[&[u8]] = &[
        b"",
        b" ",
        b"\xef\xbb\xbf{}",
        b"\0",
        b"{}\0",
        b"[\0]",
        b"\"\0\"",
        b"{\"\0\":1}",
        b"\xff",
        b"\"\xff\"",
        b"{\"\xc3\":1}",
        b"\"\xed\xa0\x80\"",
        b"\"\xc0\x80\"",
        b"[1,]",
        b"{\"a\":1,}",
        b"[1 2]",
        b"{1:2}",
        b"{a:1}",
        b"'a'",
        b"nul",
        b"NaN",
        b"Infinity",
        b"-",
        b"01",
        b"1.",
        b".5",
        b"1e",
        b"+1",
        b"0x1",
        b"[}",
        b"{]",
        b"]",
        b"}",
        b"\"\\x\"",
        b"\"\\u12\"",
        b"\"\\u12g4\"",
        b"\"\\u+123\"",
        b"\"\t\"",
        b"1 1",
        b"{}{}",
        b"// a\n1",
        b"[1]/**/",
        b"\x0b1",
        b"\xc2\xa01",
        b"{\"a\"}",
        b"{\"a\":}",
        b",",
        b":",
        b"truefalse",
        b"\xff\xfe1\0",
    ];
    for text in texts {
        assert!(serde_json::from_slice::<serde_json::Value>(text).is_err());
        counts_nothing(&mut shape, &state, text);
        let long = [&vec![b' '; 300_000], *text].concat();
        counts_nothing(&mut shape, &state, &long);
    }
    for open in ["[", "{\"a\":", "[{\"1234\":"] {
        counts_nothing(&mut shape, &state, open.repeat(1_000_000).as_bytes());
    }
    assert_eq!(noted(&shape, "too deep"), 0);
}

//! Sessions to begin with.

use crate::input::Input;

/// A session of each form in which values flow.
pub fn calls() -> Vec<Vec<u8>> {
    let session = |calls: &[(&str, &str)]| {
        let choices: Vec<u8> = (0..calls.len() as u8).flat_map(|number| [3 * number, 17]).collect();
        let texts = calls.iter().flat_map(|(arguments, result)| [*arguments, *result]);
        let documents: Vec<Vec<u8>> = texts.map(|text| text.as_bytes().to_vec()).collect();
        Input::written(&choices, &documents)
    };
    vec![
        session(&[
            ("{}", r#"{"orders":[{"id":"ord_17","customer":"cus_4"},{"id":"ord_18","customer":7}]}"#),
            (r#"{"id":"ord_17"}"#, r#"{"id":"ord_17","lines":[{"sku":"a-1"}],"total":7}"#),
            (r#"{"customer_id":"cus_4"}"#, r#"{"name":"Ann","mail":"ann@example.org"}"#),
            (r#"{"number":7,"limit":10}"#, "[]"),
        ]),
        session(&[
            ("{}", r#"{"ST-04":{"n":1},"ST-05":{"n":2},"ST-06":{"n":3}}"#),
            (r#"{"station":"ST-04"}"#, r#""See https://t.example/OPS-3, in /data/reports/q3.csv""#),
            (r#"{"issue":"OPS-3","path":"/data/reports/q3.csv"}"#, r#"{"next":"c2"}"#),
            (r#"{"cursor":"c2"}"#, r#"{"commit":"0123456789abcdef0123456789abcdef01234567"}"#),
            (r#"{"hash":"01234567"}"#, r#"{"properties":{"id":{"type":"string"}},"required":["id"]}"#),
            (r#"{"properties":{"id":{"type":"string"}},"required":["id"]}"#, "7"),
        ]),
    ]
}

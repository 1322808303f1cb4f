//! Tests of the scan, with documents by hand and at random.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::*;
use crate::keys::is_sensitive_key;
use crate::tests::redact;

#[track_caller]
fn check(json: &str, expect: &str, replaced: u64) {
    assert_eq!(redact(json, Trust::Foreign), Some((expect.to_owned(), replaced)), "{json}");
    assert!(serde_json::from_str::<IgnoredAny>(expect).is_ok(), "{expect}");
}

#[test]
fn redact_replaces_values_of_sensitive_keys_and_nothing_else() {
    check(
        r#"{ "a":1.10, "password" : "hunter2","b":1E5,"b":"\u00e9"}"#,
        r#"{ "a":1.10, "password" : "⟦redacted string 7⟧","b":1E5,"b":"\u00e9"}"#,
        1,
    );
    check(
        r#"{"pin_token":1234,"x_token":1.5,"y_token":null,"z_token":true}"#,
        r#"{"pin_token":"⟦redacted integer⟧","x_token":"⟦redacted number⟧","y_token":null,"z_token":true}"#,
        2,
    );
    check(
        r#"[{"credentials":{"user":"u","list":["a",{"b":2}]},"user":"u"}]"#,
        r#"[{"credentials":{"user":"⟦redacted string 1⟧","list":["⟦redacted string 1⟧",{"b":"⟦redacted integer⟧"}]},"user":"u"}]"#,
        3,
    );
    check(r#"{"p\u0061ssword":"é\n"}"#, r#"{"p\u0061ssword":"⟦redacted string 2⟧"}"#, 1);
}

#[test]
fn ambiguous_keys_need_value_that_looks_generated() {
    check(
        r#"{"auth":{"user":"me","pass":"8fK3kd92jf8sQz"},"bearer":"a1b2c3d4e5"}"#,
        r#"{"auth":{"user":"me","pass":"⟦redacted string 14⟧"},"bearer":"⟦redacted string 10⟧"}"#,
        2,
    );
    for benign in [
        r#"{"pass":12,"auth":"oauth2","bearer":"the account","pat":"Patricia","otp":true}"#,
        r#"{"pass":"2 of 3 checks","tests_pass":"smoke","auth":["basic","b1a2s3i4c5"],"sid":null}"#,
    ] {
        assert_eq!(redact(benign, Trust::Foreign), None, "{benign}");
    }
}

#[test]
fn what_is_typed_into_fields_for_secrets_is_replaced() {
    for (json, expect) in [
        (
            r#"{"element":"Password field","ref":"e12","text":"it is blue","submit":true}"#,
            r#"{"element":"Password field","ref":"e12","text":"⟦redacted string 10⟧","submit":true}"#,
        ),
        (
            r##"{"value":"hunter2","selector":"#login-password"}"##,
            r##"{"value":"⟦redacted string 7⟧","selector":"#login-password"}"##,
        ),
        (r#"{"type":"password","value":"hunter2"}"#, r#"{"type":"password","value":"⟦redacted string 7⟧"}"#),
        (
            r#"{"label":"Password","value":"hunter2"}"#,
            r#"{"label":"Password","value":"⟦redacted string 7⟧"}"#,
        ),
        (
            r#"{"rawHeaders":["Accept","x-api-key","X-Api-Key","abcd","Host","h"]}"#,
            r#"{"rawHeaders":["Accept","x-api-key","X-Api-Key","⟦redacted string 4⟧","Host","h"]}"#,
        ),
    ] {
        check(json, expect, 1);
    }
    for benign in [
        r##"{"element":"Search field","text":"hunter2","selector":"#search"}"##,
        r#"{"element":"Password field","ref":"e12"}"#,
        r#"{"content":[{"type":"text","text":"hunter2"}],"element":"Password field"}"#,
        r#"{"type":"string","value":"hunter2","headers":["X-Api-Key","abcd"]}"#,
    ] {
        assert_eq!(redact(benign, Trust::Foreign), None, "{benign}");
    }
    check(
        r#"{"text":"a b","element":"API key","value":"c d"}"#,
        r#"{"text":"⟦redacted string 3⟧","element":"API key","value":"⟦redacted string 3⟧"}"#,
        2,
    );
}

#[test]
fn columns_with_sensitive_names_are_replaced() {
    check(
        r#"{"columns":["user","password"],"rows":[["ann","a word"],["bob",17],["cy",null],["di",{"x":"y"}]]}"#,
        r#"{"columns":["user","password"],"rows":[["ann","⟦redacted string 6⟧"],["bob","⟦redacted integer⟧"],["cy",null],["di",{"x":"⟦redacted string 1⟧"}]]}"#,
        3,
    );
    check(
        r#"{"fields":[{"name":"id"},{"name":"api_key"}],"data":[[1,"k1"]],"next":["a","b"]}"#,
        r#"{"fields":[{"name":"id"},{"name":"api_key"}],"data":[[1,"⟦redacted string 2⟧"]],"next":["a","b"]}"#,
        1,
    );
    // Without a key that says so, the first row may be one like the others.
    check(
        r#"{"values":[["user","password"],["ann","hunter2x"],["bob","changeme"],["cy","later"]]}"#,
        r#"{"values":[["user","password"],["ann","⟦redacted string 8⟧"],["bob","changeme"],["cy","later"]]}"#,
        1,
    );
    check(
        r#"[["host","db1example"],["x-api-key","a1b2c3d4e5"]]"#,
        r#"[["host","db1example"],["x-api-key","⟦redacted string 10⟧"]]"#,
        1,
    );
    check(
        r#"{"field":"api_key","content":"a1b2c3d4e5"}"#,
        r#"{"field":"api_key","content":"⟦redacted string 10⟧"}"#,
        1,
    );
    check(
        r#"[{"name":"db_pw","value":"8fK3kd92jf8sQz"},{"value":"a1b2c3d4e5","key":"auth"}]"#,
        r#"[{"name":"db_pw","value":"⟦redacted string 14⟧"},{"value":"⟦redacted string 10⟧","key":"auth"}]"#,
        2,
    );
    for benign in [
        r#"[{"name":"pass","value":"2 of 3"},{"name":"auth","value":"oauth2"},{"name":"pw","value":123456}]"#,
        r#"{"name":"Password","content":"The form asks for a password."}"#,
        r#"{"required":["password","user1name"],"columns":["token_count"],"rows":[["a1b2c3d4e5"]]}"#,
        r#"{"columns":["user","password"],"next":["user","b2c3d4e5f6"]}"#,
    ] {
        assert_eq!(redact(benign, Trust::Foreign), None, "{benign}");
    }
}

#[test]
fn password_attached_to_flag_is_replaced() {
    check(
        r#"["mysql -u root -pMysqlPw123 shop","mysqldump -p shop","mysql -p$PW"]"#,
        r#"["mysql -u root -p⟦redacted string 10⟧ shop","mysqldump -p shop","mysql -p$PW"]"#,
        1,
    );
}

#[test]
fn command_is_searched_as_one_line() {
    check(
        r#"["/usr/bin/mysql","-uroot","-pMysqlPw123","shop"]"#,
        r#"["/usr/bin/mysql","-uroot","-p⟦redacted string 10⟧","shop"]"#,
        1,
    );
    check(
        r#"{"args":["login","-u","me","-p","Tulip93fox"],"command":"docker","n":1}"#,
        r#"{"args":["login","-u","me","-p","⟦redacted string 10⟧"],"command":"docker","n":1}"#,
        1,
    );
    check(
        r#"{"command":"C:\\bin\\curl.exe","args":["-s","-u","me:Tulip93fox","https://example.com"]}"#,
        r#"{"command":"C:\\bin\\curl.exe","args":["-s","-u","me:⟦redacted string 10⟧","https://example.com"]}"#,
        1,
    );
    check(
        r#"{"cmd":["docker","exec","db","mysqldump","-pMysqlPw123"]}"#,
        r#"{"cmd":["docker","exec","db","mysqldump","-p⟦redacted string 10⟧"]}"#,
        1,
    );
    // A command in a word of another one.
    check(
        r#"["sudo","run",{"args":["curl","[\"mysql\",\"-pMysqlPw123\"]"]}]"#,
        r#"["sudo","run",{"args":["curl","[\"mysql\",\"-p⟦redacted string 10⟧\"]"]}]"#,
        1,
    );
    check(
        r#"["timeout","9","sudo","mysql","-pMysqlPw123"]"#,
        r#"["timeout","9","sudo","mysql","-p⟦redacted string 10⟧"]"#,
        1,
    );
    for benign in [
        r#"["git","commit","-pMysqlPw123"]"#,
        r#"{"command":"docker","args":["run","-p","8080:80","nginx"],"cwd":"/srv"}"#,
        r#"{"command":"mysql","args":["-p","shop"]}"#,
        r#"{"args":["docker",["login"],{"-p":"Tulip93fox"}]}"#,
    ] {
        assert_eq!(redact(benign, Trust::Foreign), None, "{benign}");
    }
}

#[test]
fn redact_with_unescaped_equals_redact() {
    let texts = [
        r#"{"token":"abc","n":1.10,"to":"a@b.example","url":"https://u:pw12345@h.example/"}"#,
        r#"["plain",{"deep":"{\"password\":\"x\"}"}]"#,
        r#""password: hunter2!x""#,
        r#"{"nothing":"to hide","note":"a\nb ⟦redacted integer⟧"}"#,
    ];
    for text in texts {
        let written = quoted(text);
        for json in [
            format!(r#"{{"content":[{{"type":"text","text":{written}}}],"api_key":"k"}}"#),
            format!(r#"{{"api_key":1,"content":[{{"text":{written}}},{{"text":"password: hunter2!x"}}]}}"#),
            format!(r#"{{"secret":{{"text":{written}}},"password":"x","then":"Bearer abc123def456"}}"#),
        ] {
            let start = json.find(&written).unwrap();
            let known = Unescaped { written: &json[start..start + written.len()], text };
            let redactor = crate::tests::redactor();
            let redacted = redactor.redact_with_unescaped(&json, Trust::Foreign, Some(known));
            assert_eq!(redacted, redact(&json, Trust::Foreign), "{json}");
            // A string of another document is ignored.
            let other = Unescaped { written: &written, text };
            assert_eq!(redactor.redact_with_unescaped(&json, Trust::Foreign, Some(other)), redacted);
        }
    }
}

#[test]
fn secrets_in_json_inside_text_are_replaced() {
    check(
        r#"{"content":[{"type":"text","text":"{\"token\":\"abc\",\"n\":1.10}"}]}"#,
        r#"{"content":[{"type":"text","text":"{\"token\":\"⟦redacted string 3⟧\",\"n\":1.10}"}]}"#,
        1,
    );
    check(
        r#"{"text":"{\"token\":\"abc\"}\n{\"id\":2,\"name\":\"x\"}"}"#,
        r#"{"text":"{\"token\":\"⟦redacted string 3⟧\"}\n{\"id\":2,\"name\":\"x\"}"}"#,
        1,
    );
    check(
        r#"{"text":"{\"token\":\"abc\"}\n{\"token\":\"de\"}\n"}"#,
        r#"{"text":"{\"token\":\"⟦redacted string 3⟧\"}\n{\"token\":\"⟦redacted string 2⟧\"}\n"}"#,
        2,
    );
}

/// JSON in strings is searched up to a depth, then replaced as a whole.
#[test]
fn secrets_in_deeply_nested_strings_are_replaced() {
    let mut json = r#"{"secret":"planted"}"#.to_owned();
    for _ in 0..10 {
        let (redacted, _) = redact(&json, Trust::Foreign).unwrap();
        assert!(!redacted.contains("planted"), "{redacted}");
        json = Value::from(json).to_string();
    }
}

#[test]
fn documents_without_secrets_stay_unchanged() {
    for json in
        ["{}", "[]", "1", r#""password""#, r#"{"a":"password","text":"{\"a\":1}","broken":"{\"token\":"}"#]
    {
        assert_eq!(redact(json, Trust::Foreign), None, "{json}");
    }
}

#[test]
fn forged_marker_is_replaced_as_string() {
    check(r#"{"n":"⟦redacted integer⟧"}"#, r#"{"n":"⟦redacted string 18⟧"}"#, 1);
    check(r#"{"n":"\u27e6redacted integer\u27E7"}"#, r#"{"n":"⟦redacted string 18⟧"}"#, 1);
    assert_eq!(redact(r#"{"n":"⟦redacted integer⟧"}"#, Trust::Own), None);
}

#[test]
fn a_million_levels_do_not_overflow_the_stack() {
    let deep = format!("{}{{\"token\":\"x\"}}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(redact(&deep, Trust::Foreign).map(|(_, replaced)| replaced), Some(1));
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        ".{0,8}".prop_map(Value::from),
        Just(Value::from("needle"))
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("a|b|password|access_token|\"\\\\", inner.clone(), 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

/// Whether a value is left under a sensitive key, by a walk over the parsed tree.
fn leaks(value: &Value, secret: bool) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| leaks(value, secret || is_sensitive_key(key))),
        Value::Array(items) => items.iter().any(|item| leaks(item, secret)),
        Value::String(text) => secret && text.parse::<Marker>().is_err(),
        Value::Number(_) => secret,
        _ => false,
    }
}

proptest! {
    #[test]
    fn nothing_stays_under_sensitive_keys(document in document()) {
        let json = document.to_string();
        let (redacted, _) = redact(&json, Trust::Foreign).unwrap_or((json, 0));
        let parsed: Value = serde_json::from_str(&redacted).unwrap();
        prop_assert!(!leaks(&parsed, false), "{}", redacted);
        prop_assert_eq!(redact(&redacted, Trust::Own), None);
    }

    #[test]
    fn redact_survives_arbitrary_text(text in ".{0,60}", json in "[\\[\\]{}\":,\\\\a-c0-9 ]{0,60}") {
        let _ = redact(&text, Trust::Foreign);
        let _ = redact(&json, Trust::Own);
    }
}

#[test]
fn schema_under_a_sensitive_key_keeps_its_keywords() {
    for (json, expected) in [
        (
            r##"{"inputSchema":{"properties":{"password":{"type":"string","minLength":8,"format":"password","description":"of the user"},"token":{"$ref":"#/$defs/t"},"api_key":{"type":["string","null"]}}}}"##,
            None,
        ),
        (r#"{"password":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#, None),
        (
            r#"{"password":{"type":"string","default":"hunter2","enum":["hunter2",7],"maxLength":9}}"#,
            Some(
                r#"{"password":{"type":"string","default":"⟦redacted string 7⟧","enum":["⟦redacted string 7⟧","⟦redacted integer⟧"],"maxLength":9}}"#,
            ),
        ),
        (r#"{"password":{"type":"hunter2"}}"#, Some(r#"{"password":{"type":"⟦redacted string 7⟧"}}"#)),
        (
            r#"{"password":{"type":"string","value":"hunter2"}}"#,
            Some(r#"{"password":{"type":"⟦redacted string 6⟧","value":"⟦redacted string 7⟧"}}"#),
        ),
        (
            r#"{"properties":{"password":"hunter2"}}"#,
            Some(r#"{"properties":{"password":"⟦redacted string 7⟧"}}"#),
        ),
        (
            r#"{"password":{"of":{"type":"string","title":"hunter2"}}}"#,
            Some(r#"{"password":{"of":{"type":"⟦redacted string 6⟧","title":"⟦redacted string 7⟧"}}}"#),
        ),
    ] {
        let redacted = redact(json, Trust::Foreign).map(|(text, _)| text);
        assert_eq!(redacted.as_deref(), expected, "{json}");
    }
}

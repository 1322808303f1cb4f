use schemascope_model::{IdSource, Timestamp};

use super::*;

fn call(tool: &str, outcome: Outcome, total_us: u64) -> CallRow {
    let at = Timestamp::from_millis(1);
    CallRow {
        id: IdSource::new(0, 0).at(at),
        at,
        tool_id: tool.into(),
        outcome,
        carrier: None,
        fits: Some(false),
        total_us: Some(total_us),
        result_bytes: 0,
        client: Some("Claude Code".into()),
    }
}

#[test]
fn tokens_hold_together() {
    let row = call("git__git_log", Outcome::ToolError, 600_000);
    for (text, passes) in [
        ("", true),
        ("tool:git*", true),
        ("tool:git_log", true),
        ("tool:git__git_log", true),
        ("tool:log", false),
        ("tool:*LOG", true),
        ("LOG", true),
        ("-log", false),
        ("server:git -server:shop", true),
        ("status:error", true),
        ("status:tool_error", true),
        ("status:ok", false),
        ("-status:ok", true),
        ("duration:>500ms", true),
        ("duration:<0.6s", false),
        ("duration:>=600000us", true),
        ("duration:600", true),
        ("client:claude*", true),
        ("fits:no", true),
        ("tool:git* status:ok", false),
    ] {
        assert_eq!(Filter::parse(text, Subject::Calls).unwrap().call(&row), passes, "{text}");
    }
}

#[test]
fn texts_are_looked_for_in_bodies() {
    let row = call("git__git_log", Outcome::Ok, 1);
    let bodies = [r#"{"city": "Paris"}"#, r#"{"content": [{"type": "text", "text": "Order 7: paid"}]}"#];
    for (text, passes) in [
        ("text:paris", true),
        ("text:\"order 7\"", true),
        ("text:\"7 order\"", false),
        ("-text:rome", true),
        ("-text:paris", false),
        ("text:paris text:paid", true),
        ("text:paris text:open", false),
        ("text:\"\\\"city\\\"\"", true),
    ] {
        let filter = Filter::parse(text, Subject::Calls).unwrap();
        assert!(filter.needs_bodies() && filter.call(&row), "{text}");
        assert_eq!(filter.bodies(&bodies), passes, "{text}");
    }
    for (word, filter) in [
        ("text:order 7", "text:\"order 7\""),
        ("-text:a\\ b", "-text:\"a\\\\ b\""),
        ("text:\"order 7\"", "text:\"order 7\""),
        ("text:say \"hi\" now", "text:\"say \\\"hi\\\" now\""),
        ("tool:a b", "tool:a b"),
    ] {
        assert_eq!(Filter::with_blanks(word), filter);
    }
    let without = Filter::parse("tool:git*", Subject::Calls).unwrap();
    assert!(!without.needs_bodies() && without.bodies(&[]));
}

#[test]
fn tokens_of_edges_look_at_both_tools_and_at_fields() {
    let edge: Edge = serde_json::from_value(serde_json::json!({
        "from": "shop__list_orders", "to": "mail__send", "coverage": "partial", "confidence": 0.9,
        "state": "seen", "echo": false, "needs": ["body"], "threatened_by": [],
        "evidence": {"flows": 1, "values": 1, "sessions": 1, "last_at": 1},
        "fields": [{"output": "orders[].Email", "input": "to", "how": "same", "confidence": 0.9,
            "echo": false, "broken": false, "evidence": {"flows": 1, "values": 1, "sessions": 1, "last_at": 1}}],
    }))
    .unwrap();
    for (text, passes) in [
        ("", true),
        ("server:mail", true),
        ("-server:shop", false),
        ("tool:send", true),
        ("tool:\"mail__send\" tool:list*", true),
        ("email", true),
        ("phone", false),
        ("state:seen", true),
        ("state:broken", false),
        ("-state:threatened", true),
        ("confidence:>=.9 confidence:<1", true),
        ("confidence:>.9", false),
        ("coverage:partial", true),
        ("echo:yes", false),
    ] {
        assert_eq!(Filter::parse(text, Subject::Edges).unwrap().edge(&edge), passes, "{text}");
    }
}

#[test]
fn invalid_filters_are_rejected_with_what_is_expected() {
    for (text, subject, hint) in [
        ("statu:ok", Subject::Calls, "status:error"),
        ("status:maybe", Subject::Calls, "tool_error"),
        ("duration:>soon", Subject::Calls, ">500ms"),
        ("duration:>-1s", Subject::Calls, ">500ms"),
        ("duration:infs", Subject::Calls, ">500ms"),
        ("tool:", Subject::Calls, "the value is missing"),
        ("text:", Subject::Calls, "the value is missing"),
        ("text:\"\"", Subject::Calls, "a text such as paris"),
        ("text:x", Subject::Tools, "expected one of"),
        ("quality:<good", Subject::Tools, "medium"),
        ("status:ok", Subject::Tools, "quality:<high"),
        ("confidence:2", Subject::Edges, "from 0 to 1"),
        ("state:new", Subject::Edges, "threatened"),
        ("quality:high", Subject::Edges, "coverage:strict"),
    ] {
        let error = Filter::parse(text, subject).unwrap_err().to_string();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

#[test]
fn of_tool_matches_tools_with_any_name() {
    for id in ["git__git_log", "s__what's new?", "s__a b:c*", "s__\"q\" \\", "s__-x status:ok"] {
        let filter = Filter::parse(&Filter::of_tool(id), Subject::Calls).unwrap();
        assert!(filter.is_of_tools() && filter.may_be_of(id) && !filter.may_be_of("s__other"));
        assert!(filter.call(&call(id, Outcome::Ok, 1)));
        assert!(!filter.call(&call("s__other", Outcome::Ok, 1)));
    }
    let both = Filter::parse("tool:\"s__a b\" status:ok", Subject::Calls).unwrap();
    assert!(both.call(&call("s__a b", Outcome::Ok, 1)) && !both.call(&call("s__a b", Outcome::Lost, 1)));
}

/// Pages are found without reading the calls that a filter excludes.
#[test]
fn filters_know_which_lists_can_match() {
    let of = |text: &str| Filter::parse(text, Subject::Calls).unwrap();
    for text in ["status:error", "a status:lost", "status:tool_error tool:x"] {
        assert!(of(text).is_of_failures(), "{text}");
    }
    for text in ["", "-status:error", "status:ok", "-status:ok", "status:cancelled"] {
        assert!(!of(text).is_of_failures(), "{text}");
    }
    let (may, tools) =
        (|text: &str| of(text).may_be_of("shop__get_order"), |text: &str| of(text).is_of_tools());
    assert!(may("order server:shop -tool:list* duration:>1s") && tools("order") && tools("-server:x"));
    assert!(!may("server:git") && !may("-order") && !may("tool:\"shop__get\""));
    assert!(may("status:error") && !tools("status:error client:x") && !tools(""));
}

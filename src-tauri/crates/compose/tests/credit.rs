//! The rules of credit: which call a value is said to come from.

use schemascope_compose::{Flow, How, Observed, Windows};
use schemascope_model::CallId;
use serde_json::{Value, json};

/// A session in the making: calls in the order of their ends.
struct Script {
    windows: Windows,
    next: u128,
}

impl Script {
    fn new() -> Self {
        Self { windows: Windows::new((1, 2)), next: 0 }
    }

    #[expect(clippy::needless_pass_by_value, reason = "results are written where they are given")]
    fn call(
        &mut self,
        session: &str,
        tool: &str,
        times: (u64, u64),
        arguments: &Value,
        result: Option<Value>,
    ) -> Flow {
        let stateless = session.starts_with("client");
        self.next += 1;
        self.windows.observe(&Observed {
            id: CallId::from_bytes(self.next.to_be_bytes()),
            session,
            stateless,
            tool,
            start: times.0,
            end: times.1,
            arguments,
            result: result.as_ref(),
        })
    }
}

fn sources(flow: &Flow) -> Vec<(&str, &str, &str, How)> {
    flow.links.iter().map(|link| (&*link.tool, &*link.output, &*link.input, link.how)).collect()
}

#[test]
fn value_of_a_list_is_credited_to_the_call_that_gave_it() {
    let mut script = Script::new();
    script.call("a", "s__list", (0, 1), &json!({}), Some(json!({"orders": [{"id": "ord_4711"}]})));
    let flow =
        script.call("a", "s__get", (2, 3), &json!({"order_id": "ord_4711"}), Some(json!({"id": "ord_4711"})));
    assert_eq!(sources(&flow), [("s__list", "orders[].id", "order_id", How::Item)]);
    assert_eq!(flow.echoes.len(), 1);
    let flow =
        script.call("a", "s__cancel", (4, 5), &json!({"order_id": "ord_4711"}), Some(json!({"ok": true})));
    assert_eq!(sources(&flow), [("s__list", "orders[].id", "order_id", How::Item)], "not the echo of get");
}

#[test]
fn value_that_the_caller_used_before_has_no_source() {
    let mut script = Script::new();
    script.call("a", "s__find", (0, 1), &json!({"q": "ord_4711"}), Some(json!({"hits": 1})));
    script.call("a", "s__list", (2, 3), &json!({}), Some(json!({"orders": [{"id": "ord_4711"}]})));
    let flow = script.call("a", "s__get", (4, 5), &json!({"id": "ord_4711"}), None);
    assert!(flow.links.is_empty());
}

#[test]
fn value_of_a_failed_parallel_or_foreign_call_has_no_source() {
    let mut script = Script::new();
    script.call("a", "s__list", (0, 1), &json!({}), None);
    script.call("b", "s__list", (0, 1), &json!({}), Some(json!({"ids": ["ord_4711"]})));
    assert!(script.call("a", "s__get", (2, 3), &json!({"id": "ord_4711"}), None).links.is_empty());
    let mut script = Script::new();
    script.call("a", "s__list", (0, 10), &json!({}), Some(json!({"ids": ["ord_4711"]})));
    assert!(script.call("a", "s__get", (5, 12), &json!({"id": "ord_4711"}), None).links.is_empty());
}

#[test]
fn value_that_two_parallel_calls_gave_is_shared() {
    let mut script = Script::new();
    script.call("a", "s__one", (0, 10), &json!({}), Some(json!({"id": "ord_4711"})));
    script.call("a", "s__two", (5, 12), &json!({}), Some(json!({"ref": "ord_4711"})));
    let flow = script.call("a", "s__get", (20, 21), &json!({"id": "ord_4711"}), None);
    assert_eq!(flow.links.iter().map(|link| link.rivals).collect::<Vec<_>>(), [2, 2]);
}

/// A short word that was asked for comes back in every row. The rows got the credit for the next call that had it.
#[test]
fn word_that_rows_repeat_from_the_same_argument_has_no_source() {
    let mut script = Script::new();
    let rows = json!({"airports": [{"iata": "TXL", "city": "Berlin", "near": "Berlin"}]});
    let flow = script.call("a", "s__airports", (0, 1), &json!({"city": "Berlin"}), Some(rows.clone()));
    assert_eq!(&*flow.echoes[0].output, "airports[].city");
    let text = script.call("a", "s__hotels", (2, 3), &json!({"city": "Berlin"}), Some(json!({})));
    assert_eq!(sources(&text), [("s__airports", "airports[].near", "city", How::Item)]);
}

/// `web` of `acme/web` is also the name of a team.
#[test]
fn short_word_behind_a_slash_needs_its_folder() {
    let mut script = Script::new();
    script.call("a", "s__people", (0, 1), &json!({}), Some(json!({"team": "web", "repo": "site-api"})));
    let open = |script: &mut Script, repo: &str| {
        script.call("a", "s__open", (2, 3), &json!({"repo": repo}), None).links.len()
    };
    assert_eq!(open(&mut script, "acme/web"), 0);
    assert_eq!(open(&mut script, "acme/site-api"), 1);
    script.call("a", "s__orgs", (4, 5), &json!({}), Some(json!({"org": "acme-inc"})));
    let flow = script.call("a", "s__open", (6, 7), &json!({"repo": "acme-inc/web"}), None);
    assert_eq!(flow.links.len(), 2);
}

#[test]
fn every_form_is_recognized() {
    let mut script = Script::new();
    let result = json!({"n": 1234, "m": {"ST-0411": {"x": 1}, "ST-0412": {"x": 2}}, "text": "Created issue PROJ-17.",
        "hash": "0123456789abcdef0123456789abcdef01234567", "folder": "/home/ada", "names": ["notes-1.txt"], "key": "item_77x"});
    script.call("a", "s__all", (0, 1), &json!({}), Some(result));
    let mut form = |arguments: Value| {
        let flow = script.call("a", "s__use", (2, 3), &arguments, None);
        flow.links.iter().map(|link| (link.output.to_string(), link.how)).collect::<Vec<_>>()
    };
    assert_eq!(form(json!({"n": 1234})), [("n".to_owned(), How::Same)]);
    assert_eq!(form(json!({"n": "1234"})), [("n".to_owned(), How::NumberText)]);
    assert_eq!(form(json!({"s": "ST-0411"})), [("m{key}".to_owned(), How::Key)]);
    assert_eq!(form(json!({"i": "PROJ-17"})), [("text".to_owned(), How::Part)]);
    assert_eq!(form(json!({"h": "01234567"})), [("hash".to_owned(), How::Part)]);
    assert_eq!(form(json!({"u": "see item_77x please"})), [("key".to_owned(), How::Contains)]);
    let joined = form(json!({"p": "/home/ada/notes-1.txt"}));
    assert_eq!(joined, [("folder".to_owned(), How::Joined), ("names[]".to_owned(), How::Joined)]);
}

#[test]
fn cursor_of_a_tool_is_an_edge_to_itself() {
    let mut script = Script::new();
    script.call("a", "s__page", (0, 1), &json!({}), Some(json!({"next": "c0ffee12"})));
    let flow = script.call("a", "s__page", (2, 3), &json!({"cursor": "c0ffee12"}), Some(json!({})));
    assert_eq!(sources(&flow), [("s__page", "next", "cursor", How::Same)]);
}

#[test]
fn windows_stay_bounded_under_random_values() {
    let mut script = Script::new();
    for number in 0..250_u64 {
        let values: Vec<String> = (0..1_000).map(|value| format!("v{number}x{value}")).collect();
        script.call(
            &format!("s{}", number % 7),
            "s__noise",
            (number, number),
            &json!({}),
            Some(json!({"v": values})),
        );
    }
    assert!(script.windows.bytes() <= schemascope_compose::MAX_BYTES);
    assert!(script.windows.evicted().values + script.windows.evicted().sessions > 0);
}

#[test]
fn only_the_last_ten_minutes_of_a_client_without_session_count() {
    const MINUTE: u64 = 60_000;
    let at = |minute: u64| (minute * MINUTE, minute * MINUTE);
    let list = |script: &mut Script, minute: u64| {
        script.call("client", "s__list", at(minute), &json!({}), Some(json!({"ids": ["ord_4711"]})))
    };
    let get = |script: &mut Script, minute: u64| {
        script.call("client", "s__get", at(minute), &json!({"id": "ord_4711"}), Some(json!({"ok": true})))
    };
    let idle = |script: &mut Script, minutes: std::ops::Range<u64>| {
        minutes
            .step_by(5)
            .for_each(|minute| drop(script.call("client", "s__idle", at(minute), &json!({}), None)));
    };
    // After ten quiet minutes it is as if nothing had been.
    let mut script = Script::new();
    list(&mut script, 0);
    assert_eq!(
        get(&mut script, 1).links.iter().map(|link| (link.first, link.opens)).collect::<Vec<_>>(),
        [(true, true)]
    );
    list(&mut script, 20);
    let flow = get(&mut script, 21);
    assert_eq!((&*flow.after, flow.previous.as_deref()), (&["s__list".into()][..], Some("s__list")));
    assert_eq!(flow.links.iter().map(|link| (link.first, link.opens)).collect::<Vec<_>>(), [(true, true)]);
    // A client that is never quiet: the first use is too long ago to say that a person knew the value.
    let mut script = Script::new();
    script.call("client", "s__find", at(0), &json!({"q": "ord_4711"}), None);
    script.call("client", "s__store", at(0), &json!({}), Some(json!({"name": "Shop"})));
    idle(&mut script, 5..16);
    list(&mut script, 16);
    let flow = get(&mut script, 17);
    assert_eq!(sources(&flow), [("s__list", "ids[]", "id", How::Item)]);
    assert_eq!(&*flow.after, &["s__list".into()]);
    idle(&mut script, 20..36);
    let flow = get(&mut script, 36);
    assert_eq!((flow.links.len(), flow.after.len(), flow.previous), (0, 0, None));
}

//! What is drift, and what is none.

use schemascope_model::{Change, Ending, IdSource, Share, Timestamp, TypeName};
use schemascope_registry::drift::{Conformity, Drift, DriftEvent, Notice, Sighting};

/// A tool that is called.
struct Watched {
    drift: Drift,
    ids: IdSource,
    calls: u64,
    raised: Vec<DriftEvent>,
    ended: Vec<(DriftEvent, Ending)>,
}

impl Watched {
    fn new() -> Self {
        let drift = Drift::default();
        Self { drift, ids: IdSource::new(0, 0), calls: 0, raised: Vec::new(), ended: Vec::new() }
    }

    fn see(&mut self, arguments: &str, document: &str, conformity: Conformity<'_>) {
        self.calls += 1;
        let at = Timestamp::from_millis(self.calls * 60_000);
        let call = self.ids.at(at);
        let arguments = Some(arguments);
        for notice in self.drift.observe(&Sighting { call, at, arguments, document, conformity }) {
            match notice {
                Notice::Raised(event) => self.raised.push(event),
                Notice::Ended(event, ending) => self.ended.push((event, ending)),
            }
        }
    }

    /// So many calls, each for something else.
    fn calls(&mut self, count: u64, document: impl Fn(u64) -> String) {
        for _ in 0..count {
            let number = self.calls;
            self.see(&format!("{{\"id\":{number}}}"), &document(number), Conformity::Unknown);
        }
    }

    /// The only drift told.
    #[track_caller]
    fn only(&self) -> &DriftEvent {
        assert_eq!(self.raised.len(), 1, "{:?}", self.raised);
        &self.raised[0]
    }
}

/// Two thirds of the time like that: a cheap hash, so that neither parity nor runs play a part.
fn mostly(number: u64) -> bool {
    !(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).is_multiple_of(6)
}

fn user(number: u64) -> String {
    let note = if mostly(number) { ",\"note\":\"n\"" } else { "" };
    format!("{{\"id\":{number},\"name\":\"n{number}\",\"tags\":[{{\"label\":\"x{number}\"}}]{note}}}")
}

#[track_caller]
fn becomes(document: impl Fn(u64) -> String, path: &str, change: &Change) {
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(30, document);
    let event = tool.only();
    assert_eq!((event.path.as_str(), &event.change), (path, change));
    assert_eq!(event.examples.len(), 3);
    assert!(event.before.count > event.before.of / 2 && event.after.count == 0, "{event:?}");
    assert!(event.since < event.at);
}

#[test]
fn each_kind_of_change_is_told() {
    becomes(|n| user(n).replace("\"name\":", "\"title\":"), "name", &Change::Renamed { to: "title".into() });
    becomes(|n| user(n).replace(",\"note\":\"n\"", ""), "note", &Change::Removed);
    becomes(|n| user(n).replace("{\"id\"", "{\"more\":1,\"id\""), "more", &Change::Appeared);
    becomes(|n| user(n).replace(&format!("\"x{n}\""), "null"), "tags[].label", &Change::BecameNull);
    let retyped = Change::Retyped { from: TypeName::String, to: TypeName::Number };
    becomes(|n| user(n).replace(&format!("\"n{n}\""), "7"), "name", &retyped);
    let list = Change::Retyped { from: TypeName::Object, to: TypeName::Array };
    becomes(|n| format!("[{}]", user(n)), "", &list);
}

#[test]
fn a_tool_without_arguments_that_returns_the_same_each_time_drifts_too() {
    for same in [true, false] {
        let document =
            |n: u64| format!("{{\"ok\":true,\"load\":{},\"zone\":\"eu\"}}", if same { 1 } else { n });
        let mut tool = Watched::new();
        (0..200).for_each(|n| tool.see("{}", &document(n), Conformity::Unknown));
        (200..230)
            .for_each(|n| tool.see("{}", &document(n).replace(",\"zone\":\"eu\"", ""), Conformity::Unknown));
        assert_eq!((tool.only().path.as_str(), &tool.only().change), ("zone", &Change::Removed));
    }
}

/// A name for a rule that is broken.
const RULE: &str = "/required";

fn without_name(n: u64) -> String {
    user(n).replace("\"name\":", "\"title\":")
}

impl Watched {
    /// So many calls of users, some of which fit.
    fn judged(&mut self, count: u64, schema: &str, fits: bool) {
        for _ in 0..count {
            let number = self.calls;
            let conformity =
                if fits { Conformity::Fits(schema) } else { Conformity::Breaks { schema, rule: RULE } };
            self.see(&format!("{{\"id\":{number}}}"), &user(number), conformity);
        }
    }
}

#[test]
fn rules_that_were_kept_and_are_broken_are_told() {
    let mut tool = Watched::new();
    tool.judged(50, "one", true);
    tool.judged(30, "one", false);
    assert_eq!((tool.only().path.as_str(), &tool.only().change), (RULE, &Change::Violated));
    // Another schema: that rule is none any more. The first one again: it is broken, and reported again.
    tool.judged(30, "two", true);
    assert_eq!(tool.ended.len(), 1);
    assert_eq!((tool.ended[0].1, tool.drift.open().count()), (Ending::OtherSchema, 0));
    tool.judged(30, "one", false);
    assert_eq!(tool.raised.len(), 2);
    assert_eq!(tool.drift.ending(tool.raised[0].key()), Some(Ending::OtherSchema));
    assert_eq!(tool.drift.ending(tool.raised[1].key()), None);
}

/// A tool that never returned what it declares has not changed, also where it does so now and then.
#[test]
fn rules_that_were_never_kept_are_not_told() {
    let mut never = Watched::new();
    never.judged(60, "declared", false);
    let mut half = Watched::new();
    (0..60).for_each(|n| half.judged(1, "declared", n % 2 == 0));
    assert_eq!((never.raised, half.raised), (Vec::new(), Vec::new()));
}

/// Of a result that breaks several rules one is known, which says nothing of the others.
#[test]
fn rules_behind_a_broken_one_are_not_taken_for_kept() {
    let mut tool = Watched::new();
    tool.calls(20, user);
    for n in 0..40 {
        let rule = if n % 4 == 0 { "/properties/id/type" } else { RULE };
        tool.see("{}", &user(n), Conformity::Breaks { schema: "one", rule });
    }
    let shares: Vec<[Share; 2]> = tool.raised.iter().map(|event| [event.before, event.after]).collect();
    // The schema came into effect later: it was compared with no result before.
    assert!(!shares.is_empty());
    assert!(shares.iter().all(|[before, after]| before.of == 0 && after.count == 0), "{shares:?}");
    assert_eq!(tool.ended, []);
}

#[test]
fn shares_are_those_of_all_results() {
    for before in [33, 93, 700] {
        let mut tool = Watched::new();
        tool.calls(before, user);
        tool.calls(40, without_name);
        let count = u32::try_from(before).unwrap();
        assert_eq!(tool.only().before, Share { count, of: count });
        tool.calls(40, |n| format!("{},\"fax\":1}}", without_name(n).trim_end_matches('}')));
        let fax = &tool.raised[1];
        assert_eq!((fax.path.as_str(), fax.before), ("fax", Share { count: count + 40, of: count + 40 }));
    }
    let mut judged = Watched::new();
    judged.judged(50, "one", true);
    judged.judged(30, "one", false);
    assert_eq!(judged.only().before, Share { count: 50, of: 50 });
    let open: Vec<Share> = judged.drift.open().map(|event| event.after).collect();
    assert_eq!(open, [Share { count: 0, of: 30 }]);
}

/// Regression: results that share a state, a plan and a number were taken for one thing that is looked at again, so that
/// of 130 results without arguments the change of the last 50 was no drift.
#[test]
fn results_that_share_common_values_are_not_one_thing() {
    let mut tool = Watched::new();
    let hashed = |n: u64, of: u64| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % of;
    let account = |n: u64, name: &str| {
        let (state, plan) =
            (["active", "blocked"][hashed(n, 2) as usize], ["free", "pro"][hashed(n + 7, 2) as usize]);
        format!(
            "{{\"id\":{n},\"name\":{name},\"state\":\"{state}\",\"plan\":\"{plan}\",\"seats\":{}}}",
            n % 7
        )
    };
    for n in 0..80 {
        tool.see("{}", &account(n, &format!("\"n{n}\"")), Conformity::Unknown);
    }
    for n in 80..130 {
        tool.see(
            "{}",
            &account(n, &format!("{{\"first\":\"f{n}\",\"last\":\"l{n}\"}}")),
            Conformity::Unknown,
        );
    }
    let retyped = Change::Retyped { from: TypeName::String, to: TypeName::Object };
    assert_eq!((tool.only().path.as_str(), &tool.only().change), ("name", &retyped));
}

#[test]
fn it_is_told_once_until_it_is_over() {
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(500, without_name);
    let first = tool.only().clone();
    assert_eq!(first.began, 151);
    tool.calls(30, user);
    assert_eq!(tool.ended.len(), 1);
    assert_eq!((tool.ended[0].0.key(), tool.ended[0].1), (first.key(), Ending::Returned));
    assert_eq!((tool.drift.open().count(), tool.drift.ending(first.key())), (0, Some(Ending::Returned)));
    tool.calls(30, without_name);
    assert_eq!(tool.raised.len(), 2);
    assert_ne!(tool.raised[1].key(), first.key());
}

#[test]
fn what_a_new_schema_takes_is_the_usual_from_then_on() {
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(60, without_name);
    let see = |tool: &mut Watched, document: fn(u64) -> String, conformity| {
        let number = tool.calls;
        tool.see(&format!("{{\"id\":{number}}}"), &document(number), conformity);
    };
    // Made for results as they were: that does not end it.
    see(&mut tool, without_name, Conformity::Breaks { schema: "old", rule: RULE });
    assert_eq!(tool.ended, []);
    see(&mut tool, without_name, Conformity::Fits("new"));
    assert_eq!(tool.ended.len(), 1);
    tool.calls(300, without_name);
    assert_eq!((tool.raised.len(), tool.ended.len()), (1, 1));
    tool.calls(40, user);
    assert_eq!(tool.raised.len(), 2);
}

/// Many things are asked for, then one again and again: its own change says nothing of the tool.
#[test]
fn one_thing_that_changes_is_no_drift() {
    let done = |n: u64| user(n).replace("\"name\":", "\"result\":");
    let mut tool = Watched::new();
    tool.calls(300, user);
    (0..120).for_each(|_| tool.see("{\"id\":7}", &user(7), Conformity::Unknown));
    (0..60).for_each(|_| tool.see("{\"id\":7}", &done(7), Conformity::Unknown));
    assert_eq!(tool.raised, []);
    tool.calls(20, done);
    assert_eq!(tool.raised.len(), 1);
}

#[track_caller]
fn is_none(calls: impl IntoIterator<Item = (String, String)>) {
    let mut tool = Watched::new();
    for (arguments, document) in calls {
        tool.see(&arguments, &document, Conformity::Unknown);
    }
    assert_eq!(tool.raised, []);
}

#[test]
fn other_arguments_are_no_drift() {
    let call = |n: u64| match n {
        0..200 => (format!("{{\"id\":{n}}}"), user(n)),
        _ => (format!("{{\"id\":{n},\"format\":\"brief\"}}"), format!("{{\"brief\":{n}}}")),
    };
    is_none((0..400).map(call));
    let other_kind = |n: u64| match n {
        0..200 => (format!("{{\"key\":\"user_{n}\"}}"), user(n)),
        _ => (format!("{{\"key\":\"order_{n}\"}}"), format!("{{\"total\":{n},\"lines\":[]}}")),
    };
    is_none((0..400).map(other_kind));
}

#[test]
fn asking_for_the_same_again_and_again_is_no_drift() {
    let bare = (0..300).filter(|n| !mostly(*n)).take(3).collect::<Vec<_>>();
    let polled = bare.into_iter().flat_map(|n| std::iter::repeat_n(n, 200));
    is_none((1_000..1_150).chain(polled).map(|n| (format!("{{\"id\":{n}}}"), user(n))));
}

#[test]
fn keys_that_are_data_are_no_drift() {
    let word = |n: u64| ["oak", "elm", "ash", "fir", "yew", "bay"][(n % 6) as usize];
    let map = |n: u64| {
        let words = (0..4).map(|at| format!("\"{}{}\":{n}", word(n * 7 + at * 5), word(n / 9 + at)));
        format!("{{\"counts\":{{{}}},\"2026-{n}\":1}}", words.collect::<Vec<_>>().join(","))
    };
    is_none((0..600).map(|n| (format!("{{\"id\":{n}}}"), map(n))));
}

#[test]
fn neither_the_length_of_arrays_nor_slow_change_is_drift() {
    let list = |n: u64| {
        let length = if n < 300 { 1 + n % 40 } else { n % 2 };
        let items =
            (0..length).map(|at| format!("{{\"a\":1{}}}", if mostly(n * 50 + at) { ",\"b\":2" } else { "" }));
        format!("{{\"items\":[{}]}}", items.collect::<Vec<_>>().join(","))
    };
    is_none((0..600).map(|n| (format!("{{\"id\":{n}}}"), list(n))));
    let slow = |n: u64| {
        let there = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % 4_000 > n;
        format!("{{\"id\":{n}{}}}", if there { ",\"old\":1" } else { "" })
    };
    is_none((0..4_000).map(|n| (format!("{{\"id\":{n}}}"), slow(n))));
}

#[test]
fn a_redacted_value_has_the_type_it_stands_for() {
    let mut tool = Watched::new();
    tool.calls(150, |n| format!("{{\"id\":{n},\"pin\":{n}}}"));
    tool.calls(60, |n| format!("{{\"id\":{n},\"pin\":\"⟦redacted integer⟧\"}}"));
    assert_eq!(tool.raised, []);
}

/// What is below items far behind is not looked at; what stands behind the array is.
#[test]
fn of_a_long_array_the_first_items_tell() {
    let page = |n: u64, last: &str| {
        let items: Vec<String> = (0..500).map(|item| user(n * 500 + item)).collect();
        format!("{{\"items\":[{}],\"brackets\":\"]}}\",{last}:1}}", items.join(","))
    };
    let told = |document: &dyn Fn(u64) -> String| {
        let mut tool = Watched::new();
        tool.calls(60, |n| page(n, "\"next\""));
        tool.calls(30, document);
        tool.raised
    };
    let renamed = told(&|n| page(n, "\"next\"").replace("\"name\":", "\"title\":"));
    assert_eq!(renamed.len(), 1, "{renamed:?}");
    assert_eq!(renamed[0].path, "items[].name");
    let behind = told(&|n| page(n, "\"after\""));
    assert_eq!(behind.len(), 1, "{behind:?}");
    assert_eq!(behind[0].path, "next");
}

/// Regression: a drift ended, and another began, again and again while half of the results were as before.
#[test]
fn it_is_not_over_while_results_are_mixed() {
    for share in [2, 3] {
        let mut tool = Watched::new();
        tool.calls(150, user);
        tool.calls(40, without_name);
        tool.only();
        tool.calls(400, |n| if (n * 7_919 + n / 3) % share == 0 { without_name(n) } else { user(n) });
        assert_eq!((tool.raised.len(), tool.ended.len()), (1, 0), "one in {share}");
        tool.calls(40, user);
        assert_eq!((tool.raised.len(), tool.ended.len()), (1, 1), "one in {share}");
    }
}

//! Laws of merging, budgets and completeness, for random answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use schemascope_interview::{
    Aid, Change, Context, Interviews, Library, Origin, Pursuit, Scripts, SourceFile, Stamp, Step, StepError,
    call, fold,
};
use serde_json::{Map, Value, json};

/// A Discovery Schema with values of every form.
fn schema(cost: &str) -> String {
    let file = json!({
        "budget-decrement": cost.parse::<f64>().unwrap(),
        "required": ["/name", "/duration", "/steps/**/duration"],
        "DS": {
            "DS-id": "process/law",
            "name": "bread",
            "duration": {"units": "h", "value-string": "2"},
            "words": ["a"],
            "steps": [{"step-id": "a", "note": "n", "duration": {"units": "h", "value-string": "1"}, "words": ["x"],
                "steps": []}],
            "exhausted?": true,
        },
    });
    file.to_string()
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just("a"), Just("b"), Just("c"), Just("d")].prop_map(str::to_owned)
}

fn words() -> impl Strategy<Value = Value> {
    prop::collection::vec(word(), 0..4).prop_map(Value::from)
}

fn duration() -> impl Strategy<Value = Value> {
    (prop::option::of(word()), prop::option::of(word())).prop_map(|(units, value)| {
        members(vec![("units", units.map(Value::from)), ("value-string", value.map(Value::from))])
    })
}

/// An object with the members that have a value.
fn members(parts: Vec<(&'static str, Option<Value>)>) -> Value {
    let mut object = Map::new();
    for (key, value) in parts {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    }
    Value::Object(object)
}

fn step() -> impl Strategy<Value = Value> {
    let leaf = (word(), prop::option::of(word()), prop::option::of(duration()), prop::option::of(words()))
        .prop_map(|(id, note, duration, words)| {
            let note = note.map(Value::from);
            members(vec![
                ("step-id", Some(id.into())),
                ("note", note),
                ("duration", duration),
                ("words", words),
            ])
        });
    leaf.prop_recursive(2, 8, 3, |inner| {
        (word(), prop::option::of(duration()), prop::collection::vec(inner, 0..3)).prop_map(
            |(id, duration, steps)| {
                members(vec![
                    ("step-id", Some(id.into())),
                    ("duration", duration),
                    ("steps", Some(steps.into())),
                ])
            },
        )
    })
}

/// What one answer says.
fn scr() -> impl Strategy<Value = Value> {
    (
        prop::option::of(word()),
        prop::option::of(duration()),
        prop::option::of(words()),
        prop::collection::vec(step(), 0..4),
    )
        .prop_map(|(name, duration, words, steps)| {
            let name = name.map(Value::from);
            members(vec![
                ("name", name),
                ("duration", duration),
                ("words", words),
                ("steps", Some(steps.into())),
            ])
        })
}

fn scrs() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(scr(), 1..6)
}

fn changes(scrs: &[Value]) -> Vec<Change> {
    let numbered = scrs.iter().enumerate();
    numbered
        .map(|(at, scr)| Change::Merge { question_id: format!("q{at}"), scr: scr.clone(), at: at as u64 })
        .collect()
}

fn id_of(item: &Value) -> Option<String> {
    item.get("step-id").and_then(Value::as_str).map(str::to_owned)
}

/// Every place with a value: scalars by path, items with an id by the id, other items by their content.
fn places(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| places(member, &format!("{path}/{key}"), found));
        }
        Value::Array(items) => {
            for item in items {
                match id_of(item) {
                    Some(id) => places(item, &format!("{path}/[{id}]"), found),
                    None => {
                        found.insert(format!("{path}={item}"));
                    }
                }
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

fn places_of(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    places(value, "", &mut found);
    found
}

struct World {
    interviews: Interviews,
    library: Library,
    scripts: Scripts,
    count: u64,
}

impl World {
    fn new(cost: &str) -> Self {
        let file = SourceFile { path: "law.json".into(), text: schema(cost), origin: Origin::Own };
        let library = Library::read(&[file]);
        assert!(library.unusable().is_empty(), "{:?}", library.unusable());
        let mut world =
            Self { interviews: Interviews::default(), library, scripts: Scripts::default(), count: 0 };
        world.call("start_interview", json!({})).unwrap();
        world.tool("start_ds_pursuit", json!({"ds_id": "process/law"})).unwrap();
        world
    }

    fn call(&mut self, name: &str, arguments: Value) -> Result<Value, StepError> {
        self.count += 1;
        let stamp = Stamp { now: self.count, actor: "law".into(), id: self.count.to_string() };
        let validate = |_: &Value, _: &Value| Vec::new();
        let context = Context {
            interviews: &self.interviews,
            library: &self.library,
            scripts: &self.scripts,
            stamp: &stamp,
            validate: &validate,
        };
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let Step { reply, events } = call(&context, name, arguments, &Aid::default())?;
        events.iter().for_each(|event| self.interviews.apply(event));
        Ok(reply)
    }

    fn tool(&mut self, name: &str, mut arguments: Value) -> Result<Value, StepError> {
        arguments["project_id"] = json!("project-1");
        arguments["conversation_id"] = json!("conversation-1");
        self.call(name, arguments)
    }

    fn pursuit(&self) -> &Pursuit {
        self.interviews.conversation("project-1", "conversation-1").unwrap().pursuit("process/law").unwrap()
    }
}

/// Number of questions until the budget is spent.
fn questions(cost: &str) -> usize {
    let mut world = World::new(cost);
    let mut count = 0;
    while let Ok(question) = world.tool("get_next_question", json!({})) {
        count += 1;
        let id = question["question_id"].clone();
        world.tool("process_ds_answer", json!({"question_id": id, "answer": "I don't know"})).unwrap();
    }
    let error = world.tool("get_next_question", json!({})).unwrap_err();
    assert!(error.message.contains("exhausted"), "{error}");
    assert_eq!(world.tool("get_ds_status", json!({})).unwrap()["state"], "exhausted");
    count
}

#[test]
fn budget_gives_the_whole_number_of_questions() {
    assert_eq!(questions("0.07"), 14);
    assert_eq!(questions("0.10"), 10);
    assert_eq!((questions("0.05"), questions("0.15")), (20, 6));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn same_answer_twice_equals_once(scrs in scrs()) {
        let once = changes(&scrs);
        let mut twice = once.clone();
        twice.extend(once.last().cloned());
        prop_assert_eq!(fold(&twice), fold(&once));
    }

    #[test]
    fn later_answers_keep_every_earlier_place(scrs in scrs()) {
        let changes = changes(&scrs);
        for end in 1..changes.len() {
            let earlier = places_of(&fold(&changes[..end]).value);
            let later = places_of(&fold(&changes).value);
            prop_assert!(earlier.is_subset(&later), "lost {:?}", earlier.difference(&later));
        }
    }

    #[test]
    fn every_order_gives_the_same_places((scrs, shuffled) in scrs().prop_flat_map(|scrs| (Just(scrs.clone()), Just(scrs).prop_shuffle()))) {
        let one = fold(&changes(&scrs)).value;
        let other = fold(&changes(&shuffled)).value;
        prop_assert_eq!(places_of(&one), places_of(&other));
    }

    #[test]
    fn retraction_removes_what_it_names_and_nothing_else(scrs in scrs()) {
        let mut changes = changes(&scrs);
        let before = fold(&changes).value;
        changes.push(Change::Retract { pointers: vec!["/duration".to_owned()], at: 9 });
        let after = fold(&changes).value;
        let kept = places_of(&before).into_iter().filter(|place| !place.starts_with("/duration"));
        let kept: BTreeSet<String> = kept.collect();
        prop_assert_eq!(places_of(&after), kept);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn aggregate_is_the_fold_of_the_stored_answers(scrs in scrs(), exhausted in prop::option::of(any::<bool>())) {
        let mut world = World::new("0.05");
        let mut before = 0.0;
        for (at, scr) in scrs.iter().enumerate() {
            let Ok(question) = world.tool("get_next_question", json!({})) else { break };
            let mut answer = scr.clone();
            if at == 1 && exhausted.is_some() {
                answer["exhausted?"] = json!(exhausted);
            }
            let input = json!({"question_id": question["question_id"], "answer": answer});
            // An answer may say two things of one item, and is asked for again.
            let Ok(reply) = world.tool("process_ds_answer", input) else {
                let before = world.pursuit().aggregate().clone();
                prop_assert_eq!(&before, &fold(&world.pursuit().changes).value);
                continue;
            };
            let pursuit = world.pursuit();
            let stored: Vec<Change> = pursuit.questions.iter().filter_map(|asked| {
                let scr = asked.answered.as_ref()?.answer.scr.clone()?;
                Some(Change::Merge { question_id: asked.question.question_id.clone(), scr, at: asked.answered.as_ref()?.at })
            }).collect();
            prop_assert_eq!(&fold(&stored).value, pursuit.aggregate());
            prop_assert_eq!(&fold(&pursuit.changes).value, pursuit.aggregate());
            prop_assert_eq!(&reply["updated_ascr"], pursuit.aggregate());
            // Completeness never falls without a retraction, and is 1 exactly when complete.
            let completeness = reply["completeness"].as_f64().unwrap();
            prop_assert!(completeness >= before && completeness <= 1.0);
            before = completeness;
            prop_assert_eq!(completeness == 1.0, reply["next_action"] == "complete");
            prop_assert_eq!(completeness == 1.0, pursuit.is_complete());
            prop_assert!(completeness == 1.0 || !is_filled_entirely(pursuit.aggregate()));
        }
    }
}

/// Whether everything that the schema requires is there, found out independently of the crate.
fn is_filled_entirely(aggregate: &Value) -> bool {
    let has_duration = |value: &Value| {
        value.get("duration").and_then(Value::as_object).is_some_and(|duration| !duration.is_empty())
    };
    fn steps_have(steps: &Value, test: &dyn Fn(&Value) -> bool) -> bool {
        steps.as_array().into_iter().flatten().all(|step| test(step) && steps_have(&step["steps"], test))
    }
    let has_steps = aggregate["steps"].as_array().is_some_and(|steps| !steps.is_empty());
    let is_whole = aggregate["name"].is_string()
        && has_duration(aggregate)
        && has_steps
        && steps_have(&aggregate["steps"], &has_duration);
    is_whole || aggregate["exhausted?"] == true
}

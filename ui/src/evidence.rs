//! What is known of a field, in the words that tell the most.
//!
//! Owns: which numbers are said, and in what order. Refuses to know: how they are drawn. What comes from
//! upstreams is in the texts as it is; who shows them names what misleads.

use schemascope_api::{FieldRow, Stability, TypeRow, ValueRow, ValueSummary};

use crate::numbers::{count, interval, percent, share};
use crate::{order, text};

/// Values told in a line.
const TOLD: usize = 3;
/// Characters of one value in a line.
const SHORT: usize = 24;

/// Whether the whole value has more to say than that it is an object.
pub fn root_tells(root: &FieldRow) -> bool {
    root.kinds != ["object"]
        || root.agreement < 1.0
        || !root.decisions.is_empty()
        || !root.alternatives.is_empty()
}

/// The field has values of another type than most of them.
pub fn is_mixed(field: &FieldRow) -> bool {
    field.consistency + 1e-9 < field.present as f64 / field.parents.max(1) as f64
}

/// A union's types, the most frequent first, null last; empty where there is no union. Integers are
/// numbers, and null alone makes none.
pub fn mix(field: &FieldRow) -> Vec<&TypeRow> {
    let mut types: Vec<&TypeRow> = field.types.iter().filter(|kind| kind.count > 0).collect();
    order::sort(&mut types, |a, b| (a.name == "null").cmp(&(b.name == "null")).then(b.count.cmp(&a.count)));
    let numbers = ["integer", "number"];
    let others = types.iter().filter(|kind| kind.name != "null");
    let numbers_only = others.clone().all(|kind| numbers.contains(&kind.name.as_str()));
    if others.count() > 1 && !numbers_only { types } else { Vec::new() }
}

/// All values of a field.
pub fn values(field: &FieldRow) -> u64 {
    field.types.iter().map(|kind| kind.count).sum()
}

/// A field in a few words: what is unusual first, then what its values are like.
pub fn learned(field: &FieldRow) -> String {
    let all = values(field);
    let mut words = Vec::new();
    let mix = mix(field);
    let nulls = field.types.iter().find(|kind| kind.name == "null").map_or(0, |kind| kind.count);
    if !mix.is_empty() {
        words.extend(mix.iter().map(|kind| format!("{} {}", kind.name, percent(kind.count, all))));
    } else if field.agreement < 1.0 {
        words.push(format!("{} agree", share(field.agreement)));
    } else if nulls > 0 && nulls == all {
        words.push("always null".into());
    } else if nulls > 0 {
        words.push(format!("null in {}", percent(nulls, all)));
    }
    if field.present < field.parents {
        words.push(format!("missing in {}", percent(field.parents - field.present, field.parents)));
    }
    words.extend(like(field));
    if words.is_empty() {
        // Its type is said beside, and that it is required by its name.
        let more =
            |decision: &str| decision != "required" && !field.kinds.iter().any(|kind| kind == decision);
        let decision = field.decisions.iter().map(|row| &row.decision).find(|decision| more(decision));
        words.push(decision.cloned().unwrap_or_else(|| format!("all {} agree", count(all))));
    }
    words.join(" · ")
}

/// What its values are like.
fn like(field: &FieldRow) -> Vec<String> {
    let values = &field.values;
    let seen: u64 = values.counted.iter().map(|value| value.count).sum();
    // Numbers beside shares are hard to tell apart, and their range says more.
    let is_number = |value: &ValueRow| value.json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let by_range = values.range.is_some() && values.counted.iter().all(is_number);
    if let [only] = values.counted.as_slice() {
        return vec![format!("only {}", plain(&only.json))];
    }
    if !values.counted.is_empty() && !by_range {
        let shown = |value: &ValueRow| format!("{} {}", plain(&value.json), percent(value.count, seen));
        let mut words: Vec<String> = values.counted.iter().take(TOLD).map(shown).collect();
        match values.counted.len() {
            0..=TOLD => {}
            more => words.push(format!("{} more", more - TOLD)),
        }
        return words;
    }
    // Why keys are taken for data.
    let map = field.decisions.iter().find(|row| row.decision.starts_with("map of"));
    let mut words: Vec<String> = map.map(|row| row.because.clone()).into_iter().collect();
    words.extend(range(values));
    words.extend(values.items.map(|(least, most)| format!("{} items", between(least, most))));
    words.extend(distinct(values).map(|distinct| format!("{distinct} distinct")));
    if map.is_none() && values.range.is_none() {
        words.extend(values.examples.first().map(|example| plain(example)));
    }
    words
}

/// The numbers of a field, by name.
pub fn facts(field: &FieldRow) -> Vec<(&'static str, String)> {
    let values = &field.values;
    let mut facts = vec![
        ("present", format!("{} of {}", count(field.present), count(field.parents))),
        ("95 % interval", interval(field.interval)),
    ];
    if field.agreement < 1.0 {
        facts.push(("types agree", share(field.agreement)));
    }
    facts.extend(distinct(values).map(|text| ("distinct", text)));
    facts.extend(range(values).map(|text| ("range", text)));
    facts.extend(values.lengths.map(|(least, most)| ("characters", between(least, most))));
    facts.extend(values.items.map(|(least, most)| ("items", between(least, most))));
    facts
}

fn distinct(values: &ValueSummary) -> Option<String> {
    values.distinct.map(|of| format!("{}{}", if of.exact { "" } else { "about " }, count(of.count)))
}

fn range(values: &ValueSummary) -> Option<String> {
    let (least, most) = values.range.as_ref()?;
    let (least, most) = (text::visible(least, SHORT), text::visible(most, SHORT));
    Some(if least == most { least } else { format!("{least} – {most}") })
}

fn between(least: u64, most: u64) -> String {
    if least == most { count(least) } else { format!("{}–{}", count(least), count(most)) }
}

/// A JSON value in a line of words: a string without its quotes, cut.
fn plain(json: &str) -> String {
    let inner = json.strip_prefix('"').map(|json| json.strip_suffix('"').unwrap_or(json));
    match inner {
        // An empty one would not be seen.
        Some("") | None => text::visible(json, SHORT),
        Some(inner) => text::visible(inner, SHORT),
    }
}

/// How long the structure has been the same, and the part of it that matters; nothing as long as there is
/// one day only.
pub fn stability(stability: Stability) -> Option<(&'static str, String)> {
    match stability {
        Stability { of: 0 | 1, .. } => None,
        Stability { days: 0, .. } => Some(("structure changed on ", "the latest day".into())),
        Stability { days, of } if days >= of => Some(("structure unchanged for ", format!("all {of} days"))),
        Stability { days, of } => Some(("structure unchanged for ", format!("{days} of {of} days"))),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use schemascope_api::{DecisionRow, Distinct};

    use super::*;

    /// A field that is always a string.
    pub fn field(path: &str, name: &str) -> FieldRow {
        FieldRow {
            path: path.into(),
            name: name.into(),
            depth: 0,
            kinds: vec!["string".into()],
            types: types(&[("string", 40)]),
            present: 40,
            parents: 40,
            interval: (0.912, 1.0),
            consistency: 1.0,
            agreement: 1.0,
            required: true,
            values: ValueSummary::default(),
            decisions: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    fn types(types: &[(&str, u64)]) -> Vec<TypeRow> {
        types.iter().map(|(name, count)| TypeRow { name: (*name).into(), count: *count }).collect()
    }

    fn counted(values: &[(&str, u64)]) -> Vec<ValueRow> {
        values.iter().map(|(json, count)| ValueRow { json: (*json).into(), count: *count }).collect()
    }

    fn said(field: &FieldRow) -> String {
        learned(field).replace('\u{202F}', "")
    }

    #[test]
    fn the_unusual_is_said_first() {
        let mut field = field("a", "a");
        assert_eq!(said(&field), "all 40 agree");
        field.types = types(&[("null", 4), ("object", 6), ("string", 30)]);
        assert!(mix(&field).iter().map(|kind| kind.name.as_str()).eq(["string", "object", "null"]));
        assert_eq!(said(&field), "string 75% · object 15% · null 10%");
        field.types = types(&[("null", 10), ("integer", 10), ("number", 20)]);
        assert!(mix(&field).is_empty());
        field.parents = 80;
        field.values.range = Some(("0.12".into(), "99.87".into()));
        assert_eq!(said(&field), "null in 25% · missing in 50% · 0.12 – 99.87");
        field.types = types(&[("null", 40)]);
        field.values.range = None;
        assert_eq!(said(&field), "always null · missing in 50%");
    }

    #[test]
    fn values_are_said_as_what_they_are() {
        let mut field = field("a", "a");
        field.values.counted = counted(&[("\"EUR\"", 6), ("\"\"", 3), ("7", 1), ("8", 1)]);
        assert_eq!(said(&field), "EUR 55% · \"\" 27% · 7 9.1% · 1 more");
        field.values.counted.truncate(1);
        assert_eq!(said(&field), "only EUR");
        field.values.counted = counted(&[("1", 6), ("2", 3), ("-1", 1)]);
        field.values.range = Some(("-1".into(), "2".into()));
        field.values.distinct = Some(Distinct { count: 3, exact: true });
        assert_eq!(said(&field), "-1 – 2 · 3 distinct");
        field.values = ValueSummary {
            distinct: Some(Distinct { count: 1_190, exact: false }),
            examples: vec![format!("\"{}\"", "x".repeat(90))],
            ..ValueSummary::default()
        };
        assert_eq!(said(&field), format!("about 1190 distinct · {}…", "x".repeat(SHORT)));
        field.values.items = Some((0, 50));
        field.values.lengths = Some((9, 9));
        let facts: Vec<String> = facts(&field)
            .into_iter()
            .map(|(name, text)| format!("{name} {text}").replace('\u{202F}', ""))
            .collect();
        assert_eq!(
            facts,
            [
                "present 40 of 40",
                "95 % interval 91.2–100%",
                "distinct about 1190",
                "characters 9",
                "items 0–50"
            ]
        );
        field.decisions = vec![DecisionRow { decision: "map of integer".into(), because: "412 keys".into() }];
        assert_eq!(said(&field), "412 keys · 0–50 items · about 1190 distinct");
    }

    #[test]
    fn a_plain_object_says_nothing_of_itself() {
        let mut root = FieldRow { kinds: vec!["object".into()], ..field("", "") };
        assert!(!root_tells(&root));
        root.decisions = vec![
            DecisionRow { decision: "required".into(), because: String::new() },
            DecisionRow { decision: "object".into(), because: String::new() },
        ];
        assert_eq!(said(&root), "all 40 agree");
        root.decisions.push(DecisionRow { decision: "closed object".into(), because: String::new() });
        assert_eq!(said(&root), "closed object");
        root.decisions.clear();
        root.agreement = 0.9;
        assert!(root_tells(&root));
        assert!(root_tells(&field("", "")));
    }

    #[test]
    fn stability_needs_days_to_compare() {
        let said = |days, of| stability(Stability { days, of }).map(|(lead, what)| format!("{lead}{what}"));
        assert_eq!(said(1, 1), None);
        assert_eq!(said(0, 3).unwrap(), "structure changed on the latest day");
        assert_eq!(said(3, 8).unwrap(), "structure unchanged for 3 of 8 days");
        assert_eq!(said(8, 8).unwrap(), "structure unchanged for all 8 days");
    }
}

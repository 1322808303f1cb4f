//! Summaries of a field in words and numbers.
//!
//! Texts may contain characters from servers unchanged; the view shows misleading ones by their code.

use schemascope_api::{FieldRow, Stability, TypeRow, ValueRow, ValueSummary};

use crate::numbers::{count, interval, percent, share};
use crate::{order, text};

/// Most values in a line.
const MAX_VALUES: usize = 3;
/// Most characters of a value in a line.
const MAX_CHARS: usize = 24;

/// Whether more is known of the whole value than that it is an object.
pub fn root_is_notable(root: &FieldRow) -> bool {
    root.kinds != ["object"]
        || root.agreement < 1.0
        || !root.decisions.is_empty()
        || !root.alternatives.is_empty()
}

/// Whether some values have another type than most.
pub fn is_mixed(field: &FieldRow) -> bool {
    field.consistency + 1e-9 < field.present as f64 / field.parents.max(1) as f64
}

/// The types of a union, the most frequent first, null last; empty if there is no union. Integers count as
/// numbers, and null does not make a union.
pub fn mix(field: &FieldRow) -> Vec<&TypeRow> {
    let mut types: Vec<&TypeRow> = field.types.iter().filter(|kind| kind.count > 0).collect();
    order::sort(&mut types, |a, b| (a.name == "null").cmp(&(b.name == "null")).then(b.count.cmp(&a.count)));
    let numbers = ["integer", "number"];
    let others = types.iter().filter(|kind| kind.name != "null");
    let numbers_only = others.clone().all(|kind| numbers.contains(&kind.name.as_str()));
    if others.count() > 1 && !numbers_only { types } else { Vec::new() }
}

/// Number of values of a field.
pub fn values(field: &FieldRow) -> u64 {
    field.types.iter().map(|kind| kind.count).sum()
}

/// A part of what is said of a field: a value of its tool, with words of ours before or behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Words before the value.
    pub before: String,
    /// The value, which is foreign, and perhaps written from right to left.
    pub value: String,
    /// Words behind it.
    pub behind: String,
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.before, self.value, self.behind)
    }
}

impl From<String> for Said {
    fn from(before: String) -> Self {
        Self { before, ..Self::default() }
    }
}

/// A field in a few words: irregularities first, then its values.
pub fn summary(field: &FieldRow) -> Vec<Said> {
    let all = values(field);
    let mut words: Vec<String> = Vec::new();
    let mix = mix(field);
    let nulls = field.types.iter().find(|kind| kind.name == "null").map_or(0, |kind| kind.count);
    if !mix.is_empty() {
        words.extend(mix.iter().map(|kind| format!("{} {}", kind.name, percent(kind.count, all))));
    } else if field.agreement < 1.0 {
        words.push(format!("{} of the same type", share(field.agreement)));
    } else if nulls > 0 && nulls == all {
        words.push("always null".into());
    } else if nulls > 0 {
        words.push(format!("null in {}", percent(nulls, all)));
    }
    if field.present < field.parents {
        words.push(format!("missing in {}", percent(field.parents - field.present, field.parents)));
    }
    let mut said: Vec<Said> = words.into_iter().map(Said::from).collect();
    said.extend(of_values(field));
    if said.is_empty() {
        // Type and `required` are shown in other columns.
        let more =
            |decision: &str| decision != "required" && !field.kinds.iter().any(|kind| kind == decision);
        let decision = field.decisions.iter().map(|row| &row.decision).find(|decision| more(decision));
        said.push(decision.cloned().unwrap_or_else(|| format!("same type in all {}", count(all))).into());
    }
    said
}

/// Its values in a few words.
fn of_values(field: &FieldRow) -> Vec<Said> {
    let values = &field.values;
    let seen: u64 = values.counted.iter().map(|value| value.count).sum();
    // Numbers are hard to distinguish from their shares, and the range says more.
    let is_number = |value: &ValueRow| value.json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let by_range = values.range.is_some() && values.counted.iter().all(is_number);
    if let [only] = values.counted.as_slice() {
        return vec![Said { before: "always ".into(), value: plain(&only.json), ..Said::default() }];
    }
    if !values.counted.is_empty() && !by_range {
        let shown = |value: &ValueRow| Said {
            value: plain(&value.json),
            behind: format!(" {}", percent(value.count, seen)),
            ..Said::default()
        };
        let mut said: Vec<Said> = values.counted.iter().take(MAX_VALUES).map(shown).collect();
        match values.counted.len() {
            0..=MAX_VALUES => {}
            more => said.push(format!("{} more", more - MAX_VALUES).into()),
        }
        return said;
    }
    // Why keys are treated as data.
    let map = field.decisions.iter().find(|row| row.decision.starts_with("map of"));
    let mut words: Vec<String> = map.map(|row| row.because.clone()).into_iter().collect();
    words.extend(range(values));
    let items =
        |(least, most)| format!("{} {}", between(least, most), if most == 1 { "item" } else { "items" });
    words.extend(values.items.map(items));
    words.extend(distinct(values).map(|distinct| format!("{distinct} distinct")));
    let mut said: Vec<Said> = words.into_iter().map(Said::from).collect();
    if map.is_none() && values.range.is_none() {
        let example = values.examples.first().map(|example| plain(example));
        said.extend(example.map(|value| Said { value, ..Said::default() }));
    }
    said
}

/// The numbers of a field: name and value.
pub fn facts(field: &FieldRow) -> Vec<(&'static str, String)> {
    let values = &field.values;
    let mut facts = vec![
        ("present", format!("{} of {}", count(field.present), count(field.parents))),
        ("95 % interval", interval(field.interval)),
    ];
    if field.agreement < 1.0 {
        facts.push(("same type", share(field.agreement)));
    }
    facts.extend(distinct(values).map(|text| ("distinct", text)));
    facts.extend(range(values).map(|text| ("range", text)));
    facts.extend(values.lengths.map(|(least, most)| ("length", between(least, most))));
    facts.extend(values.items.map(|(least, most)| ("items", between(least, most))));
    facts
}

fn distinct(values: &ValueSummary) -> Option<String> {
    values.distinct.map(|of| format!("{}{}", if of.exact { "" } else { "about " }, count(of.count)))
}

fn range(values: &ValueSummary) -> Option<String> {
    let (least, most) = values.range.as_ref()?;
    let (least, most) = (text::visible(least, MAX_CHARS), text::visible(most, MAX_CHARS));
    Some(if least == most { least } else { format!("{least} – {most}") })
}

fn between(least: u64, most: u64) -> String {
    if least == most { count(least) } else { format!("{}–{}", count(least), count(most)) }
}

/// A JSON value on a line of words: strings without quotes, shortened.
fn plain(json: &str) -> String {
    let inner = json.strip_prefix('"').map(|json| json.strip_suffix('"').unwrap_or(json));
    match inner {
        // An empty string would be invisible.
        Some("") | None => text::visible(json, MAX_CHARS),
        Some(inner) => text::visible(inner, MAX_CHARS),
    }
}

/// How long the structure has been unchanged, in two parts; none with results of one day only.
pub fn stability(stability: Stability) -> Option<(&'static str, String)> {
    match stability {
        Stability { of: 0 | 1, .. } => None,
        Stability { days: 0, .. } => Some(("Structure changed on ", "the latest day".into())),
        Stability { days, of } if days >= of => Some(("Structure unchanged for ", format!("all {of} days"))),
        Stability { days, of } => Some(("Structure unchanged for ", format!("{days} of {of} days"))),
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
            recent: None,
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
        let said: Vec<String> = summary(field).iter().map(Said::to_string).collect();
        said.join(" · ").replace('\u{202F}', "")
    }

    #[test]
    fn summary_starts_with_irregularities() {
        let mut field = field("a", "a");
        assert_eq!(said(&field), "same type in all 40");
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
    fn summary_describes_values() {
        let mut field = field("a", "a");
        field.values.counted = counted(&[("\"EUR\"", 6), ("\"\"", 3), ("7", 1), ("8", 1)]);
        assert_eq!(said(&field), "EUR 55% · \"\" 27% · 7 9.1% · 1 more");
        field.values.counted.truncate(1);
        assert_eq!(said(&field), "always EUR");
        field.values.counted = counted(&[("1", 6), ("2", 3), ("-1", 1)]);
        field.values.range = Some(("-1".into(), "2".into()));
        field.values.distinct = Some(Distinct { count: 3, exact: true });
        assert_eq!(said(&field), "-1 – 2 · 3 distinct");
        field.values = ValueSummary {
            distinct: Some(Distinct { count: 1_190, exact: false }),
            examples: vec![format!("\"{}\"", "x".repeat(90))],
            ..ValueSummary::default()
        };
        assert_eq!(said(&field), format!("about 1190 distinct · {}…", "x".repeat(MAX_CHARS)));
        field.values.items = Some((0, 50));
        field.values.lengths = Some((9, 9));
        let facts: Vec<String> = facts(&field)
            .into_iter()
            .map(|(name, text)| format!("{name} {text}").replace('\u{202F}', ""))
            .collect();
        assert_eq!(
            facts,
            ["present 40 of 40", "95 % interval 91.2–100%", "distinct about 1190", "length 9", "items 0–50"]
        );
        field.decisions = vec![DecisionRow { decision: "map of integer".into(), because: "412 keys".into() }];
        assert_eq!(said(&field), "412 keys · 0–50 items · about 1190 distinct");
    }

    #[test]
    fn plain_object_is_not_notable() {
        let mut root = FieldRow { kinds: vec!["object".into()], ..field("", "") };
        assert!(!root_is_notable(&root));
        root.decisions = vec![
            DecisionRow { decision: "required".into(), because: String::new() },
            DecisionRow { decision: "object".into(), because: String::new() },
        ];
        assert_eq!(said(&root), "same type in all 40");
        root.decisions.push(DecisionRow { decision: "closed object".into(), because: String::new() });
        assert_eq!(said(&root), "closed object");
        root.decisions.clear();
        root.agreement = 0.9;
        assert!(root_is_notable(&root));
        assert!(root_is_notable(&field("", "")));
    }

    #[test]
    fn stability_needs_several_days() {
        let said = |days, of| stability(Stability { days, of }).map(|(lead, what)| format!("{lead}{what}"));
        assert_eq!(said(1, 1), None);
        assert_eq!(said(0, 3).unwrap(), "Structure changed on the latest day");
        assert_eq!(said(3, 8).unwrap(), "Structure unchanged for 3 of 8 days");
        assert_eq!(said(8, 8).unwrap(), "Structure unchanged for all 8 days");
    }
}

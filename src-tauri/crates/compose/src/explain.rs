//! Reasons for and against a pair of fields, in words.

use crate::edge::{Edge, Filter};
use crate::graph::Graph;
use crate::model;
use crate::pair::Pair;
use crate::path::is_single;
use crate::seen::Taken;

/// Contribution of a group of measures below which it is not worth saying.
const WORTH_SAYING: f64 = 0.3;

/// Confidence below which fields that agree do so by accident.
const UNRELATED: f64 = 0.1;

/// The measure of names that contradict each other. Others of its group may count against a pair in sum although
/// names agree.
const DIFFERENT: &str = "different things named";

/// Measures of names and types that say one thing together, with what it means if they speak for a pair and if they
/// speak against it.
const GROUPS: &[(&[&str], &str, &str)] = &[
    (
        &[
            "same words, which name a thing",
            "same words, which name nothing",
            "share of equal words",
            "same thing in other words",
            "things overlap in part",
            "input's thing named around the output",
            "output's thing named around the input",
            DIFFERENT,
            "both identify something, not the same",
        ],
        "the names agree",
        "the names say different things",
    ),
    (
        &[
            "only the input identifies something",
            "only the output identifies something",
            "identifies what the input names",
        ],
        "the output identifies what the input takes",
        "only one of them identifies something",
    ),
    (
        &["output is an amount or state", "input is an amount or state"],
        "both are amounts or states",
        "one of them is an amount or a state",
    ),
    (&["output is free text", "input is free text"], "both are free text", "one of them is free text"),
    (&["number for text", "types differ", "true or false"], "the types fit", "the types do not fit"),
    (&["same format", "formats differ"], "the formats are the same", "the formats differ"),
    (&["same server"], "both tools are of one server", "both tools are of one server"),
    (
        &["understood everywhere", "understood everywhere, other server"],
        "every server understands this kind of value",
        "many fields have this kind of value",
    ),
    (&["input lists its values"], "the input lists its values", "the input lists the values it takes"),
    (
        &["output repeats an argument by its name"],
        "the output has the name of an argument",
        "the output seems to repeat an argument of its own call",
    ),
    (
        &["keys of a map", "keys of a map of the input's things"],
        "the output is the keys of a map",
        "the output is the keys of a map",
    ),
    (&["same tool"], "it is the same tool", "it is the same tool"),
    (&["input names a new thing"], "the input names a new thing", "the input names a new thing"),
    (
        &["position in another tool's list"],
        "it continues the list of another tool",
        "it says where the list of another tool continues",
    ),
];

/// Why an output is taken to feed an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// Path in the result of the tool that gives.
    pub output: Box<str>,
    /// Path in the arguments of the tool that takes.
    pub input: Box<str>,
    /// What speaks for it.
    pub supporting: Vec<String>,
    /// What speaks against it.
    pub opposing: Vec<String>,
    /// Largest share of calls in which another field, one that does not feed the input, had its value all the same;
    /// `None` where no value came from a result.
    pub chance: Option<f64>,
}

impl Graph {
    /// Explains an edge: with fields of any confidence, each with its reasons. `None` if nothing joins the tools.
    pub fn explain(&mut self, from: &str, to: &str) -> Option<(Edge, Vec<Why>)> {
        let filter = Filter { from: Some(from.into()), to: Some(to.into()), ..Filter::default() };
        let edge = self.edges(&filter).into_iter().next()?;
        let mut inputs: Vec<Box<str>> = edge.fields.iter().map(|field| field.input.clone()).collect();
        inputs.sort();
        inputs.dedup();
        let mut found = Vec::new();
        for input in inputs {
            let pairs = self.feeders(to, &input);
            let taken = self.known(to).and_then(|known| {
                let place = known.any_input(&input)?;
                self.taken(known, &place)
            });
            for pair in pairs.iter().filter(|pair| &*pair.from == from) {
                let chance = taken.as_deref().and_then(|taken| chance(pair, &pairs, taken));
                found.push(self.why(pair, to, &input, taken.as_deref(), chance));
            }
        }
        let reasons = edge.fields.iter().map(|field| {
            let own = found.iter().find(|why| why.output == field.output && why.input == field.input);
            own.cloned().unwrap_or_else(|| Why {
                output: field.output.clone(),
                input: field.input.clone(),
                supporting: Vec::new(),
                opposing: vec!["the input does not exist any more".into()],
                chance: None,
            })
        });
        let reasons = reasons.collect();
        Some((edge, reasons))
    }

    fn why(&self, pair: &Pair, to: &str, input: &str, taken: Option<&Taken>, chance: Option<f64>) -> Why {
        let (mut supporting, mut opposing) = (Vec::new(), Vec::new());
        let seen = pair.seen.as_ref().filter(|seen| seen.flows > 0);
        let after = after(taken, pair);
        match seen {
            Some(seen) => {
                let taken = match is_single(input) {
                    true => "later calls took the value",
                    false => "values in later calls came from there",
                };
                // Their number is an estimate, and a single input takes one value in each call.
                let values = seen.values.count();
                let values = if is_single(input) { values.min(seen.flows) } else { values };
                supporting.push(format!(
                    "{} of {after} {taken}; different values: {values}, sessions: {}",
                    seen.flows, seen.sessions
                ));
                if seen.weak > 0 {
                    opposing.push(format!(
                        "in {} of these calls, it is a value that many fields have",
                        seen.weak
                    ));
                }
                let share = 100 * seen.credit / (60 * seen.flows).max(1);
                if share < 95 {
                    opposing
                        .push(format!("other places gave the values, too: it gets {share} % of the credit"));
                }
            }
            None if after > 0 => opposing.push(format!("none of {after} later calls took its value")),
            None => {}
        }
        let echo = self.evidence().echo(&pair.from, &pair.output).unwrap_or(0);
        if echo > 0 {
            opposing.push(format!("{} % of the results only repeat an argument here", echo / 10));
        }
        if pair.lost {
            opposing.push("results do not have this field any more".into());
        }
        let measured = self.names_of(pair, to, input);
        let is_set = |name: &str| {
            let mut measures = model::NAMES.iter().zip(&measured);
            measures.any(|(own, measure)| *own == name && *measure > 0.0)
        };
        for (names, for_it, against) in GROUPS {
            let sum: f64 = model::NAMES
                .iter()
                .zip(self.model.names.iter().zip(&measured))
                .filter(|(name, _)| names.contains(name))
                .map(|(_, (weight, measure))| weight * measure)
                .sum();
            if sum >= WORTH_SAYING {
                supporting.push((*for_it).to_owned());
            } else if sum <= -WORTH_SAYING && (!names.contains(&DIFFERENT) || is_set(DIFFERENT)) {
                opposing.push((*against).to_owned());
            }
        }
        Why { output: (&*pair.output).into(), input: input.into(), supporting, opposing, chance }
    }
}

/// Calls that took something into an input and came after a result of the pair's tool, but at least its flows.
fn after(taken: Option<&Taken>, pair: &Pair) -> u64 {
    let after = taken.and_then(|taken| taken.after.get(&*pair.from)).copied().unwrap_or(0);
    after.max(pair.seen.as_ref().map_or(0, |seen| seen.flows))
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn chance(own: &Pair, pairs: &[Pair], taken: &Taken) -> Option<f64> {
    own.seen.as_ref()?;
    let is_other = |pair: &&Pair| (&pair.from, &pair.output) != (&own.from, &own.output);
    // A field that may be the same thing under another name agrees for a reason.
    let unrelated = pairs.iter().filter(|pair| pair.confidence < UNRELATED).filter(is_other);
    let shares = unrelated.filter_map(|pair| {
        let seen = pair.seen.as_ref()?;
        Some(seen.flows as f64 / after(Some(taken), pair).max(1) as f64)
    });
    Some(shares.fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_consist_of_measures_that_exist() {
        assert_eq!(model::NAMES[model::BY_NAME], model::REPEATS_BY_NAME);
        let unknown = GROUPS.iter().flat_map(|(names, ..)| *names).find(|name| !model::NAMES.contains(name));
        assert_eq!(unknown, None);
    }
}

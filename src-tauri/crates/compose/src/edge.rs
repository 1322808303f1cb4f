//! Edges as commands and pages show them.

use serde::{Deserialize, Deserializer, Serialize};

use crate::evidence::Evidence;
use crate::seen::Seen;
use schemascope_model::{How, Timestamp};

/// How much of what a tool needs another one gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// All required inputs.
    Strict,
    /// Some required inputs.
    Partial,
    /// Only optional inputs.
    Optional,
}

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Values were seen to flow.
    Seen,
    /// Names, types or the rest of the evidence suggest it.
    Possible,
    /// Values were seen to flow between fields that do not exist now, and between no others.
    Broken,
}

/// Counts of the evidence of an edge or of a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Successful later calls that took at least one value.
    pub flows: u64,
    /// Different values.
    pub values: u64,
    /// Sessions with a flow.
    pub sessions: u64,
    /// Time of the last flow.
    #[serde(default, deserialize_with = "time")]
    pub last_at: Option<Timestamp>,
}

/// Reads a time as it is written, or in milliseconds.
fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Time {
        Written(Timestamp),
        Millis(u64),
    }
    let time: Option<Time> = Option::deserialize(from)?;
    Ok(time.map(|time| match time {
        Time::Written(at) => at,
        Time::Millis(millis) => Timestamp::from_millis(millis),
    }))
}

impl Counts {
    pub(crate) fn of(seen: &Seen) -> Self {
        Self {
            flows: seen.flows,
            values: seen.values.count(),
            sessions: seen.sessions,
            last_at: (seen.flows > 0).then(|| Timestamp::from_millis(seen.last_at)),
        }
    }
}

/// One output that feeds one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeField {
    /// Path in the result of the tool that gives.
    pub output: Box<str>,
    /// Path in the arguments of the tool that takes.
    pub input: Box<str>,
    /// Form in which the value is taken.
    pub how: How,
    /// Probability that the pair is true.
    pub confidence: f64,
    /// Whether the output only repeats an argument of its own call.
    pub echo: bool,
    /// Whether one of the two fields does not exist now.
    pub broken: bool,
    /// Evidence.
    pub evidence: Counts,
}

/// One tool that feeds another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Tool that gives.
    pub from: Box<str>,
    /// Tool that takes.
    pub to: Box<str>,
    /// How much of what it needs it gets.
    pub coverage: Coverage,
    /// Probability that the edge is true.
    pub confidence: f64,
    /// What is known of it.
    pub state: State,
    /// Whether its best output only repeats an argument.
    pub echo: bool,
    /// Fields, best first.
    pub fields: Vec<EdgeField>,
    /// Required inputs that it does not give.
    pub needs: Vec<Box<str>>,
    /// Evidence.
    pub evidence: Counts,
    /// Pending changes that would break it, set by the caller.
    pub threatened_by: Vec<Box<str>>,
}

/// Which edges are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only edges from this tool.
    pub from: Option<Box<str>>,
    /// Only edges to this tool.
    pub to: Option<Box<str>>,
    /// Only edges from or to tools of this server.
    pub server: Option<Box<str>>,
    /// Least confidence. Broken edges are always shown.
    pub min: f64,
    /// Only edges with evidence.
    pub seen: bool,
}

/// The tool that gives and the tool that takes.
pub(crate) type Ends = (Box<str>, Box<str>);

/// Confidence at which a broken field outweighs fields that only names and types suggest.
const SURE: f64 = 0.5;

/// What is known of an edge with these fields. It is broken if the fields that values were seen to flow between are
/// gone, also where another field might do instead.
pub(crate) fn state(fields: &[EdgeField]) -> State {
    let best = |broken: bool| {
        let of_kind = fields.iter().filter(|field| field.broken == broken);
        of_kind.map(|field| field.confidence).max_by(f64::total_cmp)
    };
    if fields.iter().any(|field| field.evidence.flows > 0 && !field.broken) {
        return State::Seen;
    }
    match (best(true), best(false)) {
        (Some(broken), Some(intact)) if broken >= SURE.min(intact) => State::Broken,
        (Some(_), None) => State::Broken,
        _ => State::Possible,
    }
}

/// Evidence into a tool, as broken fields.
pub(crate) fn orphans(evidence: &Evidence, to: &str) -> Vec<(Ends, EdgeField)> {
    let mut found = Vec::new();
    for (input, taken) in evidence.taken(to) {
        for (from, outputs) in &taken.from {
            for (output, seen) in outputs {
                let field = EdgeField {
                    output: output.clone(),
                    input: input.into(),
                    how: seen.main_form().unwrap_or(How::Same),
                    confidence: 0.0,
                    echo: false,
                    broken: true,
                    evidence: Counts::of(seen),
                };
                found.push(((from.clone(), to.into()), field));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(confidence: f64, broken: bool, flows: u64) -> EdgeField {
        let evidence = Counts { flows, ..Counts::default() };
        let (output, input) = ("o".into(), "i".into());
        EdgeField { output, input, how: How::Same, confidence, echo: false, broken, evidence }
    }

    #[test]
    fn state_follows_the_fields_that_values_flow_between() {
        for (fields, expected) in [
            (&[field(0.95, true, 9), field(0.1, false, 1)][..], State::Seen),
            (&[field(0.95, true, 9), field(0.7, false, 0)], State::Broken),
            (&[field(0.3, true, 1), field(0.7, false, 0)], State::Possible),
            (&[field(0.3, true, 1), field(0.2, false, 0)], State::Broken),
            (&[field(0.0, true, 4)], State::Broken),
            (&[field(0.7, false, 0)], State::Possible),
        ] {
            assert_eq!(state(fields), expected, "{fields:?}");
        }
    }
}

//! Edges as commands and pages show them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::graph::Graph;
use crate::pair::Pair;
use crate::path;
use crate::plan::MIN_FEEDER;
use crate::seen::{Seen, Taken};
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

/// Confidence at which a broken field outweighs fields that only names and types suggest.
const SURE: f64 = 0.5;

/// What is known of an edge with these fields. It is broken if the fields that values were seen to flow between are
/// gone, also where another field might do instead.
fn state(fields: &[EdgeField]) -> State {
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

/// What an input that is gone has taken, as broken fields with the tools that gave.
fn orphans<'e>(input: &'e str, taken: &'e Taken) -> impl Iterator<Item = (&'e str, EdgeField)> {
    let outputs = taken.from.iter().flat_map(|(from, outputs)| outputs.iter().map(move |own| (from, own)));
    outputs.map(move |(from, (output, seen))| {
        let field = EdgeField {
            output: output.clone(),
            input: input.into(),
            how: seen.main_form().unwrap_or(How::Same),
            confidence: 0.0,
            echo: false,
            broken: true,
            evidence: Counts::of(seen),
        };
        (&**from, field)
    })
}

fn is_on(id: &str, server: &str) -> bool {
    id.split_once("__").is_some_and(|(own, _)| own == server)
}

impl Graph {
    /// Returns the edges that pass a filter, strongest first.
    pub fn edges(&mut self, filter: &Filter) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.each_edge(filter, |edge| edges.push(edge));
        edges.sort_by(|a, b| {
            b.confidence.total_cmp(&a.confidence).then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
        });
        edges
    }

    /// Calls `visit` for every edge that passes a filter, those into one tool after the other. Of thousands of tools
    /// there may be too many to keep.
    pub fn each_edge(&mut self, filter: &Filter, mut visit: impl FnMut(Edge)) {
        let takers: Vec<Arc<str>> = match &filter.to {
            Some(to) => vec![(&**to).into()],
            None => {
                let gone = self.evidence().takers().filter(|to| self.known(to).is_none());
                self.tools.keys().cloned().chain(gone.map(Arc::from)).collect()
            }
        };
        for to in takers {
            let known = self.known(&to).cloned();
            let mut feeding: BTreeMap<Arc<str>, Vec<EdgeField>> = BTreeMap::new();
            // What was not likely while both fields existed does not break.
            let likely = |pair: &Pair| !pair.lost || pair.confidence >= SURE;
            let inputs = known.iter().flat_map(|known| known.inputs.iter().enumerate());
            for (number, input) in inputs {
                let Some(known) = &known else { break };
                // What plans would take says what is still needed, however much of the edge is shown.
                let min = filter.min.min(MIN_FEEDER);
                let pairs = self.pairs_into(known, number, filter.from.as_deref(), min);
                for pair in pairs.into_iter().filter(likely) {
                    feeding.entry(pair.from.clone()).or_default().push(pair.field(&input.path));
                }
            }
            for (input, taken) in self.evidence().taken(&to) {
                let known = known.as_deref();
                if known.is_some_and(|known| known.input(input).is_some()) {
                    continue;
                }
                match known.and_then(|known| self.pairs_into_free(known, input, filter.from.as_deref())) {
                    Some(pairs) => {
                        for pair in pairs.into_iter().filter(likely) {
                            feeding.entry(pair.from.clone()).or_default().push(pair.field(input));
                        }
                    }
                    None => {
                        for (from, field) in orphans(input, taken) {
                            feeding.entry(from.into()).or_default().push(field);
                        }
                    }
                }
            }
            let required: Vec<&str> =
                known.iter().flat_map(|known| known.required()).map(|input| &*input.path).collect();
            for (from, fields) in feeding {
                if let Some(edge) = self.edge(&from, &to, &required, fields, filter) {
                    visit(edge);
                }
            }
        }
    }

    fn edge(
        &self,
        from: &str,
        to: &str,
        required: &[&str],
        mut fields: Vec<EdgeField>,
        filter: &Filter,
    ) -> Option<Edge> {
        let of_server = filter.server.as_ref().is_none_or(|server| is_on(from, server) || is_on(to, server));
        if filter.from.as_ref().is_some_and(|own| **own != *from) || !of_server {
            return None;
        }
        let state = state(&fields);
        // Fields that are gone do not say what an edge gives now.
        let counts = |field: &EdgeField| state == State::Broken || !field.broken;
        fields.sort_by(|a, b| {
            let (a_counts, b_counts) = (counts(a), counts(b));
            b_counts
                .cmp(&a_counts)
                .then(b.confidence.total_cmp(&a.confidence))
                .then_with(|| (&a.input, &a.output).cmp(&(&b.input, &b.output)))
        });
        let best = fields.first()?;
        let (confidence, echo) = (best.confidence, best.echo);
        let evidence = self.evidence().between(from, to).map(Counts::of).unwrap_or_default();
        if (state != State::Broken && confidence < filter.min) || (filter.seen && evidence.flows == 0) {
            return None;
        }
        let feeds = |field: &EdgeField| counts(field) && field.confidence >= MIN_FEEDER.min(confidence);
        // Of a free object, what values flow into is all that is known.
        let fed = |path: &str| fields.iter().any(|field| feeds(field) && path::is_within(&field.input, path));
        let needs: Vec<Box<str>> =
            required.iter().filter(|path| !fed(path)).map(|path| (*path).into()).collect();
        fields.retain(|field| field.confidence >= filter.min.min(confidence));
        let coverage = if required.is_empty() || needs.len() == required.len() {
            Coverage::Optional
        } else if needs.is_empty() {
            Coverage::Strict
        } else {
            Coverage::Partial
        };
        Some(Edge {
            from: from.into(),
            to: to.into(),
            coverage,
            confidence,
            state,
            echo,
            fields,
            needs,
            evidence,
            threatened_by: Vec::new(),
        })
    }
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

//! The labels: which output can feed which input, by written rules of what the fields mean.
//!
//! 1. An output that is an id of a kind feeds every input of the same server that takes that kind:
//!    true. A text or link that contains such an id, a half of it, and an input that wants a link or
//!    sentence around it: true.
//! 2. Kinds marked `*` are understood by every server (URLs, e-mail addresses, time zones, …) and feed
//!    inputs of that kind on every server: true.
//! 3. An output that only repeats an argument of its own call brings nothing new: false.
//! 4. A pair of different tools is labelled by its best field. A tool may feed itself (`next` → `cursor`,
//!    a created folder as the parent of the next).
//! 5. An input that may take a kind but is not made for it (a title as a search text): either way.
//! 6. Everything else is false: the same number as the id of something else, the same name on another
//!    server, counts, dates, amounts, states.

use std::collections::BTreeMap;

use crate::{Field, Meaning, Server};

/// Truth of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// Either answer is accepted.
    Either,
    /// The output can feed the input.
    True,
}

/// One labelled pair of fields.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// Tool that gives, as `server__tool`.
    pub from: String,
    /// Path in its result.
    pub output: String,
    /// Tool that takes.
    pub to: String,
    /// Path in its arguments.
    pub input: String,
}

/// Everything that is true or either way; all other pairs are false.
pub type Labels = BTreeMap<Label, Truth>;

/// Labels all pairs of fields of all servers.
pub fn labels(servers: &[Server]) -> Labels {
    let mut labels = Labels::new();
    for from in servers {
        for to in servers {
            for giver in &from.tools {
                for taker in &to.tools {
                    for output in giver.outputs.iter().filter(|output| !output.echo) {
                        for input in &taker.inputs {
                            if let Some(truth) = truth(output, input, from.name == to.name) {
                                let label = Label {
                                    from: format!("{}__{}", from.name, giver.name),
                                    output: output.path.clone(),
                                    to: format!("{}__{}", to.name, taker.name),
                                    input: input.path.clone(),
                                };
                                labels.insert(label, truth);
                            }
                        }
                    }
                }
            }
        }
    }
    labels
}

/// Applies the rules to one pair of fields.
fn truth(output: &Field, input: &Field, same_server: bool) -> Option<Truth> {
    let name = |meaning: &Meaning| match meaning {
        Meaning::Is(kind) | Meaning::Contains(kind) | Meaning::Half(kind) | Meaning::May(kind) => {
            kind.clone()
        }
    };
    let mut best = None;
    for given in &output.meanings {
        for taken in &input.meanings {
            let kind = name(given);
            if kind == name(taken) && (same_server || kind.starts_with('*')) {
                let truth = if matches!(taken, Meaning::May(_)) { Truth::Either } else { Truth::True };
                best = best.max(Some(truth));
            }
        }
    }
    best
}

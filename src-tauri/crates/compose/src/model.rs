//! From names, types and evidence to a probability: three logistic models with fitted weights.
//!
//! `names` judges a pair of fields by names and types alone. `unseen` and `seen` correct its answer
//! by what was observed: nothing so far, or flows of values.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::schema::Types;
use crate::seen::{Seen, Taken};
use crate::tool::{Known, Place};
use schemascope_model::How;

/// The measure of an output that seems to repeat an argument of its own call.
pub(crate) const REPEATS_BY_NAME: &str = "output repeats an argument by its name";

/// Place of [`REPEATS_BY_NAME`] in [`NAMES`].
pub(crate) const BY_NAME: usize = 25;

/// What the model over names and types looks at.
pub const NAMES: &[&str] = &[
    "bias",
    "same server",
    "same words, which name a thing",
    "same words, which name nothing",
    "share of equal words",
    "same thing in other words",
    "things overlap in part",
    "input's thing named around the output",
    "output's thing named around the input",
    "different things named",
    "both identify something, not the same",
    "only the input identifies something",
    "only the output identifies something",
    "identifies what the input names",
    "output is an amount or state",
    "input is an amount or state",
    "output is free text",
    "input is free text",
    "number for text",
    "types differ",
    "true or false",
    "same format",
    "formats differ",
    "input lists its values",
    "input is required",
    REPEATS_BY_NAME,
    "output has several values",
    "tool needs no input",
    "answer is text",
    "answer is text about the input's thing",
    "understood everywhere",
    "understood everywhere, other server",
    "keys of a map",
    "keys of a map of the input's things",
    "same tool",
    "input names a new thing",
    "position in another tool's list",
];

/// What the model over evidence looks at if there is some.
pub const SEEN: &[&str] = &[
    "bias",
    "names and types",
    "distinctive flows",
    "weak flows",
    "share of the calls that could",
    "share of the credit",
    "compared with the best source",
    "different values",
    "repeats an argument",
    "part of a text",
    "contained or joined",
    "other server",
    "weak, names agree",
    "weak, few different values",
    "same few values again and again",
    "best field of its tool",
    "weak, named worse than another source",
    "share of all calls",
    "once or twice in many calls, names disagree",
];

/// What the model looks at if there is no evidence.
pub const UNSEEN: &[&str] =
    &["bias", "names and types", "calls that could have", "repeats an argument", "calls"];

/// Fitted weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Weights of [`NAMES`].
    pub names: Vec<f64>,
    /// Weights of [`UNSEEN`].
    pub unseen: Vec<f64>,
    /// Weights of [`SEEN`].
    pub seen: Vec<f64>,
}

/// Returns the weighted sum.
pub(crate) fn sum(weights: &[f64], features: &[f64]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

/// Returns the probability for a weighted sum.
pub(crate) fn probability(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Number of words, by their hashes, that two names share.
fn overlap(a: &[u64], b: &[u64]) -> usize {
    a.iter().filter(|word| b.contains(word)).count()
}

fn flag(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

/// Whether a value of the one field can be one of the other. True and false say nothing by which a tool is found.
pub(crate) fn is_possible(output: &Place, input: &Place) -> bool {
    let is_boolean = output.types.is_boolean() || input.types.is_boolean();
    !is_boolean && (output.types.meets(input.types) || is_number_for_text(output, input))
}

/// Whether a number would have to be written as text, or read from it.
pub(crate) fn is_number_for_text(output: &Place, input: &Place) -> bool {
    (output.types == Types::NUMBER && input.types == Types::TEXT)
        || (output.types == Types::TEXT && input.types == Types::NUMBER)
}

/// Measures names and types of a pair of fields.
pub(crate) fn names(from: &Known, output: &Place, to: &Known, input: &Place) -> [f64; NAMES.len()] {
    let same_server = from.server == to.server;
    let (leaf_o, leaf_i) = (output.leaf(), input.leaf());
    let shared = overlap(leaf_o, leaf_i);
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let jaccard = shared as f64 / (leaf_o.len() + leaf_i.len() - shared).max(1) as f64;
    let same_words = leaf_o == leaf_i && !leaf_o.is_empty();
    let named_by_itself = overlap(leaf_o, output.entity()) > 0;
    let things = overlap(output.entity(), input.entity());
    let same_thing = things > 0 && things == output.entity().len() && things == input.entity().len();
    let about_input = overlap(input.entity(), output.around()) > 0;
    let input_around = things == 0 && about_input;
    let output_around = things == 0 && overlap(output.entity(), input.around()) > 0;
    let named = !output.entity().is_empty() && !input.entity().is_empty();
    let text = output.path.is_empty();
    let number_text = is_number_for_text(output, input);
    let common = output.common.is_some() && output.common == input.common;
    let boolean = output.types.is_boolean() || input.types.is_boolean();
    let formats = (output.format, input.format);
    let root_keys = &*output.path == "{key}";
    let same_tool = same_server && from.hash == to.hash && from.id == to.id;
    [
        1.0,
        flag(same_server),
        flag(same_words && named_by_itself),
        flag(same_words && !named_by_itself),
        jaccard,
        flag(same_thing && !(same_words && named_by_itself)),
        flag(things > 0 && !same_thing),
        flag(input_around),
        flag(output_around),
        flag(named && things == 0 && !input_around && !output_around),
        flag(output.id && input.id && things == 0),
        flag(!output.id && input.id),
        flag(output.id && !input.id),
        // A further noun of the input, as in `project_dir`, makes it something else.
        flag(
            output.id
                && !input.id
                && !input.amount
                && !input.text
                && things > 0
                && things == input.entity().len(),
        ),
        flag(output.amount),
        flag(input.amount),
        flag(output.text),
        flag(input.text),
        flag(number_text),
        flag(!output.types.meets(input.types) && !number_text),
        flag(boolean),
        flag(formats.0.is_some() && formats.0 == formats.1),
        // Few servers declare the format of an input, while that of an output is learned.
        flag(formats.1.is_some() && formats.0 != formats.1 && !text),
        flag(input.listed),
        flag(input.required),
        flag(output.echo),
        flag(output.many),
        flag(from.source),
        flag(text),
        flag(text && about_input),
        flag(common),
        flag(common && !same_server),
        // Some SDKs declare every record as a map, so that the keys at its root may be names.
        flag(output.key && !root_keys),
        flag(output.key && !root_keys && things > 0),
        flag(same_tool),
        flag(input.new),
        flag((output.cursor || input.cursor) && !same_tool),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn log(count: u64) -> f64 {
    (1.0 + count as f64).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Place of "repeats an argument" in [`UNSEEN`].
pub(crate) const REPEATS: usize = 3;

/// Measures a pair of fields without flows. `echo` is how many of 1,000 results repeat an argument there.
pub(crate) fn unseen(logit: f64, echo: u64, taken: Option<&Taken>, from: &str) -> [f64; UNSEEN.len()] {
    let after = taken.and_then(|taken| taken.after.get(from)).copied().unwrap_or(0);
    [1.0, logit, log(after), ratio(echo, 1000), log(taken.map_or(0, |taken| taken.calls))]
}

/// What names and types say: of one source, and of the best of all sources of the input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByName {
    pub(crate) own: f64,
    pub(crate) best: f64,
}

/// Measures a pair of fields with flows.
pub(crate) fn seen(
    by_name: ByName,
    evidence: &Evidence,
    taken: &Taken,
    from: &str,
    output: &str,
    own: &Seen,
    other_server: bool,
) -> [f64; SEEN.len()] {
    let ByName { own: logit, best: best_named } = by_name;
    let logit = heard(logit);
    let strong = own.flows - own.weak.min(own.flows);
    let after = taken.after.get(from).copied().unwrap_or(own.flows).max(own.flows);
    let best =
        taken.from.values().flat_map(|outputs| outputs.values()).map(|seen| seen.credit).max().unwrap_or(1);
    let of_tool =
        taken.from.get(from).into_iter().flat_map(|outputs| outputs.values()).map(|seen| seen.credit).max();
    let of_tool = of_tool.unwrap_or(1);
    let values = own.values.count();
    let weak = ratio(own.weak, own.flows);
    let form = own.main_form();
    [
        1.0,
        logit,
        log(strong),
        log(own.weak),
        ratio(own.flows, after + 1),
        ratio(own.credit, 60 * own.flows),
        ratio(own.credit, best),
        log(values),
        evidence.echo(from, output).map_or(0.0, |echo| ratio(echo, 1000)),
        flag(form == Some(How::Part)),
        flag(matches!(form, Some(How::Contains | How::Joined))),
        flag(other_server),
        weak * logit,
        weak * flag(values <= 3),
        (log(own.flows) - log(values)).max(0.0),
        ratio(own.credit, of_tool),
        weak * worse_named(logit, best_named),
        ratio(own.flows, taken.calls.max(own.flows) + 1),
        by_accident(own.flows, taken.calls, logit),
    ]
}

/// What names and types say where values flowed. Whatever they say against a pair, enough flows outweigh it: amounts are
/// passed on, too.
pub fn heard(logit: f64) -> f64 {
    logit.max(-6.0)
}

/// Returns how little names and types speak for a pair of which values agreed once or twice in many calls.
pub fn by_accident(flows: u64, calls: u64, logit: f64) -> f64 {
    let is_rare = flows <= 2 && calls >= 8 && flows * 5 <= calls;
    flag(is_rare) * disagreement(logit)
}

/// Returns by how much names and types speak against a pair.
pub fn disagreement(logit: f64) -> f64 {
    (-heard(logit)).max(0.0)
}

/// Returns by how much names and types speak less for a source than for the best one, at most 5.
pub fn worse_named(logit: f64, best: f64) -> f64 {
    (best - logit).clamp(0.0, 5.0)
}

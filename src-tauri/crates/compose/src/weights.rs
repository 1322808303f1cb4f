//! The fitted weights of the model, written by the bench (`cargo xtask bench compose fit`).

use crate::Model;

/// Weights of `model::NAMES`.
const NAMES: &[f64] = &[
    -1.863, // bias
    2.310,  // same server
    -2.397, // same words, which name a thing
    -2.007, // same words, which name nothing
    3.981,  // share of equal words
    -1.175, // same thing in other words
    -0.103, // things overlap in part
    -1.350, // input's thing named around the output
    -2.048, // output's thing named around the input
    -1.404, // different things named
    -3.574, // both identify something, not the same
    -0.183, // only the input identifies something
    -0.654, // only the output identifies something
    2.727,  // identifies what the input names
    -4.536, // output is an amount or state
    -3.550, // input is an amount or state
    -2.604, // output is free text
    -2.358, // input is free text
    -4.418, // number for text
    0.000,  // types differ
    0.000,  // true or false
    3.196,  // same format
    -2.298, // formats differ
    -3.004, // input lists its values
    0.444,  // input is required
    -3.271, // output repeats an argument by its name
    0.700,  // output has several values
    -0.934, // tool needs no input
    2.423,  // answer is text
    -2.746, // answer is text about the input's thing
    -0.879, // understood everywhere
    -4.173, // understood everywhere, other server
    2.364,  // keys of a map
    1.571,  // keys of a map of the input's things
    -1.658, // same tool
    -3.899, // input names a new thing
    -4.000, // position in another tool's list
];
/// Weights of `model::UNSEEN`.
const UNSEEN: &[f64] = &[
    -0.798, // bias
    0.992,  // names and types
    -0.757, // calls that could have
    -1.386, // repeats an argument
    -0.152, // calls
];
/// Weights of `model::SEEN`.
const SEEN: &[f64] = &[
    -1.817, // bias
    0.422,  // names and types
    0.364,  // distinctive flows
    -0.753, // weak flows
    2.313,  // share of the calls that could
    2.855,  // share of the credit
    0.828,  // compared with the best source
    0.263,  // different values
    1.350,  // repeats an argument
    0.100,  // part of a text
    1.126,  // contained or joined
    0.000,  // other server
    0.682,  // weak, names agree
    -1.926, // weak, few different values
    -0.121, // same few values again and again
    0.471,  // best field of its tool
    -0.238, // weak, named worse than another source
    0.321,  // share of all calls
    -0.500, // once or twice in many calls, names disagree
];

impl Default for Model {
    fn default() -> Self {
        Self { names: NAMES.to_vec(), unseen: UNSEEN.to_vec(), seen: SEEN.to_vec() }
    }
}

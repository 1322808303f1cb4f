//! The fitted weights of the model, written by the bench (`cargo xtask bench compose fit`).

use crate::Model;

/// Weights of `model::NAMES`.
const NAMES: &[f64] = &[
    -1.722, // bias
    2.213,  // same server
    -2.320, // same words, which name a thing
    -2.027, // same words, which name nothing
    3.879,  // share of equal words
    -0.981, // same thing in other words
    -0.116, // things overlap in part
    -1.325, // input's thing named around the output
    -2.414, // output's thing named around the input
    -1.376, // different things named
    -3.482, // both identify something, not the same
    -0.192, // only the input identifies something
    -0.634, // only the output identifies something
    2.280,  // identifies what the input names
    -4.525, // output is an amount or state
    -3.444, // input is an amount or state
    -2.682, // output is free text
    -2.231, // input is free text
    -4.286, // number for text
    -0.507, // types differ
    -0.507, // true or false
    2.912,  // same format
    -3.829, // formats differ
    -2.973, // input lists its values
    0.409,  // input is required
    -3.318, // output repeats an argument by its name
    0.649,  // output has several values
    -0.931, // tool needs no input
    2.272,  // answer is text
    -2.744, // answer is text about the input's thing
    -0.832, // understood everywhere
    -3.935, // understood everywhere, other server
    2.387,  // keys of a map
    1.612,  // keys of a map of the input's things
    -1.576, // same tool
    -3.929, // input names a new thing
];
/// Weights of `model::UNSEEN`.
const UNSEEN: &[f64] = &[
    -0.671, // bias
    0.918,  // names and types
    -0.630, // calls that could have
    -1.386, // repeats an argument
    -0.235, // calls
];
/// Weights of `model::SEEN`.
const SEEN: &[f64] = &[
    -2.897, // bias
    1.097,  // names and types
    0.205,  // distinctive flows
    -0.442, // weak flows
    1.996,  // share of the calls that could
    2.702,  // share of the credit
    1.183,  // compared with the best source
    0.487,  // different values
    1.221,  // repeats an argument
    -0.016, // part of a text
    0.656,  // contained or joined
    0.000,  // other server
    0.050,  // weak, names agree
    -1.350, // weak, few different values
    -0.200, // same few values again and again
    0.492,  // best field of its tool
    1.168,  // named worse than another source
    -1.400, // weak, named worse than another source
];

impl Default for Model {
    fn default() -> Self {
        Self { names: NAMES.to_vec(), unseen: UNSEEN.to_vec(), seen: SEEN.to_vec() }
    }
}

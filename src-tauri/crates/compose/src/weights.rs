//! The fitted weights of the model, written by the bench (`cargo xtask bench compose fit`).

use crate::Model;

/// Weights of `model::NAMES`.
const NAMES: &[f64] = &[
    -1.730, // bias
    2.438,  // same server
    -0.973, // same words
    1.486,  // share of equal words
    -0.271, // same thing named
    4.116,  // things overlap
    -1.434, // input's thing named around the output
    -2.019, // output's thing named around the input
    -1.794, // different things named
    -0.769, // both identify something
    0.232,  // only the input identifies something
    -0.252, // only the output identifies something
    0.904,  // identifies what the input names
    -4.855, // output is an amount or state
    -3.820, // input is an amount or state
    -2.992, // output is free text
    -3.044, // input is free text
    -4.835, // number for text
    -2.292, // types differ
    -2.292, // true or false
    3.572,  // same format
    -3.919, // formats differ
    -3.268, // input lists its values
    0.213,  // input is required
    -3.298, // output repeats an argument by its name
    0.502,  // output has several values
    -0.810, // tool needs no input
    2.676,  // answer is text
    -4.512, // answer is text about the input's thing
    -0.379, // understood everywhere
    -4.168, // understood everywhere, other server
    2.471,  // keys of a map
    1.518,  // keys of a map of the input's things
    -1.721, // same tool
    -4.115, // input names a new thing
];
/// Weights of `model::UNSEEN`.
const UNSEEN: &[f64] = &[
    -0.651, // bias
    0.762,  // names and types
    -0.678, // calls that could have
    -1.028, // repeats an argument
    -0.142, // calls
];
/// Weights of `model::SEEN`.
const SEEN: &[f64] = &[
    -2.009, // bias
    0.630,  // names and types
    0.593,  // distinctive flows
    -0.838, // weak flows
    2.044,  // share of the calls that could
    3.150,  // share of the credit
    0.850,  // compared with the best source
    0.723,  // different values
    1.200,  // repeats an argument
    0.324,  // part of a text
    1.325,  // contained or joined
    0.000,  // other server
    0.606,  // weak, names agree
    -1.654, // weak, few different values
    -0.269, // same few values again and again
    0.085,  // best field of its tool
];

impl Default for Model {
    fn default() -> Self {
        Self { names: NAMES.to_vec(), unseen: UNSEEN.to_vec(), seen: SEEN.to_vec() }
    }
}

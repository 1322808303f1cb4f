//! The fitted weights of the model, written by the bench (`cargo xtask bench compose fit`).

use crate::Model;

/// Weights of `model::NAMES`.
const NAMES: &[f64] = &[
    -1.730, // bias
    2.439,  // same server
    -0.969, // same words
    1.507,  // share of equal words
    -0.266, // same thing named
    4.120,  // things overlap
    -1.438, // input's thing named around the output
    -2.015, // output's thing named around the input
    -1.796, // different things named
    -0.799, // both identify something
    0.225,  // only the input identifies something
    -0.256, // only the output identifies something
    0.909,  // identifies what the input names
    -4.868, // output is an amount or state
    -3.827, // input is an amount or state
    -3.006, // output is free text
    -3.055, // input is free text
    -4.865, // number for text
    -2.304, // types differ
    -2.304, // true or false
    3.569,  // same format
    -3.928, // formats differ
    -3.284, // input lists its values
    0.223,  // input is required
    -3.312, // output repeats an argument by its name
    0.499,  // output has several values
    -0.810, // tool needs no input
    2.670,  // answer is text
    -4.523, // answer is text about the input's thing
    -0.410, // understood everywhere
    -4.169, // understood everywhere, other server
    2.473,  // keys of a map
    1.524,  // keys of a map of the input's things
    -1.733, // same tool
    -4.128, // input names a new thing
];
/// Weights of `model::UNSEEN`.
const UNSEEN: &[f64] = &[
    -0.538, // bias
    0.777,  // names and types
    -0.676, // calls that could have
    -1.079, // repeats an argument
    -0.193, // calls
];
/// Weights of `model::SEEN`.
const SEEN: &[f64] = &[
    -2.650, // bias
    1.301,  // names and types
    0.235,  // distinctive flows
    -0.472, // weak flows
    1.695,  // share of the calls that could
    2.808,  // share of the credit
    1.141,  // compared with the best source
    0.806,  // different values
    1.109,  // repeats an argument
    0.100,  // part of a text
    1.189,  // contained or joined
    0.000,  // other server
    -0.241, // weak, names agree
    -1.082, // weak, few different values
    -0.389, // same few values again and again
    0.203,  // best field of its tool
    1.417,  // named worse than another source
    -1.699, // weak, named worse than another source
];

impl Default for Model {
    fn default() -> Self {
        Self { names: NAMES.to_vec(), unseen: UNSEEN.to_vec(), seen: SEEN.to_vec() }
    }
}

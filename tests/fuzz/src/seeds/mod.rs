//! The first inputs of each target.

pub mod calls;
mod deep;
pub mod help;
pub mod texts;
mod tools;

use std::fs;
use std::path::Path;

use schemascope_shape::{Arguments, Circumstances, Policy, Shape};
use serde_json::Value;

use crate::input::{EAGER, Input, SEPARATOR};
use crate::mutate::{Kind, Words};

/// Documents, behind bytes that choose how they are observed.
pub const DOCUMENTS: Kind = Kind { has_choices: true, words: Words::DOCUMENTS };
/// A written state, then documents for it or other states.
pub const STATES: Kind = Kind { has_choices: false, words: Words::STATES };
/// A bundle of another machine.
pub const BUNDLES: Kind = Kind { has_choices: false, words: Words::BUNDLES };
/// Two schemas behind bytes that choose nothing, then values.
pub const SCHEMAS: Kind = Kind { has_choices: true, words: Words::SCHEMAS };

/// How seeds are observed: all at once and eagerly; with few paths and odd thresholds; then one of: often, by
/// default; often and with values replaced; read twice in many epochs, with few paths.
const CHOICES: &[&[u8]] = &[
    &[],
    &[9, 0, 2, 3, 2, 1, 3, 4, 1, 2, 3],
    &[0, 2, 1, 1],
    &[0, 0x11, 3, 0, 0, 0, 0, 0, 0, 0, 7],
    &[61, 0x62, 2, 2, 1, 1, 2, 5, 2, 1, 5],
];

/// Of the target `documents`.
pub fn documents() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for (n, documents) in groups().iter().enumerate() {
        let mut few = CHOICES[1].to_vec();
        few[0] = [9, 29, 61, 85][n % 4];
        for choices in [CHOICES[0], &few, CHOICES[2 + n % 3]] {
            inputs.push(Input::written(choices, documents));
        }
    }
    inputs
}

/// Of the target `states`.
pub fn states() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for (n, documents) in groups().iter().enumerate() {
        let mut shape = Shape::with_cap([4_096, 12][n % 2]);
        let mut arguments = Arguments::default();
        for (at, document) in documents.iter().cycle().take(documents.len() * 3).enumerate() {
            // What cannot be read counts nothing.
            let circumstances = Circumstances { epoch: at as u32 % 11, stands_for: None };
            let _ = shape.observe_under(document, circumstances);
            let _ = arguments.observe(documents.first().map(Vec::as_slice), document, circumstances);
        }
        let all = documents.first().into_iter().cloned();
        inputs.push([shape.to_state()].into_iter().chain(all).collect::<Vec<_>>().join(&SEPARATOR));
        inputs.extend(serde_json::to_vec(&arguments));
    }
    inputs
}

/// Of the target `bundles`.
pub fn bundles() -> Vec<Vec<u8>> {
    // More would not fit into an input.
    groups()
        .iter()
        .map(|documents| crate::checks::seed(documents))
        .filter(|seed| seed.len() < 20_000)
        .collect()
}

/// Of the target `schemas`. `curated` is the folder with the pairs that the comparison is tested with.
pub fn schemas(curated: &Path) -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for documents in groups() {
        let (mut some, mut all) = (Shape::new(), Shape::new());
        for (n, document) in documents.iter().enumerate() {
            let _ = all.observe(document);
            if n % 2 == 0 {
                let _ = some.observe(document);
            }
        }
        for policy in [EAGER, Policy { required_after: 1, ..Policy::default() }] {
            let schemas =
                [some.schema(&policy), all.schema(&policy)].map(|schema| schema.to_string().into_bytes());
            inputs.push(Input::written(&[], &[&schemas[..], &documents].concat()));
        }
    }
    for file in ["breaking", "equal", "ordered", "safe"] {
        let text = fs::read_to_string(curated.join(file).with_extension("jsonl")).unwrap_or_default();
        for pair in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let both = [&pair["old"], &pair["new"]].map(|schema| schema.to_string().into_bytes());
            inputs.push(Input::written(&[], &both));
        }
    }
    inputs
}

/// Documents that belong together.
fn groups() -> Vec<Vec<Vec<u8>>> {
    let written =
        tools::GROUPS.iter().map(|group| group.iter().map(|text| text.as_bytes().to_vec()).collect());
    written.chain(tools::wide()).chain(deep::groups()).collect()
}

//! Learning curves over real documents of public formats, with the schemas published for them.
//!
//! The documents come from the source distributions of packages, at most a few of each, so that few are of one author.
//! A quarter is held out in turn, in several orders. The formats are divided in two halves; thresholds are chosen on the first alone.

use std::fs;

use anyhow::{Context, Result};
use jsonschema::Validator;
use schemascope_benches::places;
use schemascope_benches::random::Random;
use serde_json::Value;

use crate::curve::{Curves, Each, Point};
use crate::judge::{compile, compile_as_it_says};
use crate::learners::{Learners, NAMES};
use crate::mutate::{Kind, mutate};
use crate::random_schemas::COUNTS;
use crate::report::number;
use crate::score::Score;

/// Formats that thresholds are chosen on, and those set aside.
const CHOSEN_ON: [&str; 19] = [
    "black",
    "cibuildwheel",
    "citation",
    "compose",
    "funding",
    "issue-forms",
    "jshintrc",
    "notebooks",
    "package-json",
    "pre-commit-config",
    "project",
    "pytest",
    "readthedocs",
    "setuptools",
    "simple-icons",
    "sourcemap",
    "tsconfig",
    "web-features",
    "workflows",
];
const SET_ASIDE: [&str; 17] = [
    "actions",
    "bower",
    "codecov",
    "cyclonedx",
    "dependabot",
    "eslintrc",
    "hatch",
    "issue-config",
    "mypy",
    "poetry",
    "prettierrc",
    "pyright",
    "ruff",
    "setuptools_scm",
    "tox",
    "travis",
    "uv",
];
/// Parts of which one is held out in turn, and orders of the documents in which that is done.
const FOLDS: usize = 4;
const ORDERS: usize = 5;
/// Most documents that are judged of a part, and damaged ones for each.
const HELD_OUT: usize = 30;
const DAMAGED: usize = 6;
/// The column of all documents.
const ALL: usize = COUNTS.len() - 1;

/// A format: its documents and its published schema.
pub struct Format {
    pub name: &'static str,
    pub number: usize,
    pub documents: Vec<Value>,
    pub truth: Validator,
}

/// The formats of one half, without documents that the published schema rejects.
pub fn formats(set_aside: bool) -> Result<Vec<Format>> {
    let folder = places::tools()?.join("formats");
    let names = if set_aside { &SET_ASIDE[..] } else { &CHOSEN_ON[..] };
    let read = |(number, name): (usize, &&'static str)| {
        let file = |file| {
            let path = folder.join(name).join(file);
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let truth = compile_as_it_says(&serde_json::from_str(&file("schema.json")?)?)?;
        let documents = file("documents.ndjson")?;
        let documents = documents.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        let documents = documents.into_iter().filter(|document| truth.is_valid(document)).collect();
        Ok(Format { name, number, documents, truth })
    };
    names.iter().enumerate().map(read).collect()
}

/// All pieces of work.
pub fn tasks(formats: &[Format]) -> impl Iterator<Item = (&Format, usize)> {
    formats.iter().flat_map(|format| (0..FOLDS * ORDERS).map(move |turn| (format, turn)))
}

/// The points of one held-out part in one order.
pub fn run(format: &Format, turn: usize, learners: &mut Learners) -> Result<Vec<Point>> {
    let mut random = Random::new((turn / FOLDS) as u64, format.name);
    let mut documents = format.documents.clone();
    random.shuffle(&mut documents);
    let (mut valid, mut observed) = (Vec::new(), Vec::new());
    for (at, document) in documents.into_iter().enumerate() {
        if at % FOLDS == turn % FOLDS { &mut valid } else { &mut observed }.push(document);
    }
    valid.truncate(HELD_OUT);
    observed.truncate(COUNTS[ALL]);
    let damaged: Vec<(Kind, Value)> = valid
        .iter()
        .flat_map(|document| std::iter::repeat_n(document, DAMAGED))
        .filter_map(|document| mutate(document, &format.documents, &format.truth, &mut random))
        .collect();
    let mut columns: Vec<(usize, usize)> =
        COUNTS[..ALL].iter().copied().enumerate().filter(|(_, count)| *count < observed.len()).collect();
    columns.push((ALL, observed.len()));
    let counts: Vec<usize> = columns.iter().map(|(_, count)| *count).collect();
    let mut points = Vec::new();
    for ((column, _), schemas) in columns.iter().zip(learners.learn(&observed, &counts)?) {
        for (learner, schema) in schemas.iter().enumerate() {
            let score = Score::of(&compile(schema)?, &valid, &damaged);
            points.push(Point { class: format.number, unit: (0, 0), column: *column, learner, score });
        }
    }
    Ok(points)
}

/// Prints F1 of every format and their mean; with details, precision and recall of ours and the damage that passed.
pub fn print(formats: &[Format], curves: &Curves, details: bool) {
    println!("\nF1: {}. A mean is over the formats that have the column.\n", NAMES.join(" · "));
    let columns: Vec<String> =
        (0..ALL).map(|at| format!("n = {}", COUNTS[at])).chain(["all".to_owned()]).collect();
    println!("| format | documents | {} |\n|---|---|{}", columns.join(" | "), "---|".repeat(COUNTS.len()));
    let joined = |values: Each<f64>| values.map(number).join(" · ");
    let mut means: Vec<Vec<Each<f64>>> = vec![Vec::new(); COUNTS.len()];
    for format in formats {
        let cell = |at: usize| {
            let f1 = curves.micro(at, |class| class == format.number)?.map(|score| score.f1());
            Some((f1, joined(f1)))
        };
        let cells: Vec<_> = (0..COUNTS.len()).map(cell).collect();
        for (mean, cell) in means.iter_mut().zip(&cells) {
            mean.extend(cell.as_ref().map(|(f1, _)| *f1));
        }
        let cells: Vec<String> =
            cells.into_iter().map(|cell| cell.map_or_else(|| "–".to_owned(), |(_, text)| text)).collect();
        println!("| {} | {} | {} |", format.name, format.documents.len(), cells.join(" | "));
    }
    let mean = |all: &Vec<Each<f64>>| match all.len() {
        0 => "–".to_owned(),
        count => {
            joined(std::array::from_fn(|who| all.iter().map(|each| each[who]).sum::<f64>() / count as f64))
        }
    };
    println!("| **mean** | | {} |", means.iter().map(mean).collect::<Vec<_>>().join(" | "));
    if details {
        evidence(formats, curves);
    }
}

fn evidence(formats: &[Format], curves: &Curves) {
    for format in formats {
        for (at, observed) in COUNTS.iter().enumerate() {
            let Some(scores) = curves.micro(at, |class| class == format.number) else { continue };
            let passed = Kind::ALL.iter().zip(scores[0].kinds).filter(|(_, (wrong, _))| *wrong > 0.0);
            let passed: Vec<String> = passed
                .map(|(kind, (wrong, all))| format!("{kind} {:.0}%/{:.0}", 100.0 * wrong / all, all))
                .collect();
            println!(
                "{} {}: precision {} recall {}; rejected by: {:?}; passed: {}",
                format.name,
                observed,
                number(scores[0].precision()),
                number(scores[0].recall()),
                scores[0].keywords,
                passed.join(", ")
            );
        }
    }
}

//! Fitting: three logistic regressions by Newton's method, each server left out in turn.

use std::collections::BTreeMap;

use schemascope_compose::model::{NAMES, SEEN, UNSEEN, disagreement, heard, worse_named};
use schemascope_compose::{Measured, Model};
use schemascope_worlds::{Label, Labels, Truth};

use crate::record::Registry;

/// Strength of the pull of weights, chosen among .3 to 30 with each server left out.
const RIDGE: f64 = 1.3;
/// Weights that are not fitted: the simulated servers have few lists that continue, and hardly any distinctive values that
/// agree by accident.
const GIVEN: &[(&str, f64)] =
    &[("position in another tool's list", -4.0), ("once or twice in many calls, names disagree", -0.5)];
/// Strength of the pull to them.
const FIRM: f64 = 1e6;
/// Number of parts that the first model is fitted without in turn.
const FOLDS: usize = 5;

/// Which measures the models may use.
pub(crate) struct Mask {
    names: Vec<bool>,
    seen: Vec<bool>,
    flow: bool,
}

impl Mask {
    pub(crate) fn full() -> Self {
        Self { names: vec![true; NAMES.len()], seen: vec![true; SEEN.len()], flow: true }
    }

    pub(crate) fn ablations() -> Vec<(&'static str, Self)> {
        let types = [
            "number for text",
            "types differ",
            "true or false",
            "same format",
            "formats differ",
            "input lists its values",
        ];
        let chance = [
            "weak flows",
            "share of the calls that could",
            "share of the credit",
            "compared with the best source",
            "different values",
            "weak, names agree",
            "weak, few different values",
        ];
        let without =
            |list: &[&str], all: &[&str]| all.iter().map(|name| !list.contains(name)).collect::<Vec<_>>();
        vec![
            ("names only", Self { names: without(&types, NAMES), flow: false, ..Self::full() }),
            ("names and types", Self { flow: false, ..Self::full() }),
            ("without chance", Self { seen: without(&chance, SEEN), ..Self::full() }),
            (
                "without origin",
                Self {
                    seen: without(
                        &["repeats an argument", "share of the credit", "compared with the best source"],
                        SEEN,
                    ),
                    ..Self::full()
                },
            ),
            ("flow only", Self { names: NAMES.iter().map(|name| *name == "bias").collect(), ..Self::full() }),
        ]
    }
}

/// An example: measures, 1 if the pair is true, and its weight.
type Row = (Vec<f64>, f64, f64);

/// Gives an example less weight the more true pairs its server has, by the square root: between the same weight for
/// all examples and for all servers.
fn weigh<'a>(
    examples: impl Iterator<Item = (&'a Measured, Option<Truth>)>,
    row: impl Fn(&Measured) -> Vec<f64>,
) -> Vec<Row> {
    let examples: Vec<(&Measured, f64)> =
        examples.map(|(one, truth)| (one, if truth == Some(Truth::True) { 1.0 } else { 0.0 })).collect();
    let mut pairs: BTreeMap<&str, f64> = BTreeMap::new();
    for (one, target) in &examples {
        *pairs.entry(server(&one.to)).or_default() += target;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few servers")]
    let mean = pairs.values().sum::<f64>() / pairs.len() as f64;
    let weight = |one: &Measured| (mean / pairs.get(server(&one.to)).copied().unwrap_or(1.0).max(1.0)).sqrt();
    examples.into_iter().map(|(one, target)| (row(one), target, weight(one))).collect()
}

fn server(tool: &str) -> &str {
    tool.split_once("__").map_or(tool, |(server, _)| server)
}

fn truth(one: &Measured, labels: &Labels) -> Option<Truth> {
    let label = Label {
        from: one.from.to_string(),
        output: one.output.to_string(),
        to: one.to.to_string(),
        input: one.input.to_string(),
    };
    labels.get(&label).copied()
}

fn masked(features: &[f64], mask: &[bool]) -> Vec<f64> {
    features.iter().zip(mask).map(|(feature, keep)| if *keep { *feature } else { 0.0 }).collect()
}

fn dot(weights: &[f64], features: &[f64]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

/// Puts another result of the first model into the measures of the second.
fn with_logit(one: &Measured, logit: f64, best: f64, mask: &Mask) -> Vec<f64> {
    let mut features = one.measures.clone();
    features[1] = logit;
    if one.seen {
        let logit = heard(logit);
        features[1] = logit;
        let worse = worse_named(logit, best);
        if let Some(at) =
            position("once or twice in many calls, names disagree").filter(|at| features[*at] > 0.0)
        {
            features[at] = disagreement(logit);
        }
        if let (Some(at), Some(share)) = (position("weak, named worse than another source"), weak_share(one))
        {
            features[at] = share * worse;
        }
        // The product of the share of weak flows and the first model's result.
        if let (Some(product), Some(share)) = (position("weak, names agree"), weak_share(one)) {
            features[product] = share * logit;
        }
        masked(&features, &mask.seen)
    } else {
        features
    }
}

/// The best result of the first model for the sources seen of each input.
fn best_named<'a>(
    examples: impl IntoIterator<Item = &'a Measured>,
    logit: impl Fn(&Measured) -> f64,
) -> BTreeMap<(Box<str>, Box<str>), f64> {
    let mut best = BTreeMap::new();
    for one in examples.into_iter().filter(|one| one.seen) {
        let own = best.entry(input(one)).or_insert(f64::NEG_INFINITY);
        *own = own.max(logit(one));
    }
    best
}

fn input(one: &Measured) -> (Box<str>, Box<str>) {
    (one.to.clone(), one.input.clone())
}

fn position(name: &str) -> Option<usize> {
    SEEN.iter().position(|own| *own == name)
}

fn weak_share(one: &Measured) -> Option<f64> {
    let strong = one.measures.get(position("distinctive flows")?)?.exp() - 1.0;
    let weak = one.measures.get(position("weak flows")?)?.exp() - 1.0;
    Some(weak / (strong + weak).max(1.0))
}

/// Fits a model to examples.
pub(crate) fn all<'a>(
    examples: impl IntoIterator<Item = &'a Measured>,
    labels: &Labels,
    mask: &Mask,
) -> Model {
    let examples: Vec<(&Measured, Option<Truth>)> = examples
        .into_iter()
        .map(|one| (one, truth(one, labels)))
        .filter(|(_, truth)| *truth != Some(Truth::Either))
        .collect();
    let rows = weigh(examples.iter().copied(), |one| masked(&one.names, &mask.names));
    let given = given_of(NAMES);
    let names = newton(&rows, &given);
    // The second models must see the first one as it is on servers it was not fitted on.
    let fold = |one: &Measured| server(&one.to).bytes().map(usize::from).sum::<usize>() % FOLDS;
    let folds: Vec<Vec<f64>> = (0..FOLDS)
        .map(|left| {
            let others = examples.iter().zip(&rows).filter(|((one, _), _)| fold(one) != left);
            newton(&others.map(|(_, row)| row.clone()).collect::<Vec<_>>(), &given)
        })
        .collect();
    let logit = |one: &Measured| dot(&folds[fold(one)], &masked(&one.names, &mask.names));
    let best = best_named(examples.iter().map(|(one, _)| *one), logit);
    let second = |seen: bool| {
        let examples = examples.iter().copied().filter(|(one, _)| one.seen == seen);
        let rows = weigh(examples, |one| {
            let best = best.get(&input(one)).copied().unwrap_or_default();
            with_logit(one, logit(one), best, mask)
        });
        newton(&rows, &if seen { given_of(SEEN) } else { Vec::new() })
    };
    let (unseen, seen) = (second(false), second(true));
    Model { names, unseen, seen }
}

/// Judges every example by a model that was fitted without its server.
pub(crate) fn leave_out(
    registry: &Registry,
    examples: &[Measured],
    training: &[Measured],
    labels: &Labels,
    mask: &Mask,
) -> Vec<(Measured, f64)> {
    let mut judged = Vec::new();
    for own in &registry.servers {
        let model = without(own.name, training, labels, mask);
        let logit = |one: &Measured| dot(&model.names, &masked(&one.names, &mask.names));
        let own = || examples.iter().filter(|one| server(&one.to) == own.name);
        let best = best_named(own(), logit);
        for one in own() {
            let best = best.get(&input(one)).copied().unwrap_or_default();
            let logit = logit(one);
            let result = if !mask.flow {
                logit
            } else if one.seen {
                dot(&model.seen, &with_logit(one, logit, best, mask))
            } else {
                dot(&model.unseen, &with_logit(one, logit, best, mask))
            };
            judged.push((one.clone(), 1.0 / (1.0 + (-result).exp())));
        }
    }
    judged
}

/// The model fitted on all servers but one.
pub(crate) fn without(own: &str, training: &[Measured], labels: &Labels, mask: &Mask) -> Model {
    all(training.iter().filter(|one| server(&one.to) != own && server(&one.from) != own), labels, mask)
}

/// The weights of some measures that are given.
fn given_of(measures: &[&str]) -> Vec<Option<f64>> {
    let given = |name: &&str| GIVEN.iter().find(|(own, _)| own == name).map(|(_, given)| *given);
    measures.iter().map(given).collect()
}

/// Fits a logistic regression with a ridge; weights that are given stay as they are.
fn newton(rows: &[Row], given: &[Option<f64>]) -> Vec<f64> {
    let size = rows.first().map_or(0, |(features, ..)| features.len());
    let mut weights = vec![0.0; size];
    for _ in 0..30 {
        let pull = |at: usize| given.get(at).copied().flatten().map_or((0.0, RIDGE), |given| (given, FIRM));
        let mut gradient: Vec<f64> =
            weights.iter().enumerate().map(|(at, weight)| -pull(at).1 * (weight - pull(at).0)).collect();
        let mut hessian = vec![vec![0.0; size]; size];
        for (at, row) in hessian.iter_mut().enumerate() {
            row[at] = pull(at).1;
        }
        for (features, target, weight) in rows {
            let p = 1.0 / (1.0 + (-dot(&weights, features)).exp());
            let slope = weight * (p * (1.0 - p)).max(1e-9);
            for (a, left) in features.iter().enumerate().filter(|(_, left)| **left != 0.0) {
                gradient[a] += weight * (target - p) * left;
                for (b, right) in features.iter().enumerate() {
                    hessian[a][b] += slope * left * right;
                }
            }
        }
        let step = solve(hessian, gradient);
        let length: f64 = step.iter().map(|part| part * part).sum::<f64>().sqrt();
        let scale = if length > 4.0 { 4.0 / length } else { 1.0 };
        for (weight, part) in weights.iter_mut().zip(&step) {
            *weight += scale * part;
        }
        if length < 1e-6 {
            break;
        }
    }
    weights
}

/// Solves linear equations by elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for at in 0..size {
        let pivot =
            (at..size).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs())).unwrap_or(at);
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        for below in at + 1..size {
            let factor = matrix[below][at] / matrix[at][at];
            let pivot = matrix[at].clone();
            for (value, above) in matrix[below][at..].iter_mut().zip(&pivot[at..]) {
                *value -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        for column in at + 1..size {
            right[at] -= matrix[at][column] * right[column];
        }
        right[at] /= matrix[at][at];
    }
    right
}

/// Prints the weights as source.
pub(crate) fn print(model: &Model) {
    for (name, names, weights) in
        [("NAMES", NAMES, &model.names), ("UNSEEN", UNSEEN, &model.unseen), ("SEEN", SEEN, &model.seen)]
    {
        println!("/// Weights of `model::{name}`.\nconst {name}: &[f64] = &[");
        for (name, weight) in names.iter().zip(weights) {
            println!("    {weight:.3}, // {name}");
        }
        println!("];");
    }
}

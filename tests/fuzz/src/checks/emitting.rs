//! Schemas are valid, accept what they were made from, and stay up to date; shares are shares.

use schemascope_shape::{Emission, Policy, Shape};
use serde_json::Value;

use super::Round;
use super::judging::{readings, validator};
use super::merging::Merged;
use crate::random::Random;

/// The documents as readers have them.
pub fn check(
    round: &Round<'_>,
    merged: &Merged,
    random: &mut Random,
    seldom: &mut Random,
) -> Result<Vec<Value>, String> {
    let mut different = round.readable.clone();
    different.sort_unstable();
    different.dedup();
    let values: Vec<Value> =
        different.iter().flat_map(|document| readings(document, round.choices.replaced)).collect();
    let chosen = round.choices.policy;
    accepts(&merged.whole.schema(&chosen), &values)?;
    if seldom.once_in(3) {
        accepts(&merged.whole.schema(&Policy::default()), &values)?;
        shares(&merged.whole, &chosen)?;
    }
    follows(round, merged, chosen, random)?;
    Ok(values)
}

fn accepts(schema: &Value, values: &[Value]) -> Result<(), String> {
    let written = schema.to_string();
    let read: Value = serde_json::from_str(&written).map_err(|error| format!("{error}: {written}"))?;
    if !jsonschema::meta::is_valid(&read) {
        return Err(format!("no schema: {written}"));
    }
    let validator = validator(&read, true).map_err(|error| format!("{error}: {written}"))?;
    match values.iter().find(|value| !validator.is_valid(value)) {
        Some(value) => Err(format!("{written} refuses {value}")),
        None => Ok(()),
    }
}

fn shares(shape: &Shape, policy: &Policy) -> Result<(), String> {
    for field in shape.fields(policy).into_iter().chain(shape.root(policy)) {
        let within = |share: f64| (0.0..=1.0).contains(&share);
        if !within(field.consistency)
            || !within(field.agreement)
            || field.presence.present > field.presence.parents
            || field.observations > shape.observations()
        {
            return Err(format!("no shares: {field:?}"));
        }
    }
    let consistency = shape.consistency().into_iter().flat_map(|both| [both.mean, both.lowest]);
    let all: Vec<f64> = consistency.chain(shape.mean_consistency()).chain(shape.unseen()).collect();
    if all.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return Err(format!("no shares: {all:?}"));
    }
    let stability = shape.stability();
    if stability.is_some_and(|stability| stability.epochs > stability.of) {
        return Err(format!("more epochs than there are: {stability:?}"));
    }
    let _ = (shape.explain(policy), shape.notes());
    Ok(())
}

/// A schema that is kept up to date equals one emitted from scratch, whatever happens to the shape between two
/// updates.
fn follows(round: &Round<'_>, merged: &Merged, policy: Policy, random: &mut Random) -> Result<(), String> {
    let (mut shape, mut emission) = (Shape::with_cap(round.choices.cap), Emission::new(policy));
    let seldom = [1, 1, 2, 5][random.below(4)];
    for at in 0..round.readable.len() {
        round.observe(&mut shape, at).map_err(|error| error.to_string())?;
        if random.once_in(30) {
            shape.merge(&merged.part).map_err(|error| error.to_string())?;
        }
        if random.once_in(seldom) {
            let before = emission.schema().clone();
            let changed = emission.update(&shape);
            let fresh = shape.schema(&policy);
            if *emission.schema() != fresh || changed != (before != fresh) {
                return Err(format!("not up to date: {} is not {fresh}", emission.schema()));
            }
        }
    }
    Ok(())
}

//! Schemas are valid, accept what they were made from, and stay up to date; shares are shares.

use std::hash::{DefaultHasher, Hash, Hasher};

use jsonschema::Draft;
use schemascope_benches::random::Random;
use schemascope_shape::{Emission, Policy, Shape};
use serde_json::Value;

use super::Round;

/// Every threshold as low as it goes.
const EAGER: Policy = Policy {
    required_after: 1,
    required_early: 1,
    required_mistaken: 1.0,
    documents: 1,
    closed_after: 1,
    closed_early: 1,
    closed_mistaken: 1.0,
    closed_unseen: 1.0,
    enum_after: 1,
    enum_values: 32,
    tuple_after: 1,
    format_after: 1,
};

/// A hash of the default schema's form.
pub fn check(round: &Round<'_>, shape: &Shape, random: &mut Random) -> Result<u64, String> {
    let documents: Vec<Value> = if round.replaced {
        // What stands in the document is not what was observed.
        Vec::new()
    } else {
        round.readable.iter().filter_map(|document| serde_json::from_slice(document).ok()).collect()
    };
    let between = Policy {
        required_after: 1 + random.below(9) as u64,
        required_early: 1 + random.below(4) as u64,
        closed_after: 1 + random.below(12) as u64,
        enum_after: 1 + random.below(20) as u64,
        tuple_after: 1 + random.below(8) as u64,
        format_after: 1 + random.below(8) as u64,
        ..if random.chance(0.5) { Policy::default() } else { EAGER }
    };
    let other = if random.chance(0.5) { EAGER } else { between };
    for policy in [Policy::default(), other] {
        let schema = shape.schema(&policy);
        accepts(&schema, &documents)?;
        shares(shape, &policy)?;
        follows(round, policy, random)?;
    }
    Ok(form(&shape.schema(&Policy::default())))
}

fn accepts(schema: &Value, documents: &[Value]) -> Result<(), String> {
    let written = schema.to_string();
    let read: Value = serde_json::from_str(&written).map_err(|error| format!("{error}: {written}"))?;
    if !jsonschema::meta::is_valid(&read) {
        return Err(format!("no schema: {written}"));
    }
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    let validator = options.build(&read).map_err(|error| format!("{error}: {written}"))?;
    match documents.iter().find(|document| !validator.is_valid(document)) {
        Some(document) => Err(format!("{written} refuses {document}")),
        None => Ok(()),
    }
}

fn shares(shape: &Shape, policy: &Policy) -> Result<(), String> {
    let fields = shape.fields(policy).into_iter().chain(shape.root(policy));
    for field in fields {
        let within = |share: f64| (0.0..=1.0).contains(&share);
        if !within(field.consistency)
            || !within(field.agreement)
            || field.presence.present > field.presence.parents
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

/// Kept up to date, the schema is the one emitted anew.
fn follows(round: &Round<'_>, policy: Policy, random: &mut Random) -> Result<(), String> {
    let (mut shape, mut emission) = (Shape::with_cap(round.cap), Emission::new(policy));
    let often = random.one(&[0.2, 0.7, 1.0]);
    for at in 0..round.readable.len() {
        round.observe(&mut shape, at).map_err(|error| error.to_string())?;
        if random.chance(0.02) {
            let other = shape.clone();
            shape.merge(&other).map_err(|error| error.to_string())?;
        }
        if random.chance(often) {
            let before = emission.schema().clone();
            let changed = emission.update(&shape);
            let anew = shape.schema(&policy);
            if *emission.schema() != anew || changed != (before != anew) {
                return Err(format!("not up to date: {} is not {anew}", emission.schema()));
            }
        }
    }
    Ok(())
}

/// The schema without its numbers and most of its names.
fn form(schema: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    for byte in schema.to_string().bytes().filter(|byte| !byte.is_ascii_digit()).take(2_000) {
        byte.hash(&mut hasher);
    }
    hasher.finish()
}

//! Any split, merged in any order, is the whole.

use schemascope_shape::{MAX_WHOLE, Policy, Shape};

use super::{LARGEST_STATE, Round, same};
use crate::random::Random;

/// The whole, and some of the documents.
pub struct Merged {
    pub whole: Shape,
    pub part: Shape,
}

/// Observes the documents at once and in parts.
pub fn check(round: &Round<'_>, random: &mut Random, seldom: &mut Random) -> Result<Merged, String> {
    let cap = round.choices.cap;
    let mut whole = Shape::with_cap(cap);
    let mut parts: Vec<Shape> = (0..1 + random.below(4))
        .map(|_| Shape::with_cap([cap, cap, cap + random.below(300), MAX_WHOLE][random.below(4)]))
        .collect();
    // Of different caps the smallest holds.
    parts.push(Shape::with_cap(cap));
    for at in 0..round.readable.len() {
        let part = random.below(parts.len());
        for shape in [&mut whole, &mut parts[part]] {
            round.observe(shape, at).map_err(|error| format!("read once, not twice: {error}"))?;
        }
    }
    let state = whole.to_state();
    if state.len() > LARGEST_STATE {
        return Err(format!("the state has {} bytes", state.len()));
    }
    let (paths, bare) = (whole.paths(), whole.bare_paths());
    let exceeds = paths - bare > cap || paths > cap + cap / 4 * 5;
    if whole.observations() != round.readable.len() as u64 || exceeds {
        let documents = round.readable.len();
        return Err(format!("{whole:?} of {documents} documents, {bare} bare, {cap} whole paths at most"));
    }
    let part = parts[0].clone();
    let merged = merge_all(parts, random)?;
    same("merged", &state, &merged.to_state())?;
    let policy = &round.choices.policy;
    if seldom.once_in(2) {
        let read = Shape::from_state(&state).map_err(|error| format!("its own state: {error}"))?;
        same("read back", &state, &read.to_state())?;
        alike("read back", &whole, &read, policy)?;
    }
    alike("merged", &whole, &merged, policy)?;
    if seldom.once_in(4) {
        alike("merged", &whole, &merged, &Policy::default())?;
        if whole.fields(policy) != merged.fields(policy) || whole.root(policy) != merged.root(policy) {
            return Err("merged: other reports".into());
        }
    }
    if seldom.once_in(2) {
        goes_on(round, &whole, merged, random)?;
    }
    Ok(Merged { whole, part })
}

/// Merges any two until one is left, some of them after having been written.
fn merge_all(mut parts: Vec<Shape>, random: &mut Random) -> Result<Shape, String> {
    while let Some(part) = (parts.len() > 1).then(|| parts.swap_remove(random.below(parts.len()))) {
        let into = random.below(parts.len());
        let part = if random.once_in(2) {
            Shape::from_state(&part.to_state()).map_err(|error| format!("a part's state: {error}"))?
        } else {
            part
        };
        parts[into].merge(&part).map_err(|error| error.to_string())?;
    }
    parts.pop().ok_or_else(|| "there was a part".into())
}

/// The schemas are the same.
fn alike(what: &str, a: &Shape, b: &Shape, policy: &Policy) -> Result<(), String> {
    let schemas = [a.schema(policy), b.schema(policy)];
    if schemas[0] == schemas[1] {
        return Ok(());
    }
    Err(format!("{what}: other schemas\n{}\n{}", schemas[0], schemas[1]))
}

/// What was merged goes on like the whole.
fn goes_on(round: &Round<'_>, whole: &Shape, mut merged: Shape, random: &mut Random) -> Result<(), String> {
    if round.readable.is_empty() {
        return Ok(());
    }
    let mut whole = whole.clone();
    for _ in 0..2 {
        let at = random.below(round.readable.len());
        let gone_on = round.observe(&mut whole, at).and_then(|()| round.observe(&mut merged, at));
        gone_on.map_err(|error| error.to_string())?;
    }
    same("merged and gone on", &whole.to_state(), &merged.to_state())
}

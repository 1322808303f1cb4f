//! Any split, merged in any order, is the whole.

use schemascope_benches::random::Random;
use schemascope_shape::Shape;

use super::{Round, same};

/// The shape of all documents.
pub fn check(round: &Round<'_>, random: &mut Random) -> Result<Shape, String> {
    let mut whole = Shape::with_cap(round.cap);
    let mut parts: Vec<Shape> = (0..1 + random.below(4))
        .map(|_| Shape::with_cap(if random.chance(0.3) { round.cap + random.below(300) } else { round.cap }))
        .collect();
    for at in 0..round.readable.len() {
        let part = random.below(parts.len());
        for shape in [&mut whole, &mut parts[part]] {
            round.observe(shape, at).map_err(|error| format!("read once, not twice: {error}"))?;
        }
    }
    let state = whole.to_state();
    let read = Shape::from_state(&state).map_err(|error| format!("its own state: {error}"))?;
    same("read back", &state, &read.to_state())?;
    parts.push(Shape::with_cap(round.cap));
    // Any two are merged until one is left.
    while parts.len() > 1 {
        let part = parts.swap_remove(random.below(parts.len()));
        let into = random.below(parts.len());
        let part = if random.chance(0.5) {
            Shape::from_state(&part.to_state()).map_err(|error| format!("a part's state: {error}"))?
        } else {
            part
        };
        parts[into].merge(&part).map_err(|error| error.to_string())?;
    }
    for part in parts {
        same("merged", &state, &part.to_state())?;
        // What is merged goes on like the whole.
        if !round.readable.is_empty() {
            let at = random.below(round.readable.len());
            let (mut a, mut b) = (whole.clone(), part);
            let gone_on = round.observe(&mut a, at).and_then(|()| round.observe(&mut b, at));
            gone_on.map_err(|error| error.to_string())?;
            same("merged and gone on", &a.to_state(), &b.to_state())?;
        }
    }
    Ok(whole)
}

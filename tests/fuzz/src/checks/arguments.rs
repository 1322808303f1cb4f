//! Joint counts of arguments and parts, and counts of fits: any split is the whole, also after having been
//! written.

use schemascope_shape::{Arguments, Fits};

use super::Round;
use crate::input::Input;
use crate::random::Random;

/// Observes documents as arguments of one another.
pub fn check(input: &Input<'_>, round: &Round<'_>, random: &mut Random) -> Result<(), String> {
    let mut whole = (Arguments::default(), Fits::default());
    let mut parts = vec![whole.clone(); 1 + random.below(3)];
    for (at, document) in round.readable.iter().enumerate() {
        let arguments = (!random.once_in(10)).then(|| input.documents[random.below(input.documents.len())]);
        let before = whole.0.clone();
        let part = random.below(parts.len());
        let fits = random.once_in(2);
        let took = [&mut whole, &mut parts[part]].map(|both| {
            both.1.add(&String::from_utf8_lossy(document), fits);
            both.0.observe(arguments, document, round.circumstances(at)).is_ok()
        });
        if took[0] != took[1] {
            return Err("arguments are taken once, not twice".into());
        }
        if !took[0] && whole.0 != before {
            return Err("refused arguments left a trace".into());
        }
    }
    while parts.len() > 1 {
        let part = parts.swap_remove(random.below(parts.len()));
        let written = serde_json::to_vec(&part).map_err(|error| error.to_string())?;
        let part: (Arguments, Fits) = serde_json::from_slice(&written).map_err(|error| error.to_string())?;
        let into = random.below(parts.len());
        parts[into].0.merge(&part.0);
        parts[into].1.merge(&part.1);
    }
    if parts.iter().any(|part| *part != whole) {
        return Err(format!("arguments merged are not the whole: {parts:?}\n{whole:?}"));
    }
    let separations = whole.0.separations();
    let within = separations.iter().all(|separation| (0.0..=1.0).contains(&separation.explains));
    if within { Ok(()) } else { Err(format!("no shares: {separations:?}")) }
}

//! Joint counts of arguments and parts: any split is the whole, also after having been written.

use schemascope_benches::random::Random;
use schemascope_shape::Arguments;

use super::Round;
use crate::input::Input;

pub fn check(input: &Input, round: &Round<'_>, random: &mut Random) -> Result<(), String> {
    let mut whole = Arguments::default();
    let mut parts = vec![Arguments::default(); 1 + random.below(3)];
    for (at, document) in round.readable.iter().enumerate() {
        let arguments = random.chance(0.9).then(|| random.pick(&input.documents).as_slice());
        let before = whole.clone();
        let part = random.below(parts.len());
        let took = whole.observe(arguments, document, round.circumstances(at)).is_ok();
        if took != parts[part].observe(arguments, document, round.circumstances(at)).is_ok() {
            return Err("arguments are taken once, not twice".into());
        }
        if !took && whole != before {
            return Err("refused arguments left a trace".into());
        }
    }
    while parts.len() > 1 {
        let part = parts.swap_remove(random.below(parts.len()));
        let written = serde_json::to_vec(&part).map_err(|error| error.to_string())?;
        let part: Arguments = serde_json::from_slice(&written).map_err(|error| error.to_string())?;
        let into = random.below(parts.len());
        parts[into].merge(&part);
    }
    if parts.iter().any(|part| *part != whole) {
        return Err(format!("arguments merged are not the whole: {parts:?}\n{whole:?}"));
    }
    let separations = whole.separations();
    let within = separations.iter().all(|separation| (0.0..=1.0).contains(&separation.explains));
    if within { Ok(()) } else { Err(format!("no shares: {separations:?}")) }
}

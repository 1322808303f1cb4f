//! What must hold of every input.
//!
//! Owns: the order, and the circumstances all checks share. Each check says why it failed; panics are for the
//! caller to catch.

mod arguments;
mod emitting;
mod merging;
mod reading;
mod states;

use schemascope_benches::random::Random;
use schemascope_shape::{Circumstances, Shape, StandsFor, Unreadable};

use crate::input::Input;

/// What a round came to.
pub struct Outcome {
    /// Documents observed, each time anew.
    pub documents: u64,
    pub refused: u64,
    /// A hash of the schema's form.
    pub form: u64,
}

/// The circumstances of a round.
pub struct Round<'i> {
    /// Documents that can be read, some of them several times.
    pub readable: Vec<&'i [u8]>,
    /// When each of them was observed.
    pub epochs: Vec<u32>,
    /// Paths that are kept.
    pub cap: usize,
    /// Some strings stand for other values.
    pub replaced: bool,
}

/// Runs every check. Why one failed, if one did.
pub fn all(input: &Input) -> Result<Outcome, String> {
    let mut random = Random::new(input.seed, "round");
    let cap = if random.chance(0.5) { 4_096 } else { 1 + random.below(200) };
    let replaced = random.chance(0.2);
    let read = reading::check(&input.documents, cap)?;
    let refused = (input.documents.len() - read.len()) as u64;
    let times = random.one(&[1, 1, 2, 5, 12]);
    let mut readable: Vec<&[u8]> = read.iter().copied().cycle().take(read.len() * times).collect();
    random.shuffle(&mut readable);
    let newest = random.one(&[1, 3, 12, u32::MAX as usize]);
    let epochs = readable.iter().map(|_| (random.below(newest + 1)) as u32).collect();
    let round = Round { readable, epochs, cap, replaced };
    let whole = merging::check(&round, &mut random)?;
    let form = emitting::check(&round, &whole, &mut random)?;
    states::check(&round, &whole, &mut random);
    arguments::check(input, &round, &mut random)?;
    let passes = 4 * round.readable.len() + input.documents.len();
    Ok(Outcome { documents: passes as u64 + refused, refused, form })
}

impl Round<'_> {
    /// Observes one of the documents.
    pub fn observe(&self, shape: &mut Shape, at: usize) -> Result<(), Unreadable> {
        shape.observe_under(self.readable[at], self.circumstances(at))
    }

    pub fn circumstances(&self, at: usize) -> Circumstances<'_> {
        Circumstances {
            epoch: self.epochs[at],
            stands_for: if self.replaced { Some(&stands_for) } else { None },
        }
    }
}

fn stands_for(text: &str) -> Option<StandsFor> {
    match text {
        "⟦integer⟧" => Some(StandsFor::Integer),
        "⟦number⟧" => Some(StandsFor::Number),
        "⟦string⟧" => Some(StandsFor::String(Some(7))),
        "c" => Some(StandsFor::String(None)),
        _ => None,
    }
}

/// Fails unless two states are the same, and tells where they are not.
pub fn same(what: &str, a: &[u8], b: &[u8]) -> Result<(), String> {
    let Some(at) = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at)) else { return Ok(()) };
    let around = |state: &[u8]| {
        let (from, to) = (at.saturating_sub(200).min(state.len()), (at + 80).min(state.len()));
        String::from_utf8_lossy(&state[from..to]).into_owned()
    };
    Err(format!("{what}: differs at byte {at}:\n{}\n{}", around(a), around(b)))
}

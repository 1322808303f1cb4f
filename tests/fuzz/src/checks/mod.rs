//! Properties that must hold for every input. Each check says why it failed; libFuzzer catches panics.

mod arguments;
mod bundles;
mod calls;
mod comparing;
mod emitting;
mod help;
mod judging;
mod merging;
mod reading;
mod states;
mod texts;

use schemascope_shape::{Circumstances, Shape, StandsFor, Unreadable};

use crate::counts::Tried;
use crate::input::{Choices, Input};
use crate::random::Random;

pub use bundles::{bundles, seed};
pub use calls::calls;
pub use comparing::schemas;
pub use help::help;
pub use states::states;
pub use texts::texts;

/// Bytes the state of a tool may have.
const LARGEST_STATE: usize = 16 << 20;

/// Observations of an input.
const MOST: usize = 80;

/// Documents and how they are observed.
struct Round<'i> {
    /// Documents that can be read, some of them several times.
    readable: Vec<&'i [u8]>,
    /// When each of them was observed.
    epochs: Vec<u32>,
    choices: &'i Choices,
}

/// Key by which serde_json marks JSON to be read as it is. It reads an object with it alone as another value, so the
/// values that schemas are checked with here would not be those of the documents.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Checks all that must hold of documents.
pub fn documents(bytes: &[u8]) -> Result<Tried, String> {
    if bytes.windows(RAW_VALUE.len()).any(|part| part == RAW_VALUE.as_bytes()) {
        return Ok(Tried { documents: 0, refused: 0 });
    }
    let input = Input::new(bytes);
    let choices = Choices::new(input.choices);
    let mut random = choices.random.clone();
    // What takes long and follows from what was checked already is checked for some inputs only.
    let mut seldom = Random::of(bytes);
    let read = reading::check(&input.documents, &choices, &mut seldom)?;
    let count = (read.len() * choices.times).min(MOST);
    let mut readable: Vec<&[u8]> = read.iter().copied().cycle().take(count).collect();
    random.shuffle(&mut readable);
    let epochs = readable.iter().map(|_| random.below(choices.newest as usize + 1) as u32).collect();
    let round = Round { readable, epochs, choices: &choices };
    let merged = merging::check(&round, &mut random, &mut seldom)?;
    let values = emitting::check(&round, &merged, &mut random, &mut seldom)?;
    if seldom.once_in(3) {
        comparing::check(&round, &merged, &values)?;
    }
    if seldom.once_in(3) {
        arguments::check(&input, &round, &mut random)?;
    }
    Ok(Tried {
        documents: input.documents.len() + 4 * round.readable.len(),
        refused: input.documents.len() - read.len(),
    })
}

impl Round<'_> {
    /// Observes one of the documents.
    fn observe(&self, shape: &mut Shape, at: usize) -> Result<(), Unreadable> {
        shape.observe_under(self.readable[at], self.circumstances(at))
    }

    fn circumstances(&self, at: usize) -> Circumstances<'_> {
        Circumstances {
            epoch: self.epochs[at],
            stands_for: if self.choices.replaced { Some(&stands_for) } else { None },
        }
    }
}

/// Redacted values, as the redaction writes them, and a text that could be anything.
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
fn same(what: &str, a: &[u8], b: &[u8]) -> Result<(), String> {
    let Some(at) = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at)) else { return Ok(()) };
    let around = |state: &[u8]| {
        let (from, to) = (at.saturating_sub(200).min(state.len()), (at + 80).min(state.len()));
        String::from_utf8_lossy(&state[from..to]).into_owned()
    };
    Err(format!("{what}: differs at byte {at}:\n{}\n{}", around(a), around(b)))
}

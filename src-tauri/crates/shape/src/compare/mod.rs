//! Semantic diff of two JSON Schemas, and whether one may take the place of the other.
//!
//! Two questions, for two sides. Whoever *reads* what a schema describes is safe when every value the new
//! schema allows was allowed before; whoever *sends* it is safe when every value that was allowed still is.
//! "Safe" is only ever said when that is proven; [`Class::Breaking`] when a value shows otherwise and readers
//! or senders would trip over it; everything between, and everything not understood, is [`Class::Risky`].
//!
//! Schemas may be any JSON: broken, recursive, huge. Work, depth and the list of changes are bounded.
//!
//! Owns: the order of things. Refuses to know: everything the files beside it know.

mod accepts;
mod array;
mod change;
mod circle;
mod cut;
mod document;
mod fits;
mod fuel;
mod hopeless;
mod keyword;
mod meet;
mod number;
mod object;
mod piece;
mod prover;
mod regular;
mod same;
mod sample;
mod scalar;
mod sealed;
mod sentence;
mod tags;
mod values;
mod walk;
mod walk_fields;
mod walk_kinds;
mod walk_pieces;
mod witness;

use serde_json::{Value, json};

pub use change::{Change, Class, Comparison, What};

use change::Classes;
use document::Document;
use fuel::Fuel;
use piece::Fact;
use prover::Prover;
use same::identical;
use walk::{Spot, Walk};

/// Steps for each of the two proofs.
const PROOF_STEPS: usize = 100_000;

/// What changed from one schema to another.
pub fn compare(old: &Value, new: &Value) -> Comparison {
    if identical(old, new) {
        return Comparison { changes: Vec::new(), output: Class::Safe, input: Class::Safe };
    }
    let text = json!({"type": "string"});
    let (text, old, new) = (Document::new(&text), Document::new(old), Document::new(new));
    let mut prover = Prover::new(Fuel::new(PROOF_STEPS), text.top());
    let class = |proven| if proven { Class::Safe } else { Class::Breaking };
    let output = class(prover.schema_within(new.top(), old.top()));
    prover.fuel = Fuel::new(PROOF_STEPS);
    let input = class(prover.schema_within(old.top(), new.top()));
    let mut walk = Walk::new(prover);
    let spot = Spot { path: "", cap: Classes { output, input } };
    walk.pair(spot, &[Fact::Is(old.top())], &[Fact::Is(new.top())]);
    let (changes, Classes { output, input }) = walk.found.finish();
    Comparison { changes, output, input }
}

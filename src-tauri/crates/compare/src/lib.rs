//! Semantic diff of two JSON Schemas, and proofs of compatibility.
//!
//! A change has two sides. A *reader* of the described values is safe if every value that the new
//! schema allows was allowed before. A *sender* is safe if every value that was allowed still is.
//! The comparison says "safe" only if that is proven. It says [`Class::Breaking`] if a value shows
//! that readers or senders fail, or if a described field, a pattern of names or a condition came or
//! went and nothing proves that this does not matter. Everything else, including everything not
//! understood, is [`Class::Risky`].
//!
//! Schemas may be any JSON: malformed, recursive, huge. Work, depth and the list of changes are
//! bounded.

mod accepts;
mod array;
mod change;
mod claim;
mod cycle;
mod document;
mod drafts;
mod emptiness;
mod fits;
mod fuel;
mod intersect;
mod keyword;
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
mod split;
mod statement;
mod tags;
mod values;
mod walk;
mod walk_fields;
mod walk_kinds;
mod walk_pieces;
mod walk_union;
mod witness;

use serde_json::{Value, json};

pub use change::{Change, ChangeKind, Class, Comparison};
pub use claim::{Claim, Side};

use change::Classes;
use document::Document;
use fuel::Fuel;
use piece::Fact;
use prover::Prover;
use same::identical;
use walk::{Beside, Spot, Walk};

/// Most steps for each of the two proofs.
const PROOF_STEPS: usize = 100_000;

/// Compares two schemas.
pub fn compare(old: &Value, new: &Value) -> Comparison {
    compared(old, new, false).0
}

/// Compares two schemas. Also returns, for each change, what its sentence claims about the values of
/// both schemas.
pub fn compare_with_claims(old: &Value, new: &Value) -> (Comparison, Vec<Vec<Claim>>) {
    compared(old, new, true)
}

fn compared(old: &Value, new: &Value, with_claims: bool) -> (Comparison, Vec<Vec<Claim>>) {
    if identical(old, new) {
        let same = Comparison { changes: Vec::new(), output: Class::Safe, input: Class::Safe };
        return (same, Vec::new());
    }
    let (old, new) = (drafts::current(old), drafts::current(new));
    let (old, new) = (old.as_ref(), new.as_ref());
    let text = json!({"type": "string"});
    let (text, old, new) = (Document::new(&text), Document::new(old), Document::new(new));
    let mut prover = Prover::new(Fuel::new(PROOF_STEPS), text.top());
    let class = |proven| if proven { Class::Safe } else { Class::Breaking };
    let output = class(prover.schema_within(new.top(), old.top()));
    prover.fuel = Fuel::new(PROOF_STEPS);
    let input = class(prover.schema_within(old.top(), new.top()));
    let mut walk = Walk::new(prover, with_claims);
    let spot = Spot { path: "", trail: None, beside: Beside::Nothing, cap: Classes { output, input } };
    walk.pair(spot, &[vec![Fact::Is(old.top())]], &[vec![Fact::Is(new.top())]]);
    let (changes, claims, Classes { output, input }) = walk.found.finish();
    (Comparison { changes, output, input }, claims)
}

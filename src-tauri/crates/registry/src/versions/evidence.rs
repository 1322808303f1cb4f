//! What is known when a version is cut.
//!
//! Owns: which numbers are kept, and their bounds. Refuses to know: where examples come from; whoever cuts a
//! version brings them, redacted.

use schemascope_model::{Evidence, Example, FieldEvidence, ImpactedCall};
use schemascope_shape::{FieldReport, Policy};

use crate::tool::Tool;

/// Fields whose numbers are kept: the first ones in order of path.
const MAX_FIELDS: usize = 500;
/// Longest example in bytes.
const MAX_EXAMPLE: usize = 2_000;
/// Examples, and counter-examples, kept.
pub const MAX_EXAMPLES: usize = 3;

/// What is known of a tool now. Of examples the first few are kept, the long ones cut.
pub fn evidence(
    tool: &Tool,
    mut examples: Vec<Example>,
    mut counter_examples: Vec<ImpactedCall>,
) -> Evidence {
    let millionths = |share: f64| (share * 1e6).round() as u32;
    let fields = tool.shape.fields(&Policy::default());
    let fields_left_out = fields.len().saturating_sub(MAX_FIELDS) as u64;
    let field = |field: FieldReport| FieldEvidence {
        path: field.path,
        kinds: field.kinds,
        present: field.presence.present,
        parents: field.presence.parents,
        consistency: millionths(field.consistency),
        required: field.required,
    };
    examples.truncate(MAX_EXAMPLES);
    counter_examples.truncate(MAX_EXAMPLES);
    for Example { json, .. } in &mut examples {
        let cut = (0..=MAX_EXAMPLE.min(json.len())).rev().find(|at| json.is_char_boundary(*at));
        json.truncate(cut.unwrap_or(0));
    }
    Evidence {
        observation_count: tool.shape.observations(),
        call_count: tool.calls,
        quality: tool.inferred_quality(),
        mean_consistency: tool.shape.mean_consistency().map(millionths),
        fields: fields.into_iter().take(MAX_FIELDS).map(field).collect(),
        fields_left_out,
        examples,
        counter_examples,
    }
}

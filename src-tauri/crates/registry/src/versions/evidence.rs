//! The evidence that is kept with a version: the numbers at the time it was made, and bounded examples, which the
//! caller redacts.

use schemascope_model::{Evidence, FieldEvidence};
use schemascope_shape::{FieldReport, Policy};

use crate::tool::Tool;

/// Fields whose numbers are kept: the first ones in order of path.
const MAX_FIELDS: usize = 500;
/// Longest example in bytes.
pub const MAX_EXAMPLE: usize = 2_000;
/// Examples, and counter-examples, kept.
pub const MAX_EXAMPLES: usize = 3;

/// What is known of a tool now, without examples.
pub fn evidence(tool: &Tool) -> Evidence {
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
    Evidence {
        observation_count: tool.shape.observations(),
        call_count: tool.calls,
        last_observed: tool.last_observed,
        learned_since: tool.learned_since(),
        quality: tool.inferred_quality(),
        mean_consistency: tool.shape.mean_consistency().map(millionths),
        fields: fields.into_iter().take(MAX_FIELDS).map(field).collect(),
        fields_left_out,
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

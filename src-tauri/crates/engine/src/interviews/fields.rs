//! What is known of the fields of a tool, for interviews about them.

use schemascope_interview::{MAX_TOOL_FIELDS, ToolField};
use schemascope_model::ToolId;
use schemascope_registry::Registry;
use schemascope_shape::Policy;

use crate::views;

/// The fields of a tool's result with type, presence and an example; none if nothing was learned.
pub(crate) fn fields(registry: &Registry, tool_id: &str) -> Vec<ToolField> {
    let id: Option<ToolId> = tool_id.parse().ok();
    let Some(tool) = id.and_then(|id| registry.tool(&id)) else { return Vec::new() };
    let rows = tool.shape.fields(&Policy::default()).into_iter().map(views::field_row);
    rows.take(MAX_TOOL_FIELDS)
        .map(|row| ToolField {
            presence: format!("{} of {}", row.present, row.parents),
            types: row.kinds.join(" or "),
            example: row.values.examples.first().cloned().unwrap_or_default(),
            description: None,
            path: row.path,
        })
        .collect()
}

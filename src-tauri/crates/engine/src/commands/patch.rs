//! What the author of a server pastes to declare an output schema, with the evidence for it.

use schemascope_api::{ApiError, ErrorKind, GetImpact, GetPatch, PatchText};
use schemascope_codegen::{Patch, Sdk, patch};
use schemascope_registry::Tool;
use schemascope_shape::{Policy, Shape, schema_without_values, wilson};
use serde_json::json;

use super::{Handle, internal};
use crate::engine::Engine;

handlers![GetPatch];

/// Most fields that the evidence lists.
const MAX_FIELDS: usize = 40;
/// Levels of fields that it lists.
const LEVELS: usize = 3;
/// Most broken rules that it names.
const MAX_RULES: usize = 3;

impl Handle<GetPatch> for Engine {
    async fn handle(&self, command: GetPatch) -> Result<PatchText, ApiError> {
        let GetPatch { tool_id, sdk, with_values } = command;
        let sdk: Sdk = serde_json::from_value(json!(sdk)).map_err(|_| {
            let message = format!("{sdk:?} is no SDK; expected typescript, python, rust or json");
            ApiError::new(ErrorKind::Invalid, message)
        })?;
        let (id, tool) = self.known_tool(&tool_id).await?;
        let version = self.knowledge.decisions.tool(&id).in_force().map(|in_force| {
            let version = in_force.version();
            (version.number, (*version.schema).clone())
        });
        let is_learned = tool.carriers.text_form().is_none() && tool.shape.observations() > 0;
        let (schema, number) = match version {
            Some((number, schema)) => (schema, Some(number)),
            None if is_learned => (tool.inferred_schema(), None),
            None => {
                let reason = match tool.carriers.text_form() {
                    Some(_) => "its results are text without structure",
                    None => "no result was observed",
                };
                let message = format!("there is no schema of {id} to write: {reason}");
                return Err(ApiError::new(ErrorKind::NotFound, message));
            }
        };
        // Without values, names that are data are left out as well.
        let (schema, shape) = match with_values {
            true => (schema, tool.shape.clone()),
            false => (schema_without_values(&schema), tool.shape.veiled()),
        };
        let mut evidence = evidence(&id.to_string(), &tool, number);
        if let Some(version) = number {
            evidence.extend(self.misfits(&tool_id, version).await?);
        }
        evidence.extend(fields(&shape));
        let said = evidence.clone();
        let work = move || patch(sdk, &id, &schema, &said);
        let Patch { text, notes } = tokio::task::spawn_blocking(work).await.map_err(internal)?;
        Ok(PatchText { text, evidence, notes })
    }
}

impl Engine {
    /// How the latest results fit a version.
    async fn misfits(&self, tool_id: &str, version: u32) -> Result<Vec<String>, ApiError> {
        let impact = self.handle(GetImpact { tool_id: tool_id.to_owned(), version, last: None }).await?;
        let mut lines = vec![match (impact.observation_count, impact.violating) {
            (0, _) => "No result is stored that could be checked.".to_owned(),
            (all, 0) => format!("All of the newest {all} stored results fit."),
            (all, some) => format!("{some} of the newest {all} stored results do not fit and would break:"),
        }];
        for rule in impact.rules.iter().take(MAX_RULES) {
            lines.push(format!("  {}: {} ({})", rule.violation.path, rule.violation.rule, rule.count));
        }
        Ok(lines)
    }
}

/// Where the schema comes from.
fn evidence(id: &str, tool: &Tool, version: Option<u32>) -> Vec<String> {
    let count = tool.shape.observations();
    let results = if count == 1 { "1 result".to_owned() } else { format!("{count} results") };
    let since = tool.history.points.first().map(|point| format!(" since {}", day(&point.at.to_string())));
    let since = since.unwrap_or_default();
    let decided = match version {
        Some(version) => format!("Version {version} of it is in effect."),
        None => "No version of it is in effect.".to_owned(),
    };
    vec![format!("Output schema of {id}, learned by Schemascope from {results}{since}. {decided}")]
}

/// How often each field is present.
fn fields(shape: &Shape) -> Vec<String> {
    let fields = shape.fields(&Policy::default());
    let listed: Vec<_> = fields
        .iter()
        .filter(|field| field.depth < LEVELS && !field.path.is_empty() && !field.path.contains('⟦'))
        .collect();
    let mut lines = vec![String::new(), "Fields, with the 95 % interval of their presence:".to_owned()];
    for field in listed.iter().take(MAX_FIELDS) {
        let (present, parents) = (field.presence.present, field.presence.parents);
        let (low, high) = wilson(present, parents);
        let percent = |share: f64| (share * 100.0).round();
        lines.push(format!(
            "  {}: in {present} of {parents} ({}–{} %)",
            field.path,
            percent(low),
            percent(high)
        ));
    }
    match listed.len().saturating_sub(MAX_FIELDS) {
        _ if listed.is_empty() => Vec::new(),
        0 => lines,
        more => {
            lines.push(format!("  and {more} more"));
            lines
        }
    }
}

fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}

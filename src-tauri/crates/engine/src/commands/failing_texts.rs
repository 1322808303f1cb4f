//! Listing texts that are failures, and deciding about them.

use schemascope_api::{ApiError, Decided, FailingTextRow, JudgeText, ListFailingTexts};
use schemascope_model::ToolId;
use schemascope_registry::Tool;
use schemascope_registry::versions::{AuditEvent, ToolVersions};

use super::Handle;
use super::decide::needs_reason;
use crate::engine::Engine;
use crate::knowledge::decisions::known;
use crate::knowledge::summary::possible_failures;

handlers![ListFailingTexts, JudgeText];

impl Handle<ListFailingTexts> for Engine {
    async fn handle(&self, command: ListFailingTexts) -> Result<Vec<FailingTextRow>, ApiError> {
        let tools = match &command.tool_id {
            Some(written) => vec![self.known_tool(written).await?],
            None => {
                self.settled().await?;
                self.registry().tools().iter().map(|(id, tool)| (id.clone(), tool.clone())).collect()
            }
        };
        let decisions = &self.knowledge.decisions;
        Ok(tools.iter().flat_map(|(id, tool)| rows(id, tool, &decisions.tool(id))).collect())
    }
}

/// What no one decided about first, then by number of results.
fn rows(id: &ToolId, tool: &Tool, versions: &ToolVersions) -> Vec<FailingTextRow> {
    let open = possible_failures(tool, Some(versions)).map(|(starts, found)| FailingTextRow {
        tool_id: id.to_string(),
        starts: starts.to_owned(),
        results: found.results,
        fails: false,
        latest: Some(found.latest),
    });
    let counted = tool.failing_texts.rules().iter().map(|(starts, results)| FailingTextRow {
        tool_id: id.to_string(),
        starts: starts.to_string(),
        results: *results,
        fails: true,
        latest: None,
    });
    let mut rows: Vec<FailingTextRow> = open.chain(counted).collect();
    rows.sort_by_key(|row| (row.fails, std::cmp::Reverse(row.results)));
    rows
}

impl Handle<JudgeText> for Engine {
    async fn handle(&self, command: JudgeText) -> Result<Decided, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        let proposal = self.proposal(&id, reason, person, Some(known(&tool)));
        needs_reason(&proposal, command.no_reason)?;
        let starts = self.files.redaction.now().text(command.starts.trim()).into_owned().into();
        let event = AuditEvent::FailingText { starts, fails: command.fails };
        self.decide_learning(&id, proposal, |_| Ok(event)).await
    }
}

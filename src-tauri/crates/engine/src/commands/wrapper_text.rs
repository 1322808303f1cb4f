//! The wrapper of one tool, as a text to look at.

use schemascope_api::{ApiError, ErrorKind, GetWrapper, WrapperText, WrapperTool};
use schemascope_codegen::{Language, Manifest, folder};
use schemascope_model::{Quality, Source, Strategy};
use serde_json::json;

use super::{Handle, internal};
use crate::engine::Engine;
use crate::wrappers;

handlers![GetWrapper];

impl Handle<GetWrapper> for Engine {
    async fn handle(&self, command: GetWrapper) -> Result<WrapperText, ApiError> {
        let language: Language = serde_json::from_value(json!(command.lang)).map_err(|_| {
            let message =
                format!("{:?} is no language of wrappers; expected python, typescript or rust", command.lang);
            ApiError::new(ErrorKind::Invalid, message)
        })?;
        let (id, known) = self.known_tool(&command.tool_id).await?;
        let all = self
            .registry()
            .tools()
            .iter()
            .filter(|(_, tool)| tool.exists())
            .map(|(id, _)| (id.server().to_owned(), id.tool().to_owned()))
            .collect::<Vec<_>>();
        let tool = self.services.wrappers.known.wrapper_tool(&id, &known, Quality::Low);
        let reason = reason(&tool);
        let work = move || {
            let strategy = tool.strategy;
            let wanted = [wrappers::tool(tool).ok()?];
            let (files, manifest) = folder(&wanted, &all, &[language].into(), &Manifest::default(), |_| None);
            let entry = manifest.tools.into_iter().next()?;
            let file = files.into_iter().find(|file| file.path == entry.file)?;
            Some(WrapperText { path: file.path, text: file.text, strategy, reason, notes: entry.notes })
        };
        let written = tokio::task::spawn_blocking(work).await.map_err(internal)?;
        written.ok_or_else(|| ApiError::new(ErrorKind::NotFound, "no wrapper can be written for this tool"))
    }
}

/// Why the wrapper is of this kind.
fn reason(tool: &WrapperTool) -> String {
    match (tool.strategy, tool.version) {
        (Strategy::Typed, Some(version)) => {
            format!("version {version} is pinned and enforced, so a result that does not fit raises an error")
        }
        (Strategy::Typed, None) => {
            "the server declares the schema, so a result that does not fit raises an error".to_owned()
        }
        (Strategy::Inferred, Some(version)) => {
            format!("version {version} is in effect; a result that does not fit only warns")
        }
        (Strategy::Inferred, None) if tool.source == Source::Inferred => {
            "the schema is inferred from results; a result that does not fit only warns".to_owned()
        }
        (Strategy::Inferred, None) => {
            "results break the declared schema, so a result that does not fit only warns".to_owned()
        }
        (Strategy::Helper, _) => "no schema is known yet; fields are read by their names".to_owned(),
    }
}

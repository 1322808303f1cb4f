//! What each command does. One file per subject.

mod backfill;
mod calls;
mod coverage;
mod decide;
mod drift;
mod export;
mod impact;
mod import;
mod nearest;
mod overrides;
mod replay;
mod report;
mod servers;
mod settings;
mod tool;
mod tools;
mod versions;
mod window;

pub(crate) use drift::marks;
use std::future::Future;

use schemascope_api::{
    AcknowledgeDrift, ApiError, Backfill, BrowseCalls, CallTool, ChangeRedaction, ChangeSetting, Command,
    CompareVersions, Decide, ErrorKind, Export, GetCall, GetCoverage, GetImpact, GetOverrides, GetReport,
    GetSchema, GetSettings, GetTool, Import, InferWhere, ListAudit, ListCalls, ListDrift, ListServers,
    ListTools, ListVersions, PopulateOverrides, RestartServer, ShowWindow, TryRedaction,
};
use schemascope_model::ToolId;
use schemascope_registry::versions::Refused;

use crate::engine::Engine;

/// Carries out a command.
pub trait Handle<C: Command> {
    /// Gives the reply, or an error for a person.
    fn handle(&self, command: C) -> impl Future<Output = Result<C::Reply, ApiError>> + Send;
}

/// Every command there is, by name.
macro_rules! dispatch {
    ($engine:expr, $name:expr, $body:expr; $($command:ty),+ $(,)?) => {
        match $name {
            $(<$command as Command>::NAME => answer::<$command>($engine, $body).await,)+
            other => Err(ApiError::new(ErrorKind::NotFound, format!(
                "there is no command {other:?}; there are: {}",
                [$(<$command as Command>::NAME),+].join(", ")
            ))),
        }
    };
}

impl Engine {
    /// Carries out a command that came as bytes.
    pub async fn dispatch(&self, name: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        dispatch!(self, name, body;
            ListTools, GetTool, GetSchema, InferWhere, ListCalls, BrowseCalls, GetCall, CallTool, Backfill,
            GetReport, GetCoverage, ListServers, RestartServer, ShowWindow, ListVersions, CompareVersions,
            GetImpact, Decide, ListAudit, GetSettings, ChangeSetting, ChangeRedaction, TryRedaction,
            GetOverrides, PopulateOverrides, ListDrift, AcknowledgeDrift, Export, Import)
    }
}

async fn answer<C: Command>(engine: &Engine, body: &[u8]) -> Result<Vec<u8>, ApiError>
where
    Engine: Handle<C>,
{
    let body = if body.is_empty() { b"{}" } else { body };
    let command: C = serde_json::from_slice(body)
        .map_err(|error| ApiError::new(ErrorKind::Invalid, format!("not a {} command: {error}", C::NAME)))?;
    let reply = engine.handle(command).await?;
    serde_json::to_vec(&reply).map_err(internal)
}

/// For what should not happen.
fn internal(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Internal, error.to_string())
}

/// For a decision that makes no sense, and for what it names and is not there.
fn refused(tool: &ToolId, refused: &Refused) -> ApiError {
    let kind = match refused {
        Refused::NoVersions | Refused::NoSuchVersion { .. } | Refused::NoSuchDrift { .. } => {
            ErrorKind::NotFound
        }
        _ => ErrorKind::Invalid,
    };
    ApiError::new(kind, format!("{tool}: {refused}"))
}

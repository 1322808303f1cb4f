//! Handlers of the commands, one file per subject.

/// Declares the commands that a file handles.
macro_rules! handlers {
    ($($command:ty),+ $(,)?) => {
        pub(super) const HANDLERS: &[crate::commands::Handler] =
            &[$(crate::commands::Handler::of::<$command>()),+];
    };
}

mod backfill;
mod calls;
mod cli_tools;
mod coverage;
mod decide;
mod discovery;
mod drift;
mod edge_changes;
mod edges;
mod explain_edge;
mod export;
mod failing_texts;
mod full_report;
mod impact;
mod import;
mod infer_where;
mod interviews;
mod overrides;
mod patch;
pub(crate) mod plans;
mod readiness;
mod recent;
mod relearn;
mod report;
mod schema_files;
mod servers;
mod settings;
mod tool;
mod tools;
mod versions;
mod window;
mod wrapper_text;
mod wrappers;

use std::future::Future;
use std::pin::Pin;

use schemascope_api::{ApiError, Command, ErrorKind};

use crate::engine::Engine;
use crate::errors::{internal, refused};
use crate::nearest;

/// Handles one kind of command.
pub trait Handle<C: Command> {
    /// Returns the reply, or an error for the user.
    fn handle(&self, command: C) -> impl Future<Output = Result<C::Reply, ApiError>> + Send;
}

/// Commands of every subject. A command of an existing subject is added to the `handlers!` of its file only.
const SUBJECTS: &[&[Handler]] = &[
    backfill::HANDLERS,
    calls::HANDLERS,
    cli_tools::HANDLERS,
    coverage::HANDLERS,
    decide::HANDLERS,
    discovery::HANDLERS,
    drift::HANDLERS,
    failing_texts::HANDLERS,
    edge_changes::HANDLERS,
    edges::HANDLERS,
    explain_edge::HANDLERS,
    export::HANDLERS,
    full_report::HANDLERS,
    impact::HANDLERS,
    import::HANDLERS,
    overrides::HANDLERS,
    patch::HANDLERS,
    plans::HANDLERS,
    infer_where::HANDLERS,
    interviews::HANDLERS,
    readiness::HANDLERS,
    recent::HANDLERS,
    relearn::HANDLERS,
    report::HANDLERS,
    servers::HANDLERS,
    settings::HANDLERS,
    tool::HANDLERS,
    tools::HANDLERS,
    versions::HANDLERS,
    window::HANDLERS,
    wrapper_text::HANDLERS,
    wrappers::HANDLERS,
];

/// A command with the function that carries it out.
struct Handler {
    name: &'static str,
    run: for<'a> fn(&'a Engine, &'a [u8]) -> Answer<'a>,
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, ApiError>> + Send + 'a>>;

impl Handler {
    const fn of<C: Command + 'static>() -> Self
    where
        Engine: Handle<C>,
    {
        Self { name: C::NAME, run: |engine, body| Box::pin(answer::<C>(engine, body)) }
    }
}

impl Engine {
    /// Carries out a command that was received as bytes.
    pub async fn dispatch(&self, name: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        (find(name)?.run)(self, body).await
    }
}

/// Names of all commands.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SUBJECTS.iter().copied().flatten().map(|handler| handler.name)
}

fn find(name: &str) -> Result<&'static Handler, ApiError> {
    let handlers = || SUBJECTS.iter().copied().flatten();
    handlers().find(|handler| handler.name == name).ok_or_else(|| {
        let names: Vec<&str> = handlers().map(|handler| handler.name).collect();
        let message = format!("there is no command {name:?}; expected one of {}", names.join(", "));
        ApiError::new(ErrorKind::NotFound, message)
    })
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn command_names_are_distinct() {
        let names: Vec<&str> = names().collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}

//! The file of overrides and the decisions, kept in line with each other.
//!
//! They are reconciled when the file changes, when something is decided, and when an upstream lists its tools. Which
//! side is right is decided in the crate `overrides`.

mod agreement;
mod audit;
mod decide;
mod fill;
pub(crate) mod shown;

use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_judge::Judge;
use schemascope_model::ToolId;
use schemascope_overrides::{
    Document, Field, NEW_FILE, Problem, Reconciliation, ToolFacts, changes, reconcile,
};
use schemascope_registry::Registry;
use serde_json::Value;

use crate::background::{Service, Tasks};
use crate::config::watched::FileChanges;
use crate::files::{read_text, replace};
use crate::knowledge::decisions::Decisions;
use crate::knowledge::version_drafter::VersionDrafter;
use agreement::Agreement;
use schemascope_redact::Redaction;
use shown::{ActiveOverrides, ShownTools};

/// Name of the file in the data directory.
pub(crate) const FILE: &str = "tool_overrides.json";
/// Problems reported at most.
const MAX_PROBLEMS: usize = 50;
/// Attempts to reconcile a file that changes meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// The file of overrides.
pub(crate) struct OverrideFile {
    pub(crate) path: PathBuf,
    /// The file in which the agreement is kept.
    agreement: PathBuf,
    registry: Arc<Mutex<Registry>>,
    decisions: Arc<Decisions>,
    drafter: Arc<VersionDrafter>,
    redaction: Arc<Redaction>,
    shown: Arc<ShownTools>,
    state: Mutex<State>,
    changes: FileChanges,
}

struct State {
    agreed: Agreement,
    problems: Vec<String>,
}

/// Parts that the file of overrides works with.
pub(crate) struct OverrideParts {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) drafter: Arc<VersionDrafter>,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) shown: Arc<ShownTools>,
    /// Changes of the file from now on.
    pub(crate) changes: FileChanges,
}

/// Why the file was not reconciled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReconcileError {
    /// The file is invalid; the last valid one stays in effect.
    #[error("{0}. The previous overrides stay in effect")]
    Invalid(Problem),
    /// The file cannot be read.
    #[error("cannot be read: {0}. The previous overrides stay in effect")]
    Read(std::io::Error),
    /// The file cannot be written.
    #[error("cannot be written: {0}. Decisions are in effect all the same")]
    Write(std::io::Error),
    /// Another program keeps writing the file.
    #[error("keeps changing; it is read again when it stops")]
    KeepsChanging,
}

impl OverrideFile {
    /// Takes a file, existing or not, and reconciles it. Blocks.
    pub(crate) fn open(data: &Path, path: PathBuf, parts: OverrideParts) -> Arc<Self> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let agreement =
            agreement::place(&std::path::absolute(data).unwrap_or_else(|_| data.to_owned()), &path);
        let agreed = Agreement::read(&agreement, &path);
        let OverrideParts { registry, decisions, drafter, redaction, shown, changes } = parts;
        let state = Mutex::new(State { agreed, problems: Vec::new() });
        let file = Self { path, agreement, registry, decisions, drafter, redaction, shown, state, changes };
        // The last agreement is in effect even if the file cannot be used.
        let says = file.state().agreed.says();
        let (names, _) = says.names(|name| file.owner(name));
        file.shown.set(ActiveOverrides { overrides: says, names });
        file.reconcile();
        Arc::new(file)
    }

    /// Brings file and decisions in line, and reports problems. Blocks while disks sync.
    pub(crate) fn reconcile(&self) {
        let mut state = self.state();
        let mut problems = Vec::new();
        if let Err(error) = self.bring_in_line(&mut state, &mut problems) {
            problems.push(error.to_string());
        }
        self.report_problems(&mut state, problems);
    }

    /// Problems of the file.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.state().problems.clone()
    }

    /// Problems of the file, in sentences that name it.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let file = self.path.display();
        self.problems().iter().map(|problem| format!("{file}: {problem}")).collect()
    }

    /// The overrides in effect.
    pub(crate) fn in_effect(&self) -> schemascope_overrides::Overrides {
        self.shown.now().overrides.clone()
    }

    fn report_problems(&self, state: &mut State, mut problems: Vec<String>) {
        problems.truncate(MAX_PROBLEMS);
        if state.problems != problems {
            for problem in problems.iter().filter(|problem| !state.problems.contains(problem)) {
                tracing::warn!(file = %self.path.display(), problem = %problem.escape_debug(), "overrides");
            }
            state.problems = problems;
            self.drafter.renew_fronts();
        }
    }

    fn bring_in_line(&self, state: &mut State, problems: &mut Vec<String>) -> Result<(), ReconcileError> {
        for _ in 0..MAX_ATTEMPTS {
            let on_disk = read_text(&self.path).map_err(ReconcileError::Read)?;
            let held = self.decisions.in_force();
            let text = match &on_disk {
                Some(text) if text.trim().is_empty() && !state.agreed.text.trim().is_empty() => {
                    return Err(ReconcileError::Invalid(Problem::Empty));
                }
                Some(text) => text.clone(),
                // The file is missing; the decisions are not.
                None if !state.agreed.text.is_empty() => state.agreed.text.clone(),
                None if held.is_empty() => String::new(),
                None => NEW_FILE.to_owned(),
            };
            let document = Document::parse(text).map_err(ReconcileError::Invalid)?;
            let says = document.overrides().clone();
            problems.clear();
            problems.extend(document.problems().iter().map(ToString::to_string));
            let before = state.agreed.says();
            let known = |tool: &ToolId| self.known(tool);
            let done = reconcile(&before, &state.agreed.pending, document, held.into_keys(), known);
            let Reconciliation { decisions, document, mut pending } =
                done.map_err(ReconcileError::Invalid)?;
            problems.extend(pending.iter().map(|tool| Problem::Unknown(tool.to_string()).to_string()));
            let useless = says.tools().filter(|tool| !pending.contains(tool) && self.is_missing(tool));
            problems.extend(useless.map(|tool| Problem::NotListed(tool.to_string()).to_string()));
            for decision in decisions {
                let tool = decision.tool.clone();
                if let Err(reason) = self.decide(decision) {
                    problems.push(reason);
                    // Otherwise it would count as decided, and the file as out of date.
                    pending.insert(tool);
                }
            }
            self.audit_changes(&changes(&before, &says));
            let (names, clashes) = says.names(|name| self.owner(name));
            problems.extend(clashes.iter().map(ToString::to_string));
            if self.shown.set(ActiveOverrides { overrides: says, names }) {
                self.drafter.announce_tools();
                // Which tools can be called has changed.
                self.drafter.renew_fronts();
            }
            let is_new = match &on_disk {
                Some(text) => text != document.text(),
                None => !document.text().is_empty(),
            };
            let mut agreed =
                Agreement { text: document.text().to_owned(), pending, file: state.agreed.file.clone() };
            let mut written = Ok(true);
            if is_new {
                if on_disk.is_none() && !state.agreed.text.is_empty() {
                    tracing::warn!(file = %self.path.display(), "is missing; it is written again");
                }
                written = self.write(on_disk.as_deref(), document.text());
                if !matches!(written, Ok(true)) {
                    // The next attempt writes the rest. A file that is missing says what it last said.
                    agreed.text = on_disk.unwrap_or_else(|| state.agreed.text.clone());
                }
            }
            self.agree(state, agreed);
            if written.map_err(ReconcileError::Write)? {
                return Ok(());
            }
        }
        Err(ReconcileError::KeepsChanging)
    }

    /// Writes the file, unless it has changed since. Returns whether it was written.
    fn write(&self, before: Option<&str>, text: &str) -> std::io::Result<bool> {
        if read_text(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        replace(&self.path, text).map(|()| true)
    }

    fn agree(&self, state: &mut State, agreed: Agreement) {
        if state.agreed == agreed {
            return;
        }
        // Without it the next start takes the file for edited and decides the same again.
        if let Err(error) = agreed.write(&self.agreement) {
            tracing::warn!(file = %self.agreement.display(), %error, "cannot be written");
        }
        state.agreed = agreed;
    }

    /// Facts about a tool that do not come from the file.
    fn known(&self, tool: &ToolId) -> ToolFacts {
        let in_force = self.decisions.tool(tool).in_force();
        let held = in_force.map(|in_force| in_force.version().schema.as_ref().clone());
        let registry = self.registry.lock();
        let known = registry.tool(tool);
        let exists = known.is_some_and(schemascope_registry::Tool::exists);
        let declaration = known.and_then(|known| known.declaration.as_ref());
        let noted = declaration.map(|declaration| declaration.definition.get().to_owned());
        drop(registry);
        let (exists, definition) = match self.shown.definition(tool) {
            None => (exists, noted),
            Some(None) => (exists, None),
            Some(Some(listed))
                if noted.as_ref().is_some_and(|noted| *listed.definition == *noted.as_bytes()) =>
            {
                (true, noted)
            }
            Some(Some(listed)) => {
                // The registry will hold it without secrets.
                let text = String::from_utf8_lossy(&listed.definition);
                (true, Some(self.redaction.now().definition(&text).into_owned()))
            }
        };
        ToolFacts { exists, effective: held, declared: definition.as_deref().map(schemas) }
    }

    /// Whether a tool's server has listed its tools without this one.
    fn is_missing(&self, tool: &ToolId) -> bool {
        matches!(self.shown.definition(tool), Some(None)) && !self.is_recorded(tool)
    }

    /// The tool that has this name as its own.
    fn owner(&self, name: &str) -> Option<ToolId> {
        let tool: ToolId = name.parse().ok()?;
        let exists = matches!(self.shown.definition(&tool), Some(Some(_))) || self.is_recorded(&tool);
        exists.then_some(tool)
    }

    fn is_recorded(&self, tool: &ToolId) -> bool {
        let registry = self.registry.lock();
        registry.tool(tool).is_some_and(schemascope_registry::Tool::exists)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Service for OverrideFile {
    /// Reconciles when the file changes, or something that concerns it.
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let mut changes = self.changes.clone();
        tasks.spawn(async move {
            loop {
                tokio::select! {
                    watched = changes.changed() => if !watched { return },
                    () = self.decisions.version_changed.notified() => {}
                }
                let file = Arc::clone(&self);
                if tokio::task::spawn_blocking(move || file.reconcile()).await.is_err() {
                    tracing::error!("reconciling the file of overrides failed");
                }
            }
        });
    }
}

/// Problems of a file by itself, without a data directory.
pub fn check(path: &Path) -> Vec<String> {
    let read = match read_text(path) {
        Ok(Some(text)) if text.trim().is_empty() => Err(Problem::Empty),
        Ok(Some(text)) => Document::parse(text),
        Ok(None) => return vec!["there is no such file".into()],
        Err(error) => return vec![format!("cannot be read: {error}")],
    };
    match read {
        Err(problem) => vec![problem.to_string()],
        Ok(document) => {
            let overrides = document.overrides();
            let (_, clashes) = overrides.names(|_| None);
            let unusable = overrides.servers.iter().flat_map(|(server, said)| {
                let entries = said.tools.iter().filter(|(_, entry)| {
                    entry.overriding(Field::Output).is_some_and(|schema| !Judge::new(schema).is_usable())
                });
                entries.map(move |(tool, _)| Problem::Schema(format!("{server}__{tool}")))
            });
            let own = document.problems().iter().chain(&clashes).map(ToString::to_string);
            own.chain(unusable.map(|problem| problem.to_string())).collect()
        }
    }
}

/// The schemas of a tool's definition, input first.
fn schemas(definition: &str) -> [Option<Value>; 2] {
    let mut definition: Value = serde_json::from_str(definition).unwrap_or_default();
    ["inputSchema", "outputSchema"]
        .map(|key| definition.get_mut(key).map(Value::take).filter(|schema| !schema.is_null()))
}

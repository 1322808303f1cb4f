//! The file of overrides and the decisions, kept in line with each other.
//!
//! Looked at when the file changes, when something is decided, and when an upstream lists its tools. One at a time.
//! Owns: the order in which decisions, what clients are shown, and the file are written. Refuses to know: who is right
//! (see the crate `overrides`), and the rules of decisions.

mod agreed;
mod decide;
mod fill;
mod shown;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemascope_model::ToolId;
use schemascope_overrides::{Document, Known, NEW, Problem, Reconciled, changes, reconcile};
use schemascope_registry::Registry;
use serde_json::Value;
use tokio::sync::Notify;

use crate::decisions::{Cutter, Decisions};
use crate::files::{Changes, read_text, replace};
use crate::redact::Redaction;
use agreed::Agreed;
use shown::InForce;
pub(crate) use shown::Shown;

/// Its name in the data directory.
pub(crate) const FILE: &str = "tool_overrides.json";
/// Problems told at most.
const MAX_PROBLEMS: usize = 50;
/// How often a file is read again that changes while it is looked at.
const TRIES: usize = 5;

/// The file of overrides.
pub(crate) struct OverrideFile {
    pub(crate) path: PathBuf,
    /// Where the agreement is kept.
    agreement: PathBuf,
    registry: Arc<Mutex<Registry>>,
    decisions: Arc<Decisions>,
    cutter: Arc<Cutter>,
    redaction: Arc<Redaction>,
    shown: Arc<Shown>,
    state: Mutex<State>,
    /// Told when a look is due that nobody waits for.
    pub(crate) due: Arc<Notify>,
}

struct State {
    agreed: Agreed,
    problems: Vec<String>,
}

/// What it works with.
pub(crate) struct Parts {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) cutter: Arc<Cutter>,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) shown: Arc<Shown>,
    pub(crate) due: Arc<Notify>,
}

/// Why a look came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookError {
    /// The file cannot be used; the last good one stays in force.
    #[error("{0}; what it said before stays in force")]
    Broken(Problem),
    /// The file system refused.
    #[error("cannot be read: {0}; what it said before stays in force")]
    Read(std::io::Error),
    /// The same, when it was to be written.
    #[error("cannot be written: {0}; what was decided is in force all the same")]
    Write(std::io::Error),
    /// Somebody writes it all the time.
    #[error("changes all the time; it is looked at again when it does not")]
    Restless,
}

impl OverrideFile {
    /// Takes a file, existing or not, and looks at it. Blocks.
    pub(crate) fn open(data: &Path, path: PathBuf, parts: Parts) -> Arc<Self> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let agreement = agreed::place(&std::path::absolute(data).unwrap_or_else(|_| data.to_owned()), &path);
        let agreed = Agreed::read(&agreement, &path);
        let Parts { registry, decisions, cutter, redaction, shown, due } = parts;
        let state = Mutex::new(State { agreed, problems: Vec::new() });
        let file = Self { path, agreement, registry, decisions, cutter, redaction, shown, state, due };
        // Whatever comes, what was agreed is in force.
        let says = file.state().agreed.says();
        let (names, _) = says.names(|name| file.owner(name));
        file.shown.set(InForce { overrides: says, names });
        file.look();
        Arc::new(file)
    }

    /// Looks whenever there is reason to, as long as the file is watched.
    pub(crate) fn start(self: &Arc<Self>, mut edits: Changes) {
        let (file, due) = (Arc::downgrade(self), Arc::clone(&self.due));
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    watched = edits.changed() => if !watched { return },
                    () = due.notified() => {}
                }
                let Some(file) = file.upgrade() else { return };
                if tokio::task::spawn_blocking(move || file.look()).await.is_err() {
                    tracing::error!("looking at the file of overrides failed");
                }
            }
        });
    }

    /// Brings file and decisions in line, and tells what is wrong. Blocks while disks sync.
    pub(crate) fn look(&self) {
        let mut state = self.state();
        let mut problems = Vec::new();
        if let Err(error) = self.bring_in_line(&mut state, &mut problems) {
            problems.push(error.to_string());
        }
        self.note_problems(&mut state, problems);
    }

    /// What is wrong with the file.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.state().problems.clone()
    }

    /// The same, in sentences that name the file.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let file = self.path.display();
        self.problems().iter().map(|problem| format!("{file}: {problem}")).collect()
    }

    /// What it says, as it is in force.
    pub(crate) fn in_force(&self) -> schemascope_overrides::Overrides {
        self.shown.now().overrides.clone()
    }

    fn note_problems(&self, state: &mut State, mut problems: Vec<String>) {
        problems.truncate(MAX_PROBLEMS);
        if state.problems != problems {
            for problem in problems.iter().filter(|problem| !state.problems.contains(problem)) {
                tracing::warn!(file = %self.path.display(), problem = %problem.escape_debug(), "overrides");
            }
            state.problems = problems;
            self.cutter.events.renewed();
        }
    }

    fn bring_in_line(&self, state: &mut State, problems: &mut Vec<String>) -> Result<(), LookError> {
        for _ in 0..TRIES {
            let on_disk = read_text(&self.path).map_err(LookError::Read)?;
            let held = self.decisions.in_force();
            let text = match &on_disk {
                Some(text) if text.trim().is_empty() && !state.agreed.text.trim().is_empty() => {
                    return Err(LookError::Broken(Problem::Empty));
                }
                Some(text) => text.clone(),
                // It is gone: what was decided is not.
                None if !state.agreed.text.is_empty() => state.agreed.text.clone(),
                None if held.is_empty() => String::new(),
                None => NEW.to_owned(),
            };
            let document = Document::parse(text).map_err(LookError::Broken)?;
            let says = document.says().clone();
            problems.clear();
            problems.extend(document.problems().iter().map(ToString::to_string));
            let before = state.agreed.says();
            let known = |tool: &ToolId| self.known(tool);
            let done = reconcile(&before, &state.agreed.pending, document, held.into_keys(), known);
            let Reconciled { decisions, document, mut pending } = done.map_err(LookError::Broken)?;
            problems.extend(pending.iter().map(|tool| Problem::Unknown(tool.to_string()).to_string()));
            let useless = says.tools().filter(|tool| !pending.contains(tool) && self.is_missing(tool));
            problems.extend(useless.map(|tool| Problem::NotListed(tool.to_string()).to_string()));
            for decision in decisions {
                let tool = decision.tool.clone();
                if let Err(reason) = self.decide(decision) {
                    problems.push(reason);
                    // Or it would be taken for decided, and the file for out of date.
                    pending.insert(tool);
                }
            }
            self.note_changes(&changes(&before, &says));
            let (names, clashes) = says.names(|name| self.owner(name));
            problems.extend(clashes.iter().map(ToString::to_string));
            if self.shown.set(InForce { overrides: says, names }) {
                self.cutter.hub.announce_tools();
            }
            let is_new = match &on_disk {
                Some(text) => text != document.text(),
                None => !document.text().is_empty(),
            };
            let mut agreed =
                Agreed { text: document.text().to_owned(), pending, file: state.agreed.file.clone() };
            let mut written = Ok(true);
            if is_new {
                if on_disk.is_none() && !state.agreed.text.is_empty() {
                    tracing::warn!(file = %self.path.display(), "is gone; it is written again as it was");
                }
                written = self.write(on_disk.as_deref(), document.text());
                if !matches!(written, Ok(true)) {
                    // What is on disk was taken note of, what is to be there comes with the next look.
                    agreed.text = on_disk.unwrap_or_default();
                }
            }
            self.agree(state, agreed);
            if written.map_err(LookError::Write)? {
                return Ok(());
            }
        }
        Err(LookError::Restless)
    }

    /// Writes the file, unless it is another one by now.
    fn write(&self, before: Option<&str>, text: &str) -> std::io::Result<bool> {
        if read_text(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        replace(&self.path, text).map(|()| true)
    }

    fn agree(&self, state: &mut State, agreed: Agreed) {
        if state.agreed == agreed {
            return;
        }
        // Without it the next start takes what is in the file for edits, which decides the same again.
        if let Err(error) = agreed.write(&self.agreement) {
            tracing::warn!(file = %self.agreement.display(), %error, "cannot be written");
        }
        state.agreed = agreed;
    }

    /// What is known of a tool besides the file.
    fn known(&self, tool: &ToolId) -> Known {
        let in_force = self.decisions.tool(tool).in_force();
        let held = in_force.map(|in_force| in_force.version().schema.as_ref().clone());
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
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
                // As the registry will have it: without secrets.
                let text = String::from_utf8_lossy(&listed.definition);
                (true, Some(self.redaction.now().definition(&text).into_owned()))
            }
        };
        Known { exists, held, declared: definition.as_deref().map(schemas) }
    }

    /// Whether a tool's server has told its tools, and that is none of them.
    fn is_missing(&self, tool: &ToolId) -> bool {
        matches!(self.shown.definition(tool), Some(None)) && !self.is_recorded(tool)
    }

    /// Whose own name this is.
    fn owner(&self, name: &str) -> Option<ToolId> {
        let tool: ToolId = name.parse().ok()?;
        let exists = matches!(self.shown.definition(&tool), Some(Some(_))) || self.is_recorded(&tool);
        exists.then_some(tool)
    }

    fn is_recorded(&self, tool: &ToolId) -> bool {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.tool(tool).is_some_and(schemascope_registry::Tool::exists)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is wrong with a file, without anything else being looked at.
pub fn check(path: &Path) -> Vec<String> {
    let read = match read_text(path) {
        Ok(Some(text)) => Document::parse(text),
        Ok(None) => return vec!["there is no such file".into()],
        Err(error) => return vec![format!("cannot be read: {error}")],
    };
    match read {
        Err(problem) => vec![problem.to_string()],
        Ok(document) => {
            let (_, clashes) = document.says().names(|_| None);
            document.problems().iter().chain(&clashes).map(ToString::to_string).collect()
        }
    }
}

/// The schemas of a tool's definition, input first.
fn schemas(definition: &str) -> [Option<Value>; 2] {
    let mut definition: Value = serde_json::from_str(definition).unwrap_or_default();
    ["inputSchema", "outputSchema"]
        .map(|key| definition.get_mut(key).map(Value::take).filter(|schema| !schema.is_null()))
}

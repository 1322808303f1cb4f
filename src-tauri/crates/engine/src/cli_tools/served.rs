//! The tools of one entry, as the proxy serves them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use schemascope_helptext::{Tool, Withheld};
use schemascope_proxy::{BuiltInTools, CallContext, Calling};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use super::cache::ProgramFile;
use super::entry::{CliEntry, concurrency};
use super::persona::{self, Place};
use super::probe::Probed;
use crate::nearest;

/// Name of the argument vector, exit code and cut in `_meta` of a result.
pub(crate) const META_ARGV: &str = "schemascope/argv";
pub(crate) const META_EXIT_CODE: &str = "schemascope/exitCode";
pub(crate) const META_TRUNCATED: &str = "truncated";

/// The tools of an entry.
pub(crate) struct Served {
    pub(crate) entry: CliEntry,
    pub(crate) file: ProgramFile,
    pub(crate) tools: Vec<ServedTool>,
    /// What was left out, and what has no effect.
    pub(crate) notes: Vec<String>,
    pub(super) running: Arc<Semaphore>,
    pub(super) folders: Folders,
}

/// Folders of Schemascope that matter to a call.
#[derive(Debug, Clone)]
pub(crate) struct Folders {
    /// The data directory, which no argument may name.
    pub(crate) data: PathBuf,
    /// Working directory and temporary files of confined calls.
    pub(crate) work: PathBuf,
}

impl Folders {
    /// The data directory, after links are resolved.
    pub(super) fn real_data(&self) -> PathBuf {
        self.data.canonicalize().unwrap_or_else(|_| self.data.clone())
    }
}

/// One tool: a command without subcommands.
pub(crate) struct ServedTool {
    /// Its name: `git`, or `remote_add` for a subcommand.
    pub(crate) name: String,
    /// Words behind the program's name.
    pub(crate) words: Vec<String>,
    pub(crate) tool: Tool,
    pub(super) instructions: Place,
}

impl Served {
    pub(crate) fn new(entry: CliEntry, file: ProgramFile, probed: Probed, folders: Folders) -> Self {
        let policy = entry.policy();
        let mut notes = probed.notes;
        let mut tools: Vec<ServedTool> = Vec::new();
        let mut allowable = BTreeSet::new();
        for (words, definition) in probed.tools {
            notes.extend(definition.notes.iter().map(|note| match words.as_slice() {
                [] => note.clone(),
                words => format!("{}: {note}", words.join(" ")),
            }));
            let tool = Tool::new(definition, &policy);
            allowable.extend(tool.names().map(str::to_owned));
            if tool.is_withheld(&policy) {
                let words = words.join(" ");
                notes.push(format!(
                    "{words} is not offered: it runs programs; \"allow\": [\"{words}\"] offers it"
                ));
                continue;
            }
            let instructions = persona::place(&tool);
            let mut name =
                if words.is_empty() { plain(entry.program_name()) } else { plain(&words.join("_")) };
            while tools.iter().any(|known| known.name == name) {
                name.push('_');
                name.push('2');
            }
            tools.push(ServedTool { name, words, tool, instructions });
        }
        if entry.system_prompt.is_some() && tools.iter().all(|tool| tool.instructions == Place::Nowhere) {
            notes.push(
                "\"systemPrompt\" has no effect: the program has neither an option for it nor a prompt"
                    .to_owned(),
            );
        }
        let known = |property: &String| {
            tools.iter().any(|tool| tool.tool.arguments().any(|(own, _)| own == property))
        };
        let offered = |property: &String| tools.iter().any(|tool| tool.tool.offers(property));
        for name in entry.default_args.keys().filter(|name| known(name) && !offered(name)) {
            notes.push(format!(
                "\"defaultArgs\" has no effect for {name}: it is not offered; \"allow\" offers it"
            ));
        }
        let unknown: Vec<&String> = entry.default_args.keys().filter(|name| !known(name)).collect();
        if !unknown.is_empty() {
            let names: Vec<&str> = unknown.iter().map(|name| name.as_str()).collect();
            notes.push(format!(
                "\"defaultArgs\" has no effect for {}: the tool has no such argument",
                names.join(", ")
            ));
        }
        notes.extend(entry.allow.difference(&allowable).map(|name| {
            // The words of a program without subcommands are empty.
            let names = allowable.iter().map(String::as_str).filter(|name| !name.is_empty());
            let hint = nearest::suggestion(name, names);
            format!(
                "\"allow\" has no effect for {name}: no option, argument or subcommand has this name{hint}"
            )
        }));
        let running = Arc::new(Semaphore::new(concurrency(&entry)));
        Self { entry, file, tools, notes, running, folders }
    }

    /// Whether this entry is one tool, which may be called by the alias alone.
    fn is_one(&self) -> bool {
        matches!(self.tools.as_slice(), [only] if only.words.is_empty())
    }

    /// Number of options that callers can use, and of those withheld because they run programs.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let options = || self.tools.iter().flat_map(|tool| tool.tool.options());
        let offered = options().filter(|option| option.withheld.is_none()).count();
        (offered, options().filter(|option| option.withheld == Some(Withheld::Runs)).count())
    }

    /// The tool's input schema, in which arguments that the entry fills in are neither required nor have another default.
    fn input_schema(&self, tool: &ServedTool) -> Value {
        let mut schema = tool.tool.input_schema();
        let defaults = self.entry.default_args.iter().filter(|(_, value)| !value.is_null());
        let mut filled: BTreeSet<&str> = defaults.map(|(property, _)| property.as_str()).collect();
        if let (Place::Option(property), Some(_)) = (&tool.instructions, &self.entry.system_prompt) {
            filled.insert(property);
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|property| property.as_str().is_none_or(|property| !filled.contains(property)));
            if required.is_empty() {
                schema.as_object_mut().map(|schema| schema.shift_remove("required"));
            }
        }
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (_, property) in
            properties.into_iter().flatten().filter(|(name, _)| filled.contains(name.as_str()))
        {
            if let Value::Object(property) = property {
                // The value itself can be a secret.
                property.shift_remove("default");
            }
        }
        schema
    }

    pub(crate) fn definition(&self, tool: &ServedTool) -> Value {
        let about = self.entry.description.clone().unwrap_or_default();
        let says = &tool.tool.definition().description;
        let command = std::iter::once(self.entry.program_name()).chain(tool.words.iter().map(String::as_str));
        let command = command.collect::<Vec<_>>().join(" ");
        let description = match (about.is_empty(), says.is_empty()) {
            (false, _) => about,
            (true, false) => says.clone(),
            (true, true) => format!("Runs {command}."),
        };
        json!({
            "name": tool.name,
            "title": command,
            "description": description,
            "inputSchema": self.input_schema(tool),
            // Nothing is known about what it does until a person says so with an override.
            "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true},
        })
    }
}

/// A name of letters, digits, `_`, `-` and `.`.
fn plain(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
    name.chars().take(100).map(allowed).collect()
}

impl BuiltInTools for Served {
    fn instructions(&self) -> String {
        format!("Runs the command-line tool {} on the user's machine.", self.entry.program_name())
    }

    fn definitions(&self) -> Vec<Value> {
        self.tools.iter().map(|tool| self.definition(tool)).collect()
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, context: CallContext) -> Calling<'_> {
        match self.tools.iter().find(|tool| tool.name == name) {
            Some(tool) => Box::pin(self.run(tool, arguments, context.progress)),
            None => {
                let message = format!("there is no tool {name:?}");
                Box::pin(std::future::ready(Err(message)))
            }
        }
    }

    fn answers_to_its_name(&self) -> bool {
        self.is_one()
    }

    fn prompts(&self) -> Vec<Value> {
        let prompt = self.entry.system_prompt.as_ref().map(|_| {
            let about = self
                .entry
                .description
                .clone()
                .unwrap_or_else(|| format!("Instructions of {}", self.entry.alias));
            json!({"name": self.entry.alias, "description": about})
        });
        prompt.into_iter().collect()
    }

    fn prompt(&self, name: &str, _: &Map<String, Value>) -> Option<String> {
        self.entry.system_prompt.clone().filter(|_| name == self.entry.alias)
    }
}

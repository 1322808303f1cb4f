//! Taking what others know and decided.
//!
//! A schema that is not known here becomes a version with origin `import`. Files of decisions (overrides, bundles)
//! put it in force, for whoever imports them, unless something is in force here already; files of knowledge leave
//! that to a person. All of it is in the audit log and can be undone.

use std::sync::Arc;

use schemascope_api::{ApiError, ErrorKind, Form, Import, ImportReply, ImportedMachine, ImportedTool};
use schemascope_judge::Judge;
use schemascope_model::{Evidence, Quality, ToolId, VersionOrigin};
use schemascope_overrides::{Document, Field};
use schemascope_registry::digest;
use schemascope_registry::exchange::{Bundle, WrongFile, read_json, read_type_registry};
use schemascope_registry::versions::{AuditEvent, Cut, MAX_REASON, ToolVersions};
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::{Handle, internal};
use crate::decisions::NotWritten;
use crate::engine::Engine;
use crate::team::Took;

/// A schema that came.
struct Coming {
    tool: ToolId,
    schema: Value,
    observation_count: u64,
    quality: Quality,
    put: Put,
}

/// Whether it is to be in force.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Put {
    No,
    Promoted,
    Pinned { enforced: bool },
}

impl Handle<Import> for Engine {
    async fn handle(&self, command: Import) -> Result<ImportReply, ApiError> {
        self.settled().await?;
        // The disk syncs.
        tokio::task::block_in_place(|| self.import(&command))
    }
}

impl Engine {
    fn import(&self, command: &Import) -> Result<ImportReply, ApiError> {
        let wrong = |wrong: WrongFile| {
            let message = format!("{}: {wrong}; nothing was imported", command.name);
            ApiError::new(ErrorKind::Invalid, message)
        };
        if command.reason.as_ref().is_some_and(|reason| reason.len() > MAX_REASON) {
            return Err(ApiError::new(
                ErrorKind::Invalid,
                format!("a reason has {MAX_REASON} bytes at most"),
            ));
        }
        let mut reply = ImportReply { dry_run: command.dry_run, ..ImportReply::default() };
        let mut coming = match command.form {
            Form::Registry => {
                read_type_registry(&command.text).map_err(wrong)?.into_iter().filter_map(known).collect()
            }
            Form::Overrides => overriding(&command.text).map_err(wrong)?,
            Form::Schemas => vec![one_schema(&command.name, &command.text).map_err(wrong)?],
            Form::Bundle => {
                let bundle = Bundle::read(&command.text).map_err(wrong)?;
                let key = self.data.hash_key().map_err(internal)?;
                bundle.check(key).map_err(wrong)?;
                let coming = in_force_there(&bundle).map_err(wrong)?;
                let own = format!("{:012x}", self.data.node().map_err(internal)?);
                let taken = self.team.take(&bundle, &own, command.dry_run).map_err(internal)?;
                reply.machines =
                    taken.into_iter().map(|(machine, took)| machine_row(&bundle, machine, took)).collect();
                coming
            }
        };
        coming.sort_by(|a, b| a.tool.cmp(&b.tool));
        for one in coming {
            reply.tools.push(self.take(command, &one)?);
        }
        Ok(reply)
    }

    /// Cuts a version unless it is known, and puts it in force if it is to be.
    fn take(&self, command: &Import, coming: &Coming) -> Result<ImportedTool, ApiError> {
        let versions = self.decisions.tool(&coming.tool);
        let digest = digest(&coming.schema);
        let known = versions.versions().rev().find(|version| version.digest == digest).map(Arc::clone);
        let declared = self.registry().declared_schema(&coming.tool);
        let mut row = ImportedTool {
            tool_id: coming.tool.to_string(),
            version: known.as_ref().map(|version| version.number),
            cut: false,
            put_in_force: false,
            what: String::new(),
        };
        if known.is_none() && declared.is_some_and(|declared| declared.digest == digest) {
            row.what = "is what its upstream declares".into();
            return Ok(row);
        }
        let (puts, why) = puts(&versions, coming, known.as_deref());
        row.cut = known.is_none();
        row.put_in_force = puts;
        let number = row.version.unwrap_or_else(|| versions.next());
        row.version = Some(number);
        row.what = match (row.cut, puts) {
            (true, true) => format!("version {number} is cut and put in force"),
            (true, false) => format!("version {number} is cut{why}"),
            (false, true) => format!("version {number}, which is known here, is put in force"),
            (false, false) => format!("version {number} is known here already{why}"),
        };
        if command.dry_run {
            return Ok(row);
        }
        if row.cut {
            let schema = to_raw_value(&coming.schema).map_err(internal)?;
            let evidence = evidence(coming);
            let cut = Cut { version: number, origin: VersionOrigin::Import, schema, evidence };
            self.write(command, &coming.tool, AuditEvent::Cut(Box::new(cut)))?;
        }
        if puts {
            let event = match coming.put {
                Put::Pinned { enforced } => AuditEvent::Pin { version: number, enforced },
                Put::Promoted | Put::No => AuditEvent::Promote { version: number },
            };
            self.write(command, &coming.tool, event)?;
        }
        Ok(row)
    }

    fn write(&self, command: &Import, tool: &ToolId, event: AuditEvent) -> Result<(), ApiError> {
        let from = format!("imported from {}", command.name);
        let reason = command.reason.as_deref().filter(|reason| !reason.trim().is_empty());
        let known = self.registry().tool(tool).map(crate::decisions::known);
        let proposal = self.proposal(tool, Some(reason.unwrap_or(&from)), command.person.as_deref(), known);
        let written = self.decisions.write(proposal, |_| Ok(event)).map_err(|error| match error {
            NotWritten::Refused(refused) => super::refused(tool, &refused),
            NotWritten::Store(_) => ApiError::new(ErrorKind::Unavailable, error.to_string()),
            NotWritten::Form(_) => internal(error),
        })?;
        self.cutter.tell(tool, written.changes_clients());
        Ok(())
    }
}

/// Whether what came is put in force here, and where not, why.
fn puts(
    versions: &ToolVersions,
    coming: &Coming,
    known: Option<&schemascope_registry::versions::Version>,
) -> (bool, &'static str) {
    let decided = versions.decided();
    if coming.put == Put::No {
        return (false, "");
    }
    if let Some(number) = decided.in_force() {
        let same = known.is_some_and(|known| known.number == number);
        return (false, if same { " and in force" } else { "; what is in force here stays" });
    }
    match known {
        // It was put in force when it came first, and taken back since.
        Some(known) if known.origin == VersionOrigin::Import => {
            (false, "; what was decided about it here stays")
        }
        Some(known) if versions.is_rolled_back(known.number) => (false, "; it was taken back here"),
        Some(known) if versions.state(known.number) == schemascope_model::VersionState::Rejected => {
            (false, "; it was rejected here")
        }
        _ => (true, ""),
    }
}

fn plain(tool: ToolId, schema: Value, observation_count: u64, put: Put) -> Coming {
    let quality = Quality::None;
    Coming { tool, schema, observation_count, quality, put }
}

fn known((tool, schema, observation_count): (ToolId, Option<Value>, u64)) -> Option<Coming> {
    Some(plain(tool, schema?, observation_count, Put::No))
}

/// The output schemas of a file of overrides. What it says of names, descriptions and who sees a tool is not
/// decided about: that is in the file here.
fn overriding(text: &str) -> Result<Vec<Coming>, WrongFile> {
    let document =
        Document::parse(text.to_owned()).map_err(|problem| WrongFile::whole(problem.to_string()))?;
    if let Some(problem) = document.problems().first() {
        return Err(WrongFile::whole(problem.to_string()));
    }
    let mut coming = Vec::new();
    for (server, said) in &document.says().servers {
        for (name, entry) in &said.tools {
            let Some(schema) = entry.overriding(Field::Output) else { continue };
            let wrong = |reason: String| WrongFile::whole(format!("{server}.{name}: {reason}"));
            let tool = ToolId::new(server, name).map_err(|error| wrong(error.to_string()))?;
            if Judge::new(schema).is_broken() {
                return Err(wrong("its outputSchema is no valid JSON Schema (draft 2020-12)".into()));
            }
            coming.push(plain(tool, schema.clone(), 0, Put::Promoted));
        }
    }
    Ok(coming)
}

/// A file that is one tool's schema, by name.
fn one_schema(name: &str, text: &str) -> Result<Coming, WrongFile> {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let written = unescaped(stem);
    let tool: ToolId = written.parse().map_err(|error| {
        WrongFile::whole(format!(
            "a file with a schema is named after its tool, such as git__git_log.json: {error}"
        ))
    })?;
    let schema: Value = read_json(text)?;
    let is_schema = schema.is_object() || schema.is_boolean();
    if !is_schema || Judge::new(&schema).is_broken() {
        return Err(WrongFile::whole("it is no valid JSON Schema (draft 2020-12)"));
    }
    Ok(plain(tool, schema, 0, Put::No))
}

/// Undoes what names of exported files are written with.
fn unescaped(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), name.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        match tail.get(..2).filter(|_| *first == b'%').and_then(hex) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// What is in force where a bundle was made.
fn in_force_there(bundle: &Bundle) -> Result<Vec<Coming>, WrongFile> {
    let mut coming = Vec::new();
    for (id, tool) in &bundle.tools {
        let Some(in_force) = &tool.in_force else { continue };
        let wrong = |reason: String| WrongFile::whole(format!("the schema in force of {id} {reason}"));
        let schema: Value = serde_json::from_str(in_force.schema.get())
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if Judge::new(&schema).is_broken() {
            return Err(wrong("is no valid JSON Schema (draft 2020-12)".into()));
        }
        let put = match (in_force.pinned, in_force.enforced) {
            (false, _) => Put::Promoted,
            (true, enforced) => Put::Pinned { enforced },
        };
        let (observation_count, quality) = (in_force.observation_count, in_force.quality);
        coming.push(Coming { tool: id.clone(), schema, observation_count, quality, put });
    }
    Ok(coming)
}

fn evidence(coming: &Coming) -> Evidence {
    Evidence {
        observation_count: coming.observation_count,
        call_count: coming.observation_count,
        quality: coming.quality,
        mean_consistency: None,
        fields: Vec::new(),
        fields_left_out: 0,
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

fn machine_row(bundle: &Bundle, machine: String, took: Took) -> ImportedMachine {
    let shares = bundle.nodes.get(&machine);
    let call_count =
        shares.map_or(0, |node| node.tools.values().map(|share| share.calls()).fold(0, u64::saturating_add));
    let what = match took {
        Took::Added => "added",
        Took::Replaced => "replaced",
        Took::Unchanged => "unchanged",
        Took::Older => "older",
        Took::Own => "own",
    };
    ImportedMachine { machine, call_count, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_tools() {
        let name = |name: &str| one_schema(name, "{}").map(|coming| coming.tool.to_string());
        assert_eq!(name("git__git_log.json").unwrap(), "git__git_log");
        assert_eq!(name("s__a%2Fb%20%C3%A9.json").unwrap(), "s__a/b é");
        assert!(name("log.json").is_err() && one_schema("a__b", "{\"type\": 7}").is_err());
        assert_eq!(one_schema("a__b", "{\n x").err().and_then(|wrong| wrong.place), Some((2, 2)));
    }
}

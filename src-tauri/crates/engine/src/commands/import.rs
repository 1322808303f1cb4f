//! Importing schemas, decisions and counts of others.
//!
//! Nothing is believed because a file says so. A bundle must be signed with the team's key, counts must be plausible,
//! and a schema that is not known here becomes a candidate with origin `import`: only a decision of a person makes it,
//! and the text in it, known to agents. Everything is in the audit log.

use std::sync::Arc;

use schemascope_api::{
    ApiError, ErrorKind, Form, Import, ImportReply, ImportedMachine, ImportedTool, SetAsidePart,
};
use schemascope_judge::Judge;
use schemascope_model::{Evidence, Quality, Timestamp, ToolId, VersionOrigin, VersionState};
use schemascope_overrides::{Document, Entry, Field, Overrides};
use schemascope_registry::digest;
use schemascope_registry::exchange::{
    Authenticity, Bundle, InForceThere, SetAside, Share, WrongFile, machine_name, read_type_registry,
};
use schemascope_registry::versions::{AuditEvent, Cut, MAX_REASON, ToolVersions, Version};
use schemascope_shape::HashKey;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::schema_files::read_schema_file;
use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::decisions::NotWritten;
use crate::knowledge::team::MachineImport;

handlers![Import];

/// Largest schema that is imported, in bytes. A tool keeps 4 MB of versions.
const MAX_SCHEMA: usize = 1 << 20;
/// Largest number of observations that a file without counts may claim for a schema.
const MAX_CLAIMED: u64 = 1_000_000_000_000;
/// Longest part of a decision's description that is shown, in characters.
const MAX_SHOWN: usize = 200;

/// A schema to import.
struct Incoming {
    tool: ToolId,
    schema: Value,
    observation_count: u64,
    quality: Quality,
    /// What was decided about it elsewhere, for the person who decides here.
    there: Option<String>,
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
                format!("a reason may have {MAX_REASON} bytes at most"),
            ));
        }
        let mut reply = ImportReply { dry_run: command.dry_run, ..ImportReply::default() };
        let coming = match command.form {
            Form::Registry => {
                read_type_registry(&command.text).map_err(wrong)?.into_iter().filter_map(known).collect()
            }
            Form::Overrides => {
                let document = overrides(&command.text).map_err(wrong)?;
                reply.notes.extend(others(document.overrides()));
                overriding(&document).map_err(wrong)?
            }
            Form::Schemas => {
                let (tool, schema) = read_schema_file(&command.name, &command.text).map_err(wrong)?;
                vec![plain(tool, schema, 0)]
            }
            Form::Bundle => {
                let key = self.data.hash_key().map_err(internal)?;
                let (bundle, aside) = authentic(command, key).map_err(wrong)?;
                let coming = in_force_there(&bundle, key).map_err(wrong)?;
                reply.machines = self.import_counts(&bundle, key, command.dry_run)?;
                reply.set_aside.extend(aside.into_iter().map(part));
                coming
            }
        };
        let (mut coming, implausible): (Vec<Incoming>, Vec<Incoming>) =
            coming.into_iter().partition(|one| why_not(one).is_none());
        reply.set_aside.extend(implausible.iter().filter_map(|one| {
            let tool_id = Some(one.tool.to_string());
            Some(SetAsidePart { machine: None, tool_id, reason: why_not(one)? })
        }));
        coming.sort_by(|a, b| a.tool.cmp(&b.tool));
        let status = self.upstreams.hub.status();
        let is_configured = |server: &str| status.iter().any(|known| known.name == server);
        let mut servers: Vec<&str> = coming.iter().map(|one| one.tool.server()).collect();
        servers.dedup();
        reply.notes.extend(servers.into_iter().filter(|server| !is_configured(server)).map(|server| {
            format!("no server {server:?} is configured here; its tools are shown once one is")
        }));
        for one in coming {
            reply.tools.push(self.import_tool(command, &one)?);
        }
        Ok(reply)
    }

    /// Stores what other machines counted. Counts with this machine's id that it has not made itself show that its data
    /// directory was copied; from the next start on it has an id of its own.
    fn import_counts(
        &self,
        bundle: &Bundle,
        key: HashKey,
        dry_run: bool,
    ) -> Result<Vec<ImportedMachine>, ApiError> {
        let own = self.data.node().map_err(internal)?;
        let name = machine_name(own);
        let taken = self.knowledge.team.import(bundle, &name, key, dry_run).map_err(internal)?;
        let registry = self.registry();
        let is_foreign = |(id, share): (&ToolId, &Share)| {
            registry.tool(id).map(|tool| tool.position_of(own)).unwrap_or_default() < share.position()
        };
        let is_copied = bundle.nodes.get(&name).is_some_and(|node| node.tools.iter().any(is_foreign));
        drop(registry);
        if is_copied && !dry_run {
            self.data.renew_node_at_start().map_err(internal)?;
        }
        Ok(taken.into_iter().map(|(machine, took)| machine_row(bundle, machine, took, is_copied)).collect())
    }

    /// Creates a candidate unless the schema is known.
    fn import_tool(&self, command: &Import, coming: &Incoming) -> Result<ImportedTool, ApiError> {
        let versions = self.knowledge.decisions.tool(&coming.tool);
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
        row.cut = known.is_none();
        let number = row.version.unwrap_or_else(|| versions.next());
        row.version = Some(number);
        let there = coming.there.as_ref().map(|there| format!("; {there}")).unwrap_or_default();
        row.what = match known {
            Some(known) => format!("version {number} is known already{}{there}", state(&versions, &known)),
            None => {
                format!("version {number} is a candidate for you to decide about{there}{}", prose(coming))
            }
        };
        if row.cut && !command.dry_run {
            let schema = to_raw_value(&coming.schema).map_err(internal)?;
            let evidence = evidence(coming);
            self.write(command, &coming.tool, |versions| {
                let version = versions.next();
                AuditEvent::Cut(Box::new(Cut { version, origin: VersionOrigin::Import, schema, evidence }))
            })?;
        }
        Ok(row)
    }

    fn write(
        &self,
        command: &Import,
        tool: &ToolId,
        event: impl FnOnce(&ToolVersions) -> AuditEvent,
    ) -> Result<(), ApiError> {
        let from = format!("imported from {}", command.name);
        let reason = command.reason.as_deref().filter(|reason| !reason.trim().is_empty());
        let known = self.registry().tool(tool).map(crate::knowledge::decisions::known);
        let proposal = self.proposal(tool, Some(reason.unwrap_or(&from)), command.person.as_deref(), known);
        let written =
            self.knowledge.decisions.write(proposal, |versions| Ok(event(versions))).map_err(|error| {
                match error {
                    NotWritten::Refused(refused) => super::refused(tool, &refused),
                    NotWritten::Store(_) => ApiError::new(ErrorKind::Unavailable, error.to_string()),
                    NotWritten::Form(_) => internal(error),
                }
            })?;
        self.services.drafter.announce(tool, written.changes_clients());
        Ok(())
    }
}

/// A bundle that the team's key signed, or that the user vouches for, without the parts that cannot be true.
fn authentic(command: &Import, key: HashKey) -> Result<(Bundle, Vec<SetAside>), WrongFile> {
    let mut bundle = Bundle::read(&command.text)?;
    bundle.check(key)?;
    if Bundle::verify(&command.text, key)? == Authenticity::Unsigned && !command.unsigned {
        return Err(WrongFile::whole(
            "it has no signature: older versions wrote none, and anyone may have changed its counts and schemas. \
             If you trust where it comes from, import it with --unsigned; bundles that you export then pass its \
             counts on under your signature",
        ));
    }
    let aside = bundle.set_aside(key, Timestamp::now(), schemascope_compose::Evidence::check_share);
    Ok((bundle, aside))
}

fn part(aside: SetAside) -> SetAsidePart {
    let SetAside { machine, tool, reason } = aside;
    SetAsidePart { machine, tool_id: tool.map(|tool| tool.to_string()), reason }
}

/// Why a schema is not imported, if it is not.
fn why_not(coming: &Incoming) -> Option<String> {
    if coming.observation_count > MAX_CLAIMED {
        return Some(format!("its schema claims {} observations", coming.observation_count));
    }
    let bytes = coming.schema.to_string().len();
    (bytes > MAX_SCHEMA).then(|| format!("its schema has {bytes} bytes; at most {MAX_SCHEMA} are imported"))
}

/// What is decided here about a known version.
fn state(versions: &ToolVersions, known: &Version) -> &'static str {
    match versions.state(known.number) {
        _ if versions.decided().in_force() == Some(known.number) => " and effective",
        _ if versions.is_rolled_back(known.number) => "; it was rolled back here",
        VersionState::Rejected => "; it was rejected here",
        _ => "",
    }
}

/// Says that a schema has text that agents would read.
fn prose(coming: &Incoming) -> String {
    match texts(&coming.schema) {
        0 => String::new(),
        1 => "; it has 1 text or example that agents would read".to_owned(),
        count => format!("; it has {count} texts and examples that agents would read"),
    }
}

/// Number of titles, descriptions, comments, defaults and examples of a schema.
fn texts(schema: &Value) -> usize {
    let keyword = |(name, value): (&String, &Value)| match name.as_str() {
        "title" | "description" | "$comment" | "default" | "examples" => 1,
        "enum" | "const" => 0,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            value.as_object().into_iter().flat_map(serde_json::Map::values).map(texts).sum()
        }
        _ => texts(value),
    };
    match schema {
        Value::Object(keywords) => keywords.iter().map(keyword).sum(),
        Value::Array(several) => several.iter().map(texts).sum(),
        _ => 0,
    }
}

fn plain(tool: ToolId, schema: Value, observation_count: u64) -> Incoming {
    Incoming { tool, schema, observation_count, quality: Quality::None, there: None }
}

fn known((tool, schema, observation_count): (ToolId, Option<Value>, u64)) -> Option<Incoming> {
    Some(plain(tool, schema?, observation_count))
}

/// A file of overrides.
fn overrides(text: &str) -> Result<Document, WrongFile> {
    let document =
        Document::parse(text.to_owned()).map_err(|problem| WrongFile::whole(problem.to_string()))?;
    match document.problems().first() {
        Some(problem) => Err(WrongFile::whole(problem.to_string())),
        None => Ok(document),
    }
}

/// That the file overrides more than output schemas. There is no decision for the rest: it would apply at once.
fn others(overrides: &Overrides) -> Option<String> {
    let says_more = |entry: &Entry| {
        let Entry { enabled, name, description, annotations, .. } = entry;
        enabled.is_some()
            || name.is_some()
            || description.is_some()
            || annotations.is_some()
            || entry.overriding(Field::Input).is_some()
    };
    let tools = overrides.servers.values().flat_map(|server| server.tools.values());
    let count = tools.chain(overrides.master.values()).filter(|entry| says_more(entry)).count();
    let hides =
        overrides.enabled.is_some() || overrides.servers.values().any(|server| server.enabled.is_some());
    (count > 0 || hides).then(|| {
        "only output schemas are imported, as candidates; names, descriptions, annotations, input schemas and hidden tools \
         would apply without a decision, so copy those you want into tool_overrides.json"
            .to_owned()
    })
}

/// The output schemas of a file of overrides.
fn overriding(document: &Document) -> Result<Vec<Incoming>, WrongFile> {
    let mut coming = Vec::new();
    for (server, said) in &document.overrides().servers {
        for (name, entry) in &said.tools {
            let Some(schema) = entry.overriding(Field::Output) else { continue };
            let wrong = |reason: String| WrongFile::whole(format!("{server}.{name}: {reason}"));
            let tool = ToolId::new(server, name).map_err(|error| wrong(error.to_string()))?;
            if Judge::new(schema).is_broken() {
                return Err(wrong("its outputSchema is not a valid JSON Schema (draft 2020-12)".into()));
            }
            coming.push(plain(tool, schema.clone(), 0));
        }
    }
    Ok(coming)
}

/// The effective schemas of a bundle. The evidence that they claim counts as far as the bundle's counts go.
fn in_force_there(bundle: &Bundle, key: HashKey) -> Result<Vec<Incoming>, WrongFile> {
    let mut coming = Vec::new();
    for (id, tool) in &bundle.tools {
        let Some(in_force) = &tool.in_force else { continue };
        let wrong = |reason: String| WrongFile::whole(format!("the effective schema of {id} {reason}"));
        let schema: Value = serde_json::from_str(in_force.schema.get())
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if Judge::new(&schema).is_broken() {
            return Err(wrong("is not a valid JSON Schema (draft 2020-12)".into()));
        }
        let shares = bundle.nodes.values().filter_map(|node| node.tools.get(id));
        let counted = shares.filter_map(|share| share.shape(key).ok()).map(|shape| shape.observations());
        let counted = counted.fold(0, u64::saturating_add);
        let claim_holds = in_force.observation_count <= counted;
        coming.push(Incoming {
            tool: id.clone(),
            schema,
            observation_count: in_force.observation_count.min(counted),
            quality: if claim_holds { in_force.quality } else { Quality::None },
            there: Some(there(in_force)),
        });
    }
    Ok(coming)
}

/// What was decided about an effective version elsewhere.
fn there(in_force: &InForceThere) -> String {
    let how = match (in_force.pinned, in_force.enforced) {
        (false, _) => "promoted",
        (true, false) => "pinned",
        (true, true) => "pinned and enforced",
    };
    let shown = |text: &str| text.chars().take(MAX_SHOWN).collect::<String>();
    let decided = in_force.decided.as_ref();
    let by = decided.map(|one| format!(" by {}", shown(&one.actor.to_string()))).unwrap_or_default();
    let reason = decided.and_then(|one| one.reason.as_deref());
    let why = reason.map(|reason| format!(" ({})", shown(reason))).unwrap_or_default();
    format!("elsewhere it is {how}{by}{why}")
}

fn evidence(coming: &Incoming) -> Evidence {
    Evidence {
        observation_count: coming.observation_count,
        call_count: coming.observation_count,
        last_observed: None,
        learned_since: None,
        quality: coming.quality,
        mean_consistency: None,
        fields: Vec::new(),
        fields_left_out: 0,
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

fn machine_row(bundle: &Bundle, machine: String, took: MachineImport, is_copied: bool) -> ImportedMachine {
    let shares = bundle.nodes.get(&machine);
    let call_count =
        shares.map_or(0, |node| node.tools.values().map(Share::calls).fold(0, u64::saturating_add));
    let what = match took {
        MachineImport::Added => "added",
        MachineImport::Replaced => "replaced",
        MachineImport::Updated => "updated",
        MachineImport::Unchanged => "unchanged",
        MachineImport::Older => "older",
        MachineImport::Own if is_copied => "copied",
        MachineImport::Own => "own",
    };
    ImportedMachine { machine, call_count, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_counted_where_a_schema_has_them() {
        let schema = json!({
            "title": "Order", "$comment": "x", "properties": {
                "description": {"type": "string", "description": "x", "default": "x"},
                "lines": {"items": {"anyOf": [{"examples": [1]}, {"enum": [{"title": "x"}]}]}},
            },
        });
        assert_eq!(texts(&schema), 5);
    }

    #[test]
    fn implausible_claims_and_huge_schemas_are_set_aside() {
        let of = |schema, count| why_not(&plain("s__t".parse().unwrap(), schema, count));
        assert!(of(json!({}), 100).is_none());
        assert!(of(json!({}), 1 << 48).unwrap().contains("claims"));
        assert!(of(json!({"enum": ["x".repeat(MAX_SCHEMA)]}), 0).unwrap().contains("bytes"));
    }
}

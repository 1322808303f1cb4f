//! A bundle: what a team merges. One JSON file.
//!
//! It holds, by machine, what that machine counted, and by tool what its upstream declares, what the sender infers,
//! and which version is in force there and who decided so. Without `values` no observed value is in it: schemas
//! are told without them, shapes with keyed hashes in their place, evidence as numbers. Owns: that form, version
//! 1. Refuses to know: files, and what an import changes.

use std::collections::BTreeMap;

use schemascope_model::{Quality, Timestamp, ToolId};
use schemascope_shape::{HashKey, InvalidState, Policy, schema_without_values};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::key::key_id;
use super::share::{Position, Share, Team};
use super::text::{WrongFile, read_json};
use crate::tool::{Declaration, Tool};
use crate::versions::{Actor, InForce, ToolVersions};

const FORMAT: &str = "schemascope-bundle";
const VERSION: u32 = 1;

/// Machines in one bundle, and kept of a team.
pub const MAX_NODES: usize = 64;
/// Tools of one machine.
pub const MAX_TOOLS: usize = 10_000;

/// What a team merges.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Bundle {
    format: String,
    version: u32,
    /// Whether observed values are in it.
    pub values: bool,
    /// Which key its hashes depend on.
    pub key_id: String,
    /// What each machine counted, by its number.
    pub nodes: BTreeMap<String, Node>,
    /// What is known of each tool besides.
    pub tools: BTreeMap<ToolId, BundledTool>,
}

/// What one machine counted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Node {
    /// How far it had counted.
    pub position: Position,
    /// By tool.
    pub tools: BTreeMap<ToolId, Share>,
}

/// What is known of a tool besides what was counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BundledTool {
    /// Its entry in the upstream's `tools/list`, as sent, and when it was first listed so.
    pub definition: Option<Box<RawValue>>,
    /// When it was first listed so.
    pub listed: Option<Timestamp>,
    /// What all machines in the bundle infer together; none before the first observation.
    pub inferred: Option<Box<RawValue>>,
    /// Observations it rests on.
    pub observation_count: u64,
    /// How far it can be trusted.
    pub quality: Quality,
    /// Share of parent objects that have a field, by path, in millionths.
    pub presence: BTreeMap<String, (u64, u64)>,
    /// The version in force.
    pub in_force: Option<InForceThere>,
}

/// A version in force where the bundle was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InForceThere {
    /// Its number there.
    pub version: u32,
    /// When it was cut.
    pub created: Timestamp,
    /// Whether it stays in force whatever comes later.
    pub pinned: bool,
    /// Whether results that break it become errors.
    pub enforced: bool,
    /// Observations it rests on.
    pub observation_count: u64,
    /// How far it could be trusted then.
    pub quality: Quality,
    /// Who put it in force, when, and why.
    pub decided: Option<DecidedThere>,
    /// JSON Schema 2020-12.
    pub schema: Box<RawValue>,
}

/// A decision as it was taken elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DecidedThere {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// Why.
    pub reason: Option<Box<str>>,
}

impl Bundle {
    /// A bundle of nothing.
    pub fn new(key: HashKey, values: bool) -> Self {
        let (nodes, tools) = (BTreeMap::new(), BTreeMap::new());
        Self { format: FORMAT.into(), version: VERSION, values, key_id: key_id(key), nodes, tools }
    }

    /// Adds what a machine counted.
    pub fn add_node(&mut self, node: &str, tools: &BTreeMap<ToolId, Tool>, wanted: impl Fn(&ToolId) -> bool) {
        let existing = || tools.iter().filter(|(_, tool)| tool.exists());
        let listed = |tool: &Tool| tool.declaration.as_ref().map(|declaration| declaration.at);
        let position = Position {
            calls: existing().map(|(_, tool)| tool.calls).sum(),
            latest: existing().filter_map(|(_, tool)| tool.last_called.max(listed(tool))).max(),
        };
        let shares = existing().filter(|(id, _)| wanted(id)).filter(|(_, tool)| tool.calls > 0);
        let shares = shares.map(|(id, tool)| (id.clone(), Share::of(tool, self.values)));
        self.nodes.insert(node.to_owned(), Node { position, tools: shares.collect() });
    }

    /// Adds what is known of a tool: what the machines in the bundle know together, and what was decided here.
    pub fn add_tool(
        &mut self,
        id: &ToolId,
        tool: &Tool,
        versions: Option<&ToolVersions>,
        decided: Option<DecidedThere>,
    ) {
        let told = |schema: &Value| {
            let told = if self.values { schema.clone() } else { schema_without_values(schema) };
            to_raw_value(&told).ok()
        };
        let fields = if self.values {
            tool.shape.fields(&Policy::default())
        } else {
            tool.shape.veiled().fields(&Policy::default())
        };
        let presence = fields
            .into_iter()
            .filter(|field| !field.path.contains('⟦'))
            .map(|field| (field.path, (field.presence.present, field.presence.parents)))
            .collect();
        let in_force = versions.and_then(ToolVersions::in_force).and_then(|in_force| {
            let version = in_force.version();
            Some(InForceThere {
                version: version.number,
                created: version.created,
                pinned: !matches!(in_force, InForce::Promoted(_)),
                enforced: matches!(in_force, InForce::Enforced(_)),
                observation_count: version.evidence.observation_count,
                quality: version.evidence.quality,
                decided,
                schema: told(&version.schema)?,
            })
        });
        let declaration = tool.declaration.as_ref();
        let bundled = BundledTool {
            definition: declaration.map(|declaration| declaration.definition.clone()),
            listed: declaration.map(|declaration| declaration.at),
            inferred: (tool.shape.observations() > 0)
                .then(|| told(&tool.shape.schema(&Policy::default())))
                .flatten(),
            observation_count: tool.shape.observations(),
            quality: tool.standing().quality,
            presence,
            in_force,
        };
        self.tools.insert(id.clone(), bundled);
    }

    /// Adds what the machines of another bundle counted, with hashes in place of the values.
    pub fn add_veiled(&mut self, other: &Self, key: HashKey) -> Result<(), InvalidState> {
        for (name, node) in &other.nodes {
            let mut tools = BTreeMap::new();
            for (id, share) in &node.tools {
                tools.insert(id.clone(), share.veiled(key)?);
            }
            self.nodes.insert(name.clone(), Node { position: node.position, tools });
        }
        Ok(())
    }

    /// Keeps what machines counted of some tools.
    pub fn keep(&mut self, wanted: impl Fn(&ToolId) -> bool) {
        self.nodes.values_mut().for_each(|node| node.tools.retain(|id, _| wanted(id)));
    }

    /// What it says of one machine: what that counted, and what is declared of its tools.
    pub fn part(&self, node: &str) -> Self {
        let shares = self.nodes.get(node).cloned().unwrap_or_default();
        let known = self.tools.iter().filter(|(id, _)| shares.tools.contains_key(*id));
        let declared = |tool: &BundledTool| BundledTool {
            inferred: None,
            observation_count: 0,
            quality: Quality::None,
            presence: BTreeMap::new(),
            in_force: None,
            ..tool.clone()
        };
        Self {
            format: self.format.clone(),
            version: self.version,
            values: self.values,
            key_id: self.key_id.clone(),
            tools: known.map(|(id, tool)| (id.clone(), declared(tool))).collect(),
            nodes: BTreeMap::from([(node.to_owned(), shares)]),
        }
    }

    /// Writes it, indented, so that differences of two are told by lines.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads one.
    pub fn read(text: &str) -> Result<Self, WrongFile> {
        #[derive(Deserialize)]
        struct Head {
            #[serde(default)]
            format: String,
            #[serde(default)]
            version: u32,
        }
        let head: Head = read_json(text)?;
        if head.format != FORMAT {
            return Err(WrongFile::whole(format!(
                "it is no bundle: its \"format\" is not {FORMAT:?}; `schemascope export bundle` writes one"
            )));
        }
        if head.version != VERSION {
            return Err(WrongFile::whole(format!(
                "it is a bundle of version {}; this program reads version {VERSION}",
                head.version
            )));
        }
        let bundle: Self = read_json(text)?;
        if bundle.nodes.len() > MAX_NODES {
            return Err(WrongFile::whole(format!("it has more than {MAX_NODES} machines")));
        }
        let most = bundle.nodes.values().map(|node| node.tools.len()).chain([bundle.tools.len()]).max();
        if most.is_some_and(|most| most > MAX_TOOLS) {
            return Err(WrongFile::whole(format!("it has more than {MAX_TOOLS} tools of one machine")));
        }
        let hex = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(node) = bundle.nodes.keys().find(|node| !hex(node)) {
            return Err(WrongFile::whole(format!(
                "{node:?} is no number of a machine: 12 hexadecimal digits"
            )));
        }
        Ok(bundle)
    }

    /// Whether its shapes can be read and merged with this key; what is wrong where they cannot.
    pub fn check(&self, key: HashKey) -> Result<(), WrongFile> {
        if self.key_id != key_id(key) {
            return Err(WrongFile::whole(format!(
                "its hashes were made with another key ({}, and here it is {}), so its shapes cannot be merged; \
                 a team shares one key: `schemascope export key`, and `import key` on the other machines",
                self.key_id,
                key_id(key)
            )));
        }
        for (node, shares) in &self.nodes {
            for (tool, share) in &shares.tools {
                let wrong =
                    |error| WrongFile::whole(format!("what machine {node} counted of {tool}: {error}"));
                share.shape(key).map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// Adds what it knows of a tool.
    pub fn add_to(&self, id: &ToolId, team: &mut Team) -> Result<(), WrongFile> {
        if let Some(bundled) = self.tools.get(id) {
            team.declare(bundled.declaration().as_ref());
        }
        for node in self.nodes.values() {
            if let Some(share) = node.tools.get(id) {
                team.add(share).map_err(|error| WrongFile::whole(format!("{id}: {error}")))?;
            }
        }
        Ok(())
    }
}

impl BundledTool {
    /// What its upstream says of it.
    pub fn declaration(&self) -> Option<Declaration> {
        let definition = self.definition.clone()?;
        Some(Declaration::new(definition, self.listed.unwrap_or(Timestamp::from_millis(0))))
    }
}

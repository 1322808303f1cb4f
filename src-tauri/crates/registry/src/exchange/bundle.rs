//! A bundle: one JSON file that a team merges.
//!
//! It contains, by machine, what that machine counted, and by tool the schema that its upstream declares, the schema
//! that the sender infers, the version in effect there and who decided it. Without `values` it contains no observed
//! value: schemas leave them out, shapes have keyed hashes in their place, and evidence is numbers. This is version 1
//! of the format.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use schemascope_model::{Quality, Timestamp, ToolId};
use schemascope_shape::{HashKey, InvalidState, Policy, schema_without_values};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::key::key_id;
use super::share::{Position, Share, Team, machine_name};
use super::signature::{self, Authenticity};
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
    /// When counts that were made before were changed last: redacted, or learned again. Their position stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised: Option<Timestamp>,
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
    /// The version in effect.
    pub in_force: Option<InForceThere>,
}

/// A version in effect where the bundle was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InForceThere {
    /// Its number there.
    pub version: u32,
    /// When it was cut.
    pub created: Timestamp,
    /// Whether it stays in effect whatever is promoted later.
    pub pinned: bool,
    /// Whether results that break it become errors.
    pub enforced: bool,
    /// Observations it rests on.
    pub observation_count: u64,
    /// How far it could be trusted then.
    pub quality: Quality,
    /// Who decided it, when, and why.
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

    /// Adds what machines counted, by the machine of each call; `own` is this one. `revised` is when its earlier counts
    /// were changed last.
    pub fn add_machines(
        &mut self,
        own: u64,
        tools: &BTreeMap<ToolId, Tool>,
        revised: Option<Timestamp>,
        wanted: impl Fn(&ToolId) -> bool,
    ) {
        let mut nodes = BTreeMap::from([(machine_name(own), Node::default())]);
        for (id, tool) in tools.iter().filter(|(_, tool)| tool.exists()) {
            for (machine, share) in Share::by_machine(tool, own, self.values) {
                let node: &mut Node = nodes.entry(machine).or_default();
                let Position { calls, latest } = share.position();
                node.position.calls = node.position.calls.saturating_add(calls);
                node.position.latest = node.position.latest.max(latest);
                if wanted(id) && calls > 0 {
                    node.tools.insert(id.clone(), share);
                }
            }
            let listed = tool.declaration.as_ref().map(|declaration| declaration.at);
            if let Some(node) = nodes.get_mut(&machine_name(own)) {
                node.position.latest = node.position.latest.max(listed);
            }
        }
        if let Some(node) = nodes.get_mut(&machine_name(own)) {
            node.revised = revised;
        }
        for (machine, node) in nodes {
            match self.nodes.entry(machine) {
                Entry::Vacant(entry) => _ = entry.insert(node),
                Entry::Occupied(mut entry) => {
                    let known = std::mem::replace(entry.get_mut(), node);
                    entry.get_mut().keep_later(&known);
                }
            }
        }
    }

    /// Adds evidence of provides edges to what a machine counted of a tool, as JSON. It belongs to the share of this
    /// position.
    pub fn add_edges(&mut self, id: &ToolId, machine: u64, position: Position, edges: String) {
        let share = self.nodes.get_mut(&machine_name(machine)).and_then(|node| node.tools.get_mut(id));
        if let Some(share) = share.filter(|share| share.position() == position) {
            share.edges = RawValue::from_string(edges).ok();
        }
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
            inferred: (tool.shape.observations() > 0).then(|| told(&tool.inferred_schema())).flatten(),
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
            self.nodes.insert(name.clone(), Node { tools, ..node.clone() });
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

    /// Writes it, indented, so that two bundles can be compared line by line.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Writes it with a signature, so that others of the team can tell that it is unchanged.
    pub fn write_signed(&self, key: HashKey) -> String {
        signature::sign(&self.write(), key)
    }

    /// Checks a bundle's signature. A wrong one is an error, and a missing one is not.
    pub fn verify(text: &str, key: HashKey) -> Result<Authenticity, WrongFile> {
        signature::verify(text, key)
    }

    /// Reads one. Nothing in it is believed yet.
    pub fn read(text: &str) -> Result<Self, WrongFile> {
        #[derive(Deserialize)]
        #[serde(expecting = "a bundle, which is an object")]
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

    /// Whether its hashes were made with this key; why its shapes cannot be merged where they were not.
    pub fn check(&self, key: HashKey) -> Result<(), WrongFile> {
        if self.key_id == key_id(key) {
            return Ok(());
        }
        Err(WrongFile::whole(format!(
            "its hashes were made with another key ({}, and here it is {}), so its shapes cannot be merged; \
             a team shares one key: `schemascope export key`, and `import key` on the other machines",
            self.key_id,
            key_id(key)
        )))
    }

    /// Adds what it knows of a tool.
    pub fn add_to(&self, id: &ToolId, team: &mut Team) {
        if let Some(bundled) = self.tools.get(id) {
            team.declare(bundled.declaration().as_ref());
        }
        for (machine, node) in &self.nodes {
            if let Some(share) = node.tools.get(id) {
                team.add(machine, share.clone());
            }
        }
    }
}

impl BundledTool {
    /// What its upstream says of it.
    pub fn declaration(&self) -> Option<Declaration> {
        let definition = self.definition.clone()?;
        Some(Declaration::new(definition, self.listed.unwrap_or(Timestamp::from_millis(0))))
    }
}

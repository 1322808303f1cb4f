//! Tools and their schemas.

mod list;

use schemascope_model::{CallId, Carrier, Carriers, Quality, Source, TextForm, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{CallRow, Command, FailedCall, Latency};

pub use list::{Align, ListTools, ShownIn, TOOL_COLUMNS, ToolCell, ToolColumn, ToolRow};

/// Gets everything that is known about a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetTool {
    /// `server__tool`.
    pub tool_id: String,
}

impl Command for GetTool {
    const NAME: &'static str = "get_tool";
    type Reply = ToolDetail;
}

/// Everything that is known about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDetail {
    /// Row in the list of tools.
    pub row: ToolRow,
    /// Description of the upstream.
    pub description: Option<String>,
    /// Declared input schema.
    pub input_schema: Option<RawSchema>,
    /// Declared output schema.
    pub declared_schema: Option<RawSchema>,
    /// Inferred output schema.
    pub inferred_schema: Option<RawSchema>,
    /// Time since which results are learned from, if a user decided so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_since: Option<Timestamp>,
    /// Number of observations by how their structure was carried.
    pub carriers: Carriers,
    /// Numbers of observations that fit and violate the currently declared schema.
    pub fits: Option<FitRow>,
    /// Named fields, parents before children.
    pub fields: Vec<FieldRow>,
    /// The whole value as a field without a name; `None` before the first observation.
    pub root: Option<FieldRow>,
    /// Whether there were more paths than are kept.
    pub trimmed: bool,
    /// Number of paths of which only types and frequency are kept, without values.
    #[serde(default)]
    pub without_values: usize,
    /// Upper limit of the probability that the next observation has a new field or type, 0 to 1, with 95 % confidence, if
    /// the tool stays as it is; `None` while there are too few observations or a drift is open.
    pub unseen: Option<f64>,
    /// How long the structure has stayed the same.
    pub stability: Option<Stability>,
    /// Unusual properties of the documents, such as repeated keys or deep nesting.
    pub notes: Vec<NoteRow>,
    /// Arguments whose value decides the shape, strongest first.
    pub by_argument: Vec<ArgumentRow>,
    /// History of its consistency, oldest first.
    pub history: Vec<HistoryPoint>,
    /// Changes of quality or source, oldest first.
    pub changes: Vec<StandingRow>,
    /// Durations of all calls, from request to answer, within 1 %.
    pub latency: Latency,
    /// Latest calls, newest first, at most 200.
    pub latest: Vec<CallRow>,
    /// The newest failed call among them, while at least half of the newest calls fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_failure: Option<FailedCall>,
    /// Latest observations, newest first, at most 5.
    pub samples: Vec<Sample>,
}

/// Gets how consistent the newest results of a tool are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetRecent {
    /// `server__tool`.
    pub tool_id: String,
}

impl Command for GetRecent {
    const NAME: &'static str = "get_recent";
    type Reply = Recent;
}

/// Consistency of the newest stored results of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recent {
    /// Number of newest results that `fields` is about, at most 50.
    pub results: u64,
    /// Named fields of these results, ordered by path.
    pub fields: Vec<RecentField>,
    /// Consistency of windows of 50 results, one after every 25, oldest first.
    pub windows: Vec<HistoryPoint>,
}

/// A field in the newest results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecentField {
    /// Path from the root, as in [`FieldRow::path`].
    pub path: String,
    /// Number of parent objects that have it.
    pub present: u64,
    /// Number of parent objects.
    pub parents: u64,
    /// Number of values by JSON type.
    pub types: Vec<TypeRow>,
    /// Share of parent objects that have it with its dominant type, 0 to 1.
    pub consistency: f64,
}

/// A JSON Schema to show or save, without parsing it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawSchema(pub Box<RawValue>);

impl PartialEq for RawSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// How many observations fit a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitRow {
    /// Number of observations that fit.
    pub fits: u64,
    /// Number of observations that do not fit.
    pub violates: u64,
}

/// A named field of a shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldRow {
    /// Path from the root: `orders[].customer`, `meta{}` for a map's values, `["odd key"]`.
    pub path: String,
    /// Last part of the path.
    pub name: String,
    /// Number of named fields around it.
    pub depth: usize,
    /// Types, most frequent first, null last.
    pub kinds: Vec<String>,
    /// Number of values by JSON type.
    pub types: Vec<TypeRow>,
    /// Number of parent objects that have it.
    pub present: u64,
    /// Number of parent objects.
    pub parents: u64,
    /// 95 % interval of its presence, 0 to 1 (Wilson).
    pub interval: (f64, f64),
    /// Share of parent objects that have it with its dominant type, 0 to 1.
    pub consistency: f64,
    /// The same in the newest results; `None` if that is unknown. See [`GetRecent`].
    #[serde(default)]
    pub recent: Option<f64>,
    /// Share of its values that have the dominant type, 0 to 1; null agrees with every type.
    pub agreement: f64,
    /// Whether the inferred schema requires it.
    pub required: bool,
    /// Summary of its values.
    pub values: ValueSummary,
    /// What the inferred schema says about it, and why.
    pub decisions: Vec<DecisionRow>,
    /// Alternatives that one of its own fields distinguishes.
    pub alternatives: Vec<AlternativeRow>,
}

/// Bounded summary of values, redacted like everything that is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueSummary {
    /// Number of distinct strings and numbers.
    pub distinct: Option<Distinct>,
    /// Each of them with its count, most frequent first; empty if there are more than 32.
    pub counted: Vec<ValueRow>,
    /// Examples as JSON, shortened if they are long.
    pub examples: Vec<String>,
    /// Smallest and largest number, as JSON.
    pub range: Option<(String, String)>,
    /// Lengths of the shortest and the longest string in characters.
    pub lengths: Option<(u64, u64)>,
    /// Numbers of items of the shortest and the longest array.
    pub items: Option<(u64, u64)>,
}

/// Number of distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distinct {
    /// Number of values.
    pub count: u64,
    /// Whether they were counted; otherwise the number is an estimate within 7 % (HyperLogLog).
    pub exact: bool,
}

/// A value with its count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueRow {
    /// The value as JSON.
    pub json: String,
    /// Number of occurrences.
    pub count: u64,
}

/// One decision of the inferred schema about a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// Decision in words of schemas: `required`, `enum of 4`, `map of integer`, `format date-time`.
    pub decision: String,
    /// Numbers behind it, in words: `present in 214 of 214 objects`.
    pub because: String,
}

/// One alternative of a union of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternativeRow {
    /// Field whose value distinguishes the alternatives; empty if each has a field of its own.
    pub tag: String,
    /// Its value in this alternative, or the name of the alternative's own field, as JSON.
    pub json: String,
    /// Number of objects.
    pub count: u64,
    /// Their fields: the name, and whether every object has it.
    pub fields: Vec<(String, bool)>,
}

/// How long the structure has stayed the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stability {
    /// Number of days with observations since a path or type was new.
    pub days: u32,
    /// Number of days with observations, at most 8.
    pub of: u32,
}

/// An unusual property of documents with its count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRow {
    /// Property in words.
    pub note: String,
    /// Number of occurrences.
    pub count: u64,
}

/// An argument whose value decides the shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArgumentRow {
    /// Name of the argument.
    pub argument: String,
    /// Share of the variety of shapes that its value explains, 0 to 1.
    pub explains: f64,
    /// Values, most frequent first.
    pub values: Vec<ArgumentValueRow>,
}

/// One value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentValueRow {
    /// Value as JSON; `None` if the argument was left out.
    pub json: Option<String>,
    /// Number of observations.
    pub count: u64,
    /// Fields that only results of this value, or of few others, have: `string`, `rows[]`, `error`.
    pub shape: Vec<String>,
}

/// Number of values of a JSON type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRow {
    /// Name of the type in JSON Schema.
    #[serde(rename = "type")]
    pub name: String,
    /// Number of values.
    pub count: u64,
}

/// Consistency of a tool at one observation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistoryPoint {
    /// Number of observations so far.
    pub observations: u64,
    /// Time of the last of them.
    pub at: Timestamp,
    /// Mean consistency of the fields, 0 to 1.
    pub mean: f64,
    /// Consistency of the least consistent field, 0 to 1.
    pub lowest: f64,
}

/// A change of quality or source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingRow {
    /// Time of the change.
    pub at: Timestamp,
    /// Source of the schema from then on.
    pub source: Source,
    /// Quality from then on.
    pub quality: Quality,
    /// Whether the declared schema was violated.
    pub violated: bool,
    /// Form of the results, if all of them were text without structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<TextForm>,
}

/// One stored observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Call id.
    pub id: CallId,
    /// Time of the call.
    pub at: Timestamp,
    /// Form in which the result carried its structure.
    pub carrier: Carrier,
    /// Redacted value as JSON. It ends after [`MAX_SAMPLE`] bytes, and is then not valid JSON.
    pub json: String,
    /// Size of the whole value in bytes.
    pub bytes: usize,
}

/// Longest sample in bytes. The call itself has the whole value.
pub const MAX_SAMPLE: usize = 16 << 10;

/// Gets a tool's schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetSchema {
    /// `server__tool`.
    pub tool_id: String,
    /// Schema to get.
    #[serde(default)]
    pub choice: SchemaChoice,
}

impl Command for GetSchema {
    const NAME: &'static str = "get_schema";
    type Reply = SchemaReply;
}

/// A choice among the schemas of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaChoice {
    /// Effective schema, else the inferred one.
    #[default]
    Best,
    /// Effective schema.
    Effective,
    /// Inferred schema.
    Inferred,
    /// Declared schema.
    Declared,
    /// Version with this number.
    Version(u32),
    /// Schema that was effective at a time, else the newest version of that time.
    At(Timestamp),
}

/// Schema of a tool with its origin.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SchemaReply {
    /// `server__tool`.
    pub tool_id: String,
    /// Source of this schema: `declared` or `inferred`.
    pub source: Source,
    /// Version number; `None` for the current declared or inferred schema.
    pub version: Option<u32>,
    /// Quality; for a version, at the time of its creation.
    pub quality: Quality,
    /// Number of observations; for a version, up to its creation.
    pub observation_count: u64,
    /// JSON Schema 2020-12.
    pub schema: Value,
}

/// Infers a schema from the stored calls of a tool in which an argument has a value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InferWhere {
    /// `server__tool`.
    pub tool_id: String,
    /// Name of the argument, or path of a field in it: `options.format`.
    pub argument: String,
    /// Value of the argument; `None` for calls without it.
    pub value: Option<Value>,
}

impl Command for InferWhere {
    const NAME: &'static str = "infer_where";
    type Reply = InferredWhere;
}

/// Schema of some calls of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InferredWhere {
    /// Number of stored calls that were examined, newest first.
    pub call_count: u64,
    /// Number of observations among them.
    pub observation_count: u64,
    /// JSON Schema 2020-12.
    pub schema: Value,
}

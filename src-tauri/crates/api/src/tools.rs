//! Tools and their schemas.

use schemascope_model::{CallId, Carrier, Quality, Source, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{CallRow, Command, Latency};

/// Lists all tools: those that were ever listed, or answered a call with a result.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListTools {}

impl Command for ListTools {
    const NAME: &'static str = "list_tools";
    type Reply = Vec<ToolRow>;
}

/// One tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRow {
    /// `server__tool`.
    pub tool_id: String,
    /// The upstream's name.
    pub server_name: String,
    /// The tool's name there.
    pub tool_name: String,
    /// Where its schema comes from.
    pub source: Source,
    /// How far the schema can be trusted.
    pub quality: Quality,
    /// It declares a schema that less than 95 % of its observations fit.
    pub violated: bool,
    /// Calls whose result taught its shape.
    pub observation_count: u64,
    /// Calls, however they ended.
    pub call_count: u64,
    /// Calls that failed.
    pub failure_count: u64,
    /// Mean of its fields' consistency, 0 to 1; none before the first observation.
    pub mean_consistency: Option<f64>,
    /// The version in force; none as long as nothing was promoted or pinned.
    pub effective_version: Option<u32>,
    /// That version stays in force whatever comes later.
    #[serde(default)]
    pub pinned: bool,
    /// It is pinned, and results that break it become errors.
    #[serde(default)]
    pub enforced: bool,
    /// The version that waits for a decision.
    #[serde(default)]
    pub candidate_version: Option<u32>,
    /// Drifts that go on.
    #[serde(default)]
    pub drift_count: u32,
    /// Those of them nobody has acknowledged.
    #[serde(default)]
    pub drift_waiting: u32,
    /// Drifts that were found and are not told: more than are told in an hour, or followed at a time.
    #[serde(default)]
    pub drift_untold: u64,
    /// The latest observation.
    pub last_observed: Option<Timestamp>,
    /// The latest call.
    pub last_called: Option<Timestamp>,
    /// Whether its upstream lists it, as of the last listing.
    pub listed: bool,
    /// Mean consistency as it went with the observations, in percent, oldest first; 24 points at most.
    #[serde(default)]
    pub trend: Vec<u8>,
}

/// Gets everything known of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetTool {
    /// `server__tool`.
    pub tool_id: String,
}

impl Command for GetTool {
    const NAME: &'static str = "get_tool";
    type Reply = ToolDetail;
}

/// Everything known of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDetail {
    /// Its line in the list.
    pub row: ToolRow,
    /// What its upstream says it does.
    pub description: Option<String>,
    /// What it takes, as declared.
    pub input_schema: Option<RawSchema>,
    /// What its upstream declares it returns.
    pub declared_schema: Option<RawSchema>,
    /// What was learned.
    pub inferred_schema: Option<RawSchema>,
    /// Observations by how they were carried.
    pub carriers: CarrierCounts,
    /// Observations that fit the schema declared now, and that do not.
    pub fits: Option<FitRow>,
    /// Its named fields, parents before children.
    pub fields: Vec<FieldRow>,
    /// The whole value, as a field without a name; none before the first observation.
    pub root: Option<FieldRow>,
    /// There were more paths than are kept.
    pub trimmed: bool,
    /// Chance that the next observation has a shape not seen yet, 0 to 1 (Good–Turing); none before the
    /// first.
    pub unseen: Option<f64>,
    /// How long the structure has been the same.
    pub stability: Option<Stability>,
    /// What was odd about the documents: repeated keys, too deep, and such.
    pub notes: Vec<NoteRow>,
    /// Arguments whose value decides the shape, the strongest first.
    pub by_argument: Vec<ArgumentRow>,
    /// Its numbers as they went, oldest first.
    pub history: Vec<HistoryPoint>,
    /// When quality or source changed, oldest first.
    pub changes: Vec<StandingRow>,
    /// Times of the calls in `latest`, from request to answer.
    pub latency: Latency,
    /// Its latest calls, newest first, 200 at most.
    pub latest: Vec<CallRow>,
    /// Its latest observations, newest first, 5 at most.
    pub samples: Vec<Sample>,
}

/// A JSON Schema to be shown or saved, not looked into.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawSchema(pub Box<RawValue>);

impl PartialEq for RawSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Observations by how they were carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarrierCounts {
    /// In `structuredContent`.
    pub structured: u64,
    /// As JSON in text.
    pub json_in_text: u64,
    /// As text.
    pub text: u64,
}

/// How many observations fit a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitRow {
    /// Those that do.
    pub fits: u64,
    /// Those that do not.
    pub violates: u64,
}

/// A named field of a shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldRow {
    /// Path from the root: `orders[].customer`, `meta{}` for a map's values, `["odd key"]`.
    pub path: String,
    /// The end of the path that is this field's own.
    pub name: String,
    /// Named fields around it.
    pub depth: usize,
    /// Its types, the most frequent first, null last.
    pub kinds: Vec<String>,
    /// Values by JSON type.
    pub types: Vec<TypeRow>,
    /// Parent objects that have it.
    pub present: u64,
    /// Parent objects seen.
    pub parents: u64,
    /// The 95 % interval of its presence, 0 to 1 (Wilson).
    pub interval: (f64, f64),
    /// Share of parent objects that have it with its dominant type, 0 to 1.
    pub consistency: f64,
    /// Share of its values that have the dominant type, 0 to 1; null agrees with every type.
    pub agreement: f64,
    /// The inferred schema requires it.
    pub required: bool,
    /// What its values looked like.
    pub values: ValueSummary,
    /// What the inferred schema says of it, and why.
    pub decisions: Vec<DecisionRow>,
    /// Where one of its own fields tells alternatives apart: each of them.
    pub alternatives: Vec<AlternativeRow>,
}

/// What values looked like: bounded, and redacted as everything stored is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueSummary {
    /// Distinct strings and numbers.
    pub distinct: Option<Distinct>,
    /// Each of them with its count, the most frequent first, 32 at most; empty where there are more.
    pub counted: Vec<ValueRow>,
    /// Some of them, as JSON, cut where long.
    pub examples: Vec<String>,
    /// Smallest and largest number, as JSON.
    pub range: Option<(String, String)>,
    /// Characters of the shortest and the longest string.
    pub lengths: Option<(u64, u64)>,
    /// Items of the shortest and the longest array.
    pub items: Option<(u64, u64)>,
}

/// How many distinct values there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distinct {
    /// Values.
    pub count: u64,
    /// Counted; else estimated within some 7 % (HyperLogLog).
    pub exact: bool,
}

/// A value and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueRow {
    /// The value as JSON.
    pub json: String,
    /// Times seen.
    pub count: u64,
}

/// One thing the inferred schema says at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// What it says, in schema words: `required`, `enum of 4`, `map of integer`, `format date-time`.
    pub decision: String,
    /// The numbers behind it: `there in 214 of 214 objects`.
    pub because: String,
}

/// One alternative of a tagged union.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternativeRow {
    /// The field that tells.
    pub tag: String,
    /// Its value here, as JSON.
    pub json: String,
    /// Objects seen.
    pub count: u64,
    /// Fields they have: name, and whether all of them do.
    pub fields: Vec<(String, bool)>,
}

/// How long the structure has been the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stability {
    /// Days with observations since a path or a type was last seen for the first time.
    pub days: u32,
    /// Days with observations at all, 8 at most.
    pub of: u32,
}

/// Something odd about documents, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRow {
    /// In words.
    pub note: String,
    /// Times.
    pub count: u64,
}

/// An argument whose value decides the shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArgumentRow {
    /// Its name.
    pub argument: String,
    /// Share of the shapes' variety its value explains, 0 to 1.
    pub explains: f64,
    /// Its values, the most frequent first.
    pub values: Vec<ArgumentValueRow>,
}

/// One value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentValueRow {
    /// The value as JSON; none where the argument was left out.
    pub json: Option<String>,
    /// Observations.
    pub count: u64,
    /// What only results of this value (or of few others) have: `string`, `rows[]`, `error`.
    pub shape: Vec<String>,
}

/// How many values of one JSON type were seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRow {
    /// JSON Schema's name of the type.
    #[serde(rename = "type")]
    pub name: String,
    /// Values seen.
    pub count: u64,
}

/// A tool's numbers at one observation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistoryPoint {
    /// Observations so far.
    pub observations: u64,
    /// When the last of them was made.
    pub at: Timestamp,
    /// Mean of its fields' consistency, 0 to 1.
    pub mean: f64,
    /// The least consistent field's, 0 to 1.
    pub lowest: f64,
}

/// A change of quality or source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingRow {
    /// Since when.
    pub at: Timestamp,
    /// Where the schema came from, from then on.
    pub source: Source,
    /// How far it could be trusted, from then on.
    pub quality: Quality,
    /// Whether it broke what it declared.
    pub violated: bool,
}

/// One observation as it was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The call it came from.
    pub id: CallId,
    /// When that was.
    pub at: Timestamp,
    /// How it was carried.
    pub carrier: Carrier,
    /// The value as JSON, redacted. Cut at [`MAX_SAMPLE`] bytes, and then no longer JSON.
    pub json: String,
    /// Its whole size.
    pub bytes: usize,
}

/// Longest sample in bytes; the call has all of it.
pub const MAX_SAMPLE: usize = 16 << 10;

/// Gets a tool's schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetSchema {
    /// `server__tool`.
    pub tool_id: String,
    /// Which one.
    #[serde(default)]
    pub choice: SchemaChoice,
}

impl Command for GetSchema {
    const NAME: &'static str = "get_schema";
    type Reply = SchemaReply;
}

/// Which of a tool's schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaChoice {
    /// The effective one, else the inferred one.
    #[default]
    Best,
    /// What is held true of the tool.
    Effective,
    /// What was learned.
    Inferred,
    /// What its upstream declares.
    Declared,
    /// One version.
    Version(u32),
    /// What held true at some time: the effective one then, else the newest version there was.
    At(Timestamp),
}

/// A tool's schema and where it comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SchemaReply {
    /// `server__tool`.
    pub tool_id: String,
    /// Which schema this is: `declared` or `inferred`.
    pub source: Source,
    /// The version it is; none for what is declared or inferred now.
    pub version: Option<u32>,
    /// How far the tool's schema can be trusted; of a version, as it was when it was cut.
    pub quality: Quality,
    /// Calls whose result taught its shape; of a version, those until it was cut.
    pub observation_count: u64,
    /// JSON Schema 2020-12.
    pub schema: Value,
}

/// Infers a schema from the stored calls of a tool in which an argument had a certain value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InferWhere {
    /// `server__tool`.
    pub tool_id: String,
    /// The argument; of a field in an object, the path: `options.format`.
    pub argument: String,
    /// Its value; none for calls without it.
    pub value: Option<Value>,
}

impl Command for InferWhere {
    const NAME: &'static str = "infer_where";
    type Reply = InferredWhere;
}

/// The schema of some of a tool's calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InferredWhere {
    /// Stored calls looked at, the latest ones.
    pub call_count: u64,
    /// Those of them that taught the schema.
    pub observation_count: u64,
    /// JSON Schema 2020-12.
    pub schema: Value,
}

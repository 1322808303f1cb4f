//! What to pursue next: a recommendation from the conditions of the files, which never prescribes.
//!
//! A Discovery Schema is recommended if its condition is met, its prerequisites are done, and it was never pursued in
//! the conversation. Files without a condition are listed, never recommended. A conversation about a tool is the
//! exception: there, the files about tools are recommended, and no others. Our own files come before the user's, and
//! the domains in the order of [`DOMAINS`]; within a domain, those with fewer prerequisites in a row come first.

use crate::budget;
use crate::library::{Entry, Library, Origin};
use crate::pursuit::Pursuit;
use crate::schema::DiscoverySchema;
use crate::state::Conversation;

/// Domains in the order in which they are recommended.
pub const DOMAINS: [&str; 5] = ["process", "data", "resources", "optimality", "tool"];
/// Alternatives that a recommendation lists.
const MAX_ALTERNATIVES: usize = 50;

/// What to pursue next.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The Discovery Schema; `None` if nothing is left to recommend.
    pub ds_id: Option<String>,
    /// Why.
    pub rationale: String,
    /// Type of its interviewer.
    pub interviewer: Option<String>,
    /// What else can be started.
    pub alternatives: Vec<Alternative>,
}

/// What else can be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The Discovery Schema.
    pub ds_id: String,
    /// Its name.
    pub name: String,
    /// Type of its interviewer.
    pub interviewer: String,
    /// Why it could be started, and what speaks against it.
    pub rationale: String,
}

/// Recommends what to pursue next. Discovery Schemas about a tool are only considered with a tool.
pub fn recommend(library: &Library, conversation: &Conversation, tool_id: Option<&str>) -> Recommendation {
    let tool_id = tool_id.or(conversation.tool_id());
    let mut candidates: Vec<&Entry> =
        library.entries().filter(|entry| is_startable(conversation, entry, tool_id)).collect();
    candidates.sort_by_key(|entry| rank(library, entry));
    let open = conversation.current().filter(|pursuit| !pursuit.is_done());
    let next = candidates.iter().find(|entry| is_recommended(conversation, entry, tool_id));
    let (ds_id, rationale, interviewer) = match (open, next) {
        (Some(pursuit), _) => {
            let interviewer = pursuit.schema.as_ref().map(|schema| schema.interviewer.clone());
            (Some(pursuit.ds_id.clone()), working(pursuit), interviewer)
        }
        (None, Some(entry)) => {
            let schema = &entry.schema;
            (Some(schema.id.clone()), recommended(conversation, schema), Some(schema.interviewer.clone()))
        }
        (None, None) => (None, exhausted(conversation), None),
    };
    let others = candidates.iter().filter(|entry| Some(&entry.schema.id) != ds_id.as_ref());
    let alternatives =
        others.take(MAX_ALTERNATIVES).map(|entry| alternative(conversation, entry, tool_id)).collect();
    Recommendation { ds_id, rationale, interviewer, alternatives }
}

/// Lists the prerequisites of a Discovery Schema that are not done.
pub(crate) fn unmet<'s>(schema: &'s DiscoverySchema, conversation: &Conversation) -> Vec<&'s str> {
    let ids = schema.prerequisites.iter().map(String::as_str);
    ids.filter(|id| !conversation.pursuit(id).is_some_and(Pursuit::is_done)).collect()
}

fn is_startable(conversation: &Conversation, entry: &Entry, tool_id: Option<&str>) -> bool {
    let has_tool = !entry.schema.needs_tool || tool_id.is_some();
    let is_working = conversation.pursuit(&entry.schema.id).is_some_and(Pursuit::is_working);
    has_tool && !is_working && unmet(&entry.schema, conversation).is_empty()
}

fn is_recommended(conversation: &Conversation, entry: &Entry, tool_id: Option<&str>) -> bool {
    let schema = &entry.schema;
    let is_new = conversation.pursuit(&schema.id).is_none();
    let is_met = match &schema.when {
        Some(when) => when.is_met(&conversation.pursuits),
        None => schema.needs_tool,
    };
    is_new && is_met && schema.needs_tool == tool_id.is_some()
}

fn rank(library: &Library, entry: &Entry) -> (Origin, usize, usize, String) {
    let domain = entry.schema.id.split('/').next().unwrap_or_default();
    let domain = DOMAINS.iter().position(|known| *known == domain).unwrap_or(DOMAINS.len());
    (entry.origin, domain, library.depth(&entry.schema.id), entry.schema.id.clone())
}

fn working(pursuit: &Pursuit) -> String {
    format!(
        "{} is being pursued: completeness {}, {} of a budget of {} used.",
        pursuit.ds_id,
        budget::number(pursuit.completeness()),
        budget::number(pursuit.used()),
        budget::number(pursuit.budget())
    )
}

fn recommended(conversation: &Conversation, schema: &DiscoverySchema) -> String {
    let named = schema.when.as_ref().map(|when| when.names()).unwrap_or_default();
    let mut because: Vec<&str> = named.into_iter().filter(|id| conversation.pursuit(id).is_some()).collect();
    because.sort_unstable();
    because.dedup();
    let finish = unfinished(conversation);
    if because.is_empty() && conversation.pursuits.is_empty() {
        return format!("{} comes first: it depends on nothing else.{finish}", schema.name);
    }
    if because.is_empty() {
        return format!("{} can be asked next.{finish}", schema.name);
    }
    format!("{} fits what {} found out.{finish}", schema.name, because.join(", "))
}

fn exhausted(conversation: &Conversation) -> String {
    let finish = unfinished(conversation);
    format!(
        "The recommendations are exhausted: every Discovery Schema that fits has been pursued. Others can be started from \
         the alternatives.{finish}"
    )
}

/// Reminds of complete pursuits that were not finalised.
fn unfinished(conversation: &Conversation) -> String {
    let waiting =
        conversation.pursuits.iter().filter(|pursuit| pursuit.is_working() && pursuit.is_complete());
    let ids: Vec<&str> = waiting.map(|pursuit| pursuit.ds_id.as_str()).collect();
    if ids.is_empty() { String::new() } else { format!(" Complete, not yet finalised: {}.", ids.join(", ")) }
}

fn alternative(conversation: &Conversation, entry: &Entry, tool_id: Option<&str>) -> Alternative {
    let schema = &entry.schema;
    let rationale = match conversation.pursuit(&schema.id) {
        Some(pursuit) => format!("It is {}; starting it again keeps its answers.", pursuit.state().name()),
        None if schema.when.is_none() => "Its prerequisites are met. Its file has no condition.".to_owned(),
        None if is_recommended(conversation, entry, tool_id) => "Its condition is met.".to_owned(),
        None => "Its prerequisites are met, but its condition is not.".to_owned(),
    };
    Alternative {
        ds_id: schema.id.clone(),
        name: schema.name.clone(),
        interviewer: schema.interviewer.clone(),
        rationale,
    }
}

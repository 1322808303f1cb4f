//! Brings the file of overrides in line with the decisions about schemas.
//!
//! Three states are compared: the one both agreed on last, the file now, and the effective schemas now. An entry that
//! differs from the agreed state was edited by hand, so the file wins and becomes a decision. If only the effective
//! schema differs, a decision was taken that the file does not contain, so the file is edited. If both differ, the
//! edit by hand wins, because the user saw the file when editing it.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::ToolId;
use serde_json::{Map, Value};

use crate::document::Document;
use crate::edit;
use crate::entry::{Entry, Field, Overrides};
use crate::problem::Problem;
use crate::read::FOLLOWS;
use crate::tree::split_bom;

/// Facts about a tool from outside the file.
#[derive(Debug, Clone, Default)]
pub struct ToolFacts {
    /// Whether the tool is known to exist.
    pub exists: bool,
    /// Schema that is effective by a decision.
    pub effective: Option<Value>,
    /// Schemas that its upstream declares; `None` until the upstream has listed its tools.
    pub declared: Option<[Option<Value>; 2]>,
}

/// A decision of the file about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The tool.
    pub tool: ToolId,
    /// New effective schema; `None` for the one that the upstream declares.
    pub schema: Option<Value>,
}

/// Result of a comparison: decisions to take, and the edited file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reconciliation {
    /// Decisions that follow from edits by hand.
    pub decisions: Vec<Decision>,
    /// The file with the decisions that it did not contain.
    pub document: Document,
    /// Tools whose entries wait because the tool is not known yet.
    pub pending: BTreeSet<ToolId>,
}

impl ToolFacts {
    fn declared(&self, field: Field) -> Option<Option<&Value>> {
        self.declared.as_ref().map(|declared| declared[field as usize].as_ref())
    }
}

/// Compares the `agreed` state with the file and with the facts about each tool. `pending` lists the tools whose entries
/// waited, `effective` those that have an effective version.
pub fn reconcile(
    agreed: &Overrides,
    pending: &BTreeSet<ToolId>,
    document: Document,
    effective: impl IntoIterator<Item = ToolId>,
    facts: impl Fn(&ToolId) -> ToolFacts,
) -> Result<Reconciliation, Problem> {
    let mut tools: BTreeSet<ToolId> = effective.into_iter().collect();
    tools.extend(agreed.tools().chain(document.overrides().tools()));
    let (mut decisions, mut waiting, mut edits) = (Vec::new(), BTreeSet::new(), Vec::new());
    for tool in tools {
        let nothing = Entry::default();
        let entry = |of: &'_ Overrides| of.entry(tool.server(), tool.tool()).cloned();
        let before = entry(agreed).unwrap_or_else(|| nothing.clone());
        let now = entry(document.overrides()).unwrap_or(nothing);
        let one = compare(&before, &now, pending.contains(&tool), &facts(&tool));
        match one.verdict {
            Verdict::Agreed => {}
            Verdict::Waits => drop(waiting.insert(tool.clone())),
            Verdict::Decided(schema) => decisions.push(Decision { tool: tool.clone(), schema }),
        }
        if !one.set.is_empty() || !one.remove.is_empty() {
            edits.push((tool, one.set, one.remove));
        }
    }
    Ok(Reconciliation { decisions, document: edited(document, edits)?, pending: waiting })
}

/// Outcome of the comparison for a tool's output schema.
enum Verdict {
    /// File and decisions agree, or do so after an edit of the file.
    Agreed,
    /// The entry waits until the tool is known.
    Waits,
    /// The file decides.
    Decided(Option<Value>),
}

/// Outcome of the comparison for one tool, with the edits of its entry.
struct Comparison {
    verdict: Verdict,
    set: Vec<(&'static str, Value)>,
    remove: Vec<&'static str>,
}

fn compare(before: &Entry, now: &Entry, waited: bool, facts: &ToolFacts) -> Comparison {
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    let mut follows = now.follows.clone();
    for field in Field::ALL {
        let (was, is, declared) = (before.schema(field), now.schema(field), facts.declared(field));
        let repeats = is.is_some() && declared == Some(is);
        if !follows.contains(&field) {
            // Only when it is new: a user who removes the mark wants an override.
            if repeats && was != is {
                follows.insert(field);
            }
            continue;
        }
        let by_hand = before.follows.contains(&field) && was != is && !repeats;
        match (is, declared) {
            (None, _) => drop(follows.remove(&field)),
            _ if by_hand => drop(follows.remove(&field)),
            (Some(_), Some(Some(declared))) if !repeats => set.push((field.key(), declared.clone())),
            (Some(_), Some(None)) => {
                follows.remove(&field);
                remove.push(field.key());
            }
            _ => {}
        }
    }
    let gone = |field: Field, remove: &[&str]| follows.contains(&field) || remove.contains(&field.key());
    let in_file = now.output_schema.as_ref().filter(|_| !gone(Field::Output, &remove));
    let effective = facts.effective.as_ref();
    let edited = waited || in_file != before.overriding(Field::Output);
    let verdict = match in_file {
        _ if in_file == effective => Verdict::Agreed,
        Some(_) if edited && !facts.exists => Verdict::Waits,
        _ if edited => Verdict::Decided(in_file.cloned()),
        _ => {
            follows.remove(&Field::Output);
            let key = Field::Output.key();
            set.retain(|(set, _)| *set != key);
            remove.retain(|removed| *removed != key);
            match effective {
                Some(effective) => set.push((key, effective.clone())),
                None => remove.push(key),
            }
            Verdict::Agreed
        }
    };
    if follows != now.follows {
        match follows.is_empty() {
            true => remove.push(FOLLOWS),
            false => set.push((FOLLOWS, follows.iter().map(|field| Value::from(field.key())).collect())),
        }
    }
    Comparison { verdict, set, remove }
}

/// Members to set and to remove in the entry of one tool.
pub(crate) type EntryEdit = (ToolId, Vec<(&'static str, Value)>, Vec<&'static str>);

/// Applies edits of entries to a document.
pub(crate) fn edited(document: Document, edits: Vec<EntryEdit>) -> Result<Document, Problem> {
    if edits.is_empty() {
        return Ok(document);
    }
    let (mark, body) = split_bom(document.text());
    let mut text = body.to_owned();
    // New entries are inserted server by server, so that the text is not parsed again for each of many tools.
    let mut new: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for (tool, set, remove) in edits {
        let (server, name) = (tool.server(), tool.tool());
        if document.overrides().entry(server, name).is_none() {
            let members: Map<String, Value> =
                set.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            if !members.is_empty() {
                new.entry(server.to_owned()).or_default().push((name.to_owned(), members.into()));
            }
            continue;
        }
        if !set.is_empty() {
            text = edit::set(&text, &["servers", server, "tools", name], set)?;
        }
        for key in remove {
            text = edit::remove(&text, &["servers", server, "tools", name, key], 1)?;
        }
    }
    for (server, entries) in new {
        let members = entries.iter().map(|(name, entry)| (name.as_str(), entry.clone())).collect();
        text = edit::set(&text, &["servers", &server, "tools"], members)?;
    }
    Document::parse(format!("{mark}{text}"))
}

//! What follows when the file and the decisions differ.
//!
//! Three sides: what both agreed on last, what the file says now, and what is in force now. An entry that differs from
//! what was agreed was edited by hand, so the file is right and something is decided; where only what is in force
//! differs, a decision was taken that the file does not know of, so its text is edited. Both at once is an edit by
//! hand: it is what somebody did while seeing the file. Owns: that judgement. Refuses to know: how decisions are
//! taken, and where anything is kept.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::ToolId;
use serde_json::{Map, Value};

use crate::document::{Document, split};
use crate::edit;
use crate::entry::{Entry, Field, Overrides};
use crate::problem::Problem;
use crate::read::FOLLOWS;

/// What is known of a tool besides the file.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Whether there is such a tool, as far as anybody can tell.
    pub exists: bool,
    /// The schema in force by a decision.
    pub held: Option<Value>,
    /// The schemas its upstream declares, once it was listed.
    pub declared: Option<[Option<Value>; 2]>,
}

/// What the file decides about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The tool.
    pub tool: ToolId,
    /// The schema that is to be in force; none for what the upstream declares.
    pub schema: Option<Value>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Reconciled {
    /// Decisions of the file.
    pub decisions: Vec<Decision>,
    /// The file as it is to be.
    pub document: Document,
    /// Tools whose entries wait until there is such a tool.
    pub pending: BTreeSet<ToolId>,
}

/// What is to be done, or why it cannot be.
pub type Outcome = Result<Reconciled, Problem>;

impl Known {
    fn declared(&self, field: Field) -> Option<Option<&Value>> {
        self.declared.as_ref().map(|declared| declared[field as usize].as_ref())
    }
}

/// Compares what was `agreed` with the file and with what is known of each tool. `pending` are tools whose entries
/// waited; `held` are those a version is in force of.
pub fn reconcile(
    agreed: &Overrides,
    pending: &BTreeSet<ToolId>,
    document: Document,
    held: impl IntoIterator<Item = ToolId>,
    known: impl Fn(&ToolId) -> Known,
) -> Outcome {
    let mut tools: BTreeSet<ToolId> = held.into_iter().collect();
    tools.extend(agreed.tools().chain(document.says().tools()));
    let (mut decisions, mut waiting, mut edits) = (Vec::new(), BTreeSet::new(), Vec::new());
    for tool in tools {
        let nothing = Entry::default();
        let entry = |of: &'_ Overrides| of.entry(tool.server(), tool.tool()).cloned();
        let before = entry(agreed).unwrap_or_else(|| nothing.clone());
        let now = entry(document.says()).unwrap_or(nothing);
        let one = compare(&before, &now, pending.contains(&tool), &known(&tool));
        match one.verdict {
            Verdict::Agreed => {}
            Verdict::Waits => drop(waiting.insert(tool.clone())),
            Verdict::Decided(schema) => decisions.push(Decision { tool: tool.clone(), schema }),
        }
        if !one.set.is_empty() || !one.remove.is_empty() {
            edits.push((tool, one.set, one.remove));
        }
    }
    Ok(Reconciled { decisions, document: edited(document, edits)?, pending: waiting })
}

/// Who is right about a tool's output.
enum Verdict {
    Agreed,
    Waits,
    Decided(Option<Value>),
}

struct Compared {
    verdict: Verdict,
    set: Vec<(&'static str, Value)>,
    remove: Vec<&'static str>,
}

fn compare(before: &Entry, now: &Entry, waited: bool, known: &Known) -> Compared {
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    let mut follows = now.follows.clone();
    for field in Field::ALL {
        let (was, is, declared) = (before.schema(field), now.schema(field), known.declared(field));
        let repeats = is.is_some() && declared == Some(is);
        if !follows.contains(&field) {
            // Only when it is new: whoever takes the mark away means it.
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
    let says = now.output_schema.as_ref().filter(|_| !gone(Field::Output, &remove));
    let held = known.held.as_ref();
    let edited = waited || says != before.overriding(Field::Output);
    let verdict = match says {
        _ if says == held => Verdict::Agreed,
        Some(_) if edited && !known.exists => Verdict::Waits,
        _ if edited => Verdict::Decided(says.cloned()),
        _ => {
            follows.remove(&Field::Output);
            let key = Field::Output.key();
            set.retain(|(set, _)| *set != key);
            remove.retain(|removed| *removed != key);
            match held {
                Some(held) => set.push((key, held.clone())),
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
    Compared { verdict, set, remove }
}

/// Members to set and to remove in one tool's entry.
pub(crate) type Edit = (ToolId, Vec<(&'static str, Value)>, Vec<&'static str>);

/// The document with entries changed.
pub(crate) fn edited(document: Document, edits: Vec<Edit>) -> Result<Document, Problem> {
    if edits.is_empty() {
        return Ok(document);
    }
    let (mark, body) = split(document.text());
    let mut text = body.to_owned();
    // Entries that are not there yet come in by server: a text is not read once for each of a thousand tools.
    let mut new: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for (tool, set, remove) in edits {
        let (server, name) = (tool.server(), tool.tool());
        if document.says().entry(server, name).is_none() {
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

//! Exporting projects and importing them again, to equal bytes.
//!
//! An export has two kinds of records: one for each pursuit, and one aggregate for each project, which also keeps its
//! conversations and notes. The members of a pursuit that follow from its answers (`data_structure`, `completeness`,
//! `budget_used`, `current_state`) are for readers; an import computes them again and rejects a record that says
//! something else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::budget;
use crate::event::{Event, What};
use crate::history::{challenges, problem_type};
use crate::limits::quoted;
use crate::pursuit::Pursuit;
use crate::record::PursuitState;
use crate::state::{Conversation, Interviews, Project};

/// Version of the form.
const FORM: u32 = 1;
/// Name of the form.
const FORMAT: &str = "schemascope-interviews";

/// The text of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "an object")]
struct Document {
    format: String,
    form: u32,
    pursuits: Vec<PursuitRecord>,
    aggregates: Vec<AggregateRecord>,
}

/// The record of a pursuit. First the members that a reader needs, then everything else.
#[derive(Debug, Serialize, Deserialize)]
struct PursuitRecord {
    pursuit_id: String,
    project_id: String,
    conversation_id: String,
    ds_id: String,
    started_at: u64,
    budget_allocated: f64,
    budget_used: f64,
    current_state: PursuitState,
    data_structure: Value,
    completeness: f64,
    record: Pursuit,
}

/// The record of a project.
#[derive(Debug, Serialize, Deserialize)]
struct AggregateRecord {
    project_id: String,
    scr_version: usize,
    completed_ds: Map<String, Value>,
    scheduling_challenges: Vec<String>,
    problem_type: Option<String>,
    /// The project with its conversations, without their pursuits.
    project: Project,
}

/// Exports projects: all of them if none is named. Fails if one does not exist.
pub fn export(interviews: &Interviews, project_ids: &[String]) -> Result<String, String> {
    let mut document =
        Document { format: FORMAT.to_owned(), form: FORM, pursuits: Vec::new(), aggregates: Vec::new() };
    for project_id in project_ids {
        if !interviews.projects.contains_key(project_id) {
            return Err(format!("there is no project {}", quoted(project_id)));
        }
    }
    for project in interviews.projects.values() {
        if !project_ids.is_empty() && !project_ids.contains(&project.project_id) {
            continue;
        }
        for conversation in &project.conversations {
            for pursuit in &conversation.pursuits {
                document.pursuits.push(pursuit_record(project, conversation, pursuit));
            }
        }
        document.aggregates.push(aggregate_record(project));
    }
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

fn pursuit_record(project: &Project, conversation: &Conversation, pursuit: &Pursuit) -> PursuitRecord {
    let run = pursuit.run();
    PursuitRecord {
        pursuit_id: run.map(|record| record.run.pursuit_id.clone()).unwrap_or_default(),
        project_id: project.project_id.clone(),
        conversation_id: conversation.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        started_at: run.map_or(0, |record| record.started_at),
        budget_allocated: budget::number(pursuit.budget()),
        budget_used: budget::number(pursuit.used()),
        current_state: pursuit.state(),
        data_structure: pursuit.aggregate().clone(),
        completeness: budget::number(pursuit.completeness()),
        record: pursuit.clone(),
    }
}

fn aggregate_record(project: &Project) -> AggregateRecord {
    let mut completed = Map::new();
    let mut changes = 0;
    let mut bare = project.clone();
    for conversation in &mut bare.conversations {
        conversation.pursuits.clear();
    }
    for conversation in &project.conversations {
        for pursuit in &conversation.pursuits {
            changes += pursuit.changes.len();
            let ended = pursuit.run().and_then(|record| record.ended.as_ref());
            if let Some(ended) = ended.filter(|ended| ended.state == PursuitState::Complete) {
                let entry = json!({
                    "data_structure": pursuit.aggregate(),
                    "completed_at": ended.at,
                    "version": pursuit.changes.len(),
                });
                completed.insert(pursuit.ds_id.clone(), entry);
            }
        }
    }
    AggregateRecord {
        project_id: project.project_id.clone(),
        scr_version: changes,
        completed_ds: completed,
        scheduling_challenges: project.conversations.iter().flat_map(challenges).collect(),
        problem_type: project.conversations.iter().rev().find_map(problem_type),
        project: bare,
    }
}

/// Reads an export. Gives the events that add its projects. A project that exists already and is the same gives no
/// event; one that exists and differs is an error.
pub fn import(interviews: &Interviews, text: &str, actor: &str, now: u64) -> Result<Vec<Event>, String> {
    if text.trim().is_empty() {
        return Err("the export is empty".to_owned());
    }
    let document: Document = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        format!("the export cannot be read: line {}, column {}: {error}", error.line(), error.column())
    })?;
    if document.format != FORMAT || document.form != FORM {
        let found = quoted(&document.format);
        return Err(format!(
            "the export has the form {found} {}; {FORMAT:?} {FORM} is expected",
            document.form
        ));
    }
    let mut projects: Vec<Project> = document.aggregates.into_iter().map(|record| record.project).collect();
    for record in document.pursuits {
        let pursuit = checked(&record)?;
        let conversation = projects
            .iter_mut()
            .filter(|project| project.project_id == record.project_id)
            .flat_map(|project| project.conversations.iter_mut())
            .find(|conversation| conversation.conversation_id == record.conversation_id);
        let Some(conversation) = conversation else {
            return Err(format!(
                "the pursuit {:?} belongs to a conversation that is missing",
                record.pursuit_id
            ));
        };
        if conversation.pursuit(&pursuit.ds_id).is_some() {
            return Err(format!("{:?} is duplicated in {:?}", pursuit.ds_id, record.conversation_id));
        }
        conversation.pursuits.push(pursuit);
    }
    let mut events = Vec::new();
    for project in projects {
        match interviews.projects.get(&project.project_id) {
            Some(known) if *known == project => {}
            Some(_) => {
                return Err(format!(
                    "the project {:?} exists and differs from the export; delete it first",
                    project.project_id
                ));
            }
            None => {
                let what = What::ProjectImported { project: Box::new(project) };
                events.push(Event { at: now, actor: actor.to_owned(), what });
            }
        }
    }
    Ok(events)
}

/// Folds the answers of a record again, and compares the outcome with what the record says.
fn checked(record: &PursuitRecord) -> Result<Pursuit, String> {
    let mut pursuit = record.record.clone();
    pursuit.rebuild();
    let wrong = |what: &str| {
        format!("{what} of the pursuit {:?} does not follow from its answers", record.pursuit_id)
    };
    if pursuit.runs.is_empty() || pursuit.ds_id != record.ds_id {
        return Err(format!("the record of the pursuit {:?} is incomplete", record.pursuit_id));
    }
    if *pursuit.aggregate() != record.data_structure {
        return Err(wrong("the data_structure"));
    }
    if pursuit.state() != record.current_state {
        return Err(wrong("the current_state"));
    }
    let is_same = |one: u32, other: f64| (budget::number(one) - other).abs() < 1e-9;
    if !is_same(pursuit.completeness(), record.completeness) || !is_same(pursuit.used(), record.budget_used) {
        return Err(wrong("the completeness or budget_used"));
    }
    Ok(pursuit)
}

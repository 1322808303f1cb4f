//! The conversations and the library, kept up to date.

use schemascope_api::{ConversationRow, InterviewList, ListInterviews, PursuitRow};

use crate::app::App;
use crate::cells::Memo;
use crate::loaded::Loaded;

/// Shortest time between two updates, in milliseconds.
pub const UPDATE_INTERVAL_MS: i32 = 1_000;

/// A conversation as the list shows it.
#[derive(Clone, PartialEq)]
pub struct Line {
    pub project_id: String,
    pub project_name: String,
    pub conversation_id: String,
    /// Its number within the project, if that has several.
    pub number: Option<usize>,
    /// Whether what is recommended next starts by itself.
    pub auto: bool,
    /// Pursuits in the order in which they began.
    pub pursuits: Vec<Pursuit>,
}

/// The pursuit of a Discovery Schema.
#[derive(Clone, PartialEq)]
pub struct Pursuit {
    pub ds_id: String,
    pub state: String,
    pub completeness: f64,
    pub budget_used: f64,
    pub budget: f64,
    pub conflicts: usize,
    pub is_current: bool,
}

/// The library of Discovery Schemas.
#[derive(Clone, PartialEq)]
pub struct Library {
    /// Id, name, path, and whether it is part of Schemascope.
    pub schemas: Vec<(String, String, String, bool)>,
    /// Path, line and reason of files that cannot be used.
    pub unusable: Vec<(String, usize, String)>,
    /// Folder for files of the user.
    pub folder: String,
}

impl Line {
    fn new(row: &ConversationRow, all: &[ConversationRow]) -> Self {
        let of_project = all.iter().filter(|other| other.project_id == row.project_id);
        let ids: Vec<&str> = of_project.map(|other| other.conversation_id.as_str()).collect();
        let at = ids.iter().position(|id| *id == row.conversation_id);
        Self {
            project_id: row.project_id.clone(),
            project_name: row.project_name.clone(),
            conversation_id: row.conversation_id.clone(),
            number: at.map(|at| at + 1).filter(|_| ids.len() > 1),
            auto: row.auto,
            pursuits: row.pursuits.iter().map(Pursuit::new).collect(),
        }
    }

    /// The pursuit that is worked on.
    pub fn working(&self) -> Option<&Pursuit> {
        self.pursuits.iter().find(|pursuit| pursuit.is_current)
    }

    /// The pursuit that is worked on, else the last one.
    pub fn current(&self) -> Option<&Pursuit> {
        self.working().or_else(|| self.pursuits.last())
    }

    /// Number of conflicts that no person has settled.
    pub fn conflicts(&self) -> usize {
        self.pursuits.iter().map(|pursuit| pursuit.conflicts).sum()
    }
}

impl Pursuit {
    fn new(row: &PursuitRow) -> Self {
        Self {
            ds_id: row.ds_id.clone(),
            state: row.state.clone(),
            completeness: row.completeness,
            budget_used: row.budget_used,
            budget: row.budget,
            conflicts: row.conflicts,
            is_current: row.current,
        }
    }
}

/// The list, as the engine last sent it.
#[derive(Clone, Copy)]
pub struct Known(Loaded<InterviewList>);

/// Number of calls: agents conduct interviews by calls.
pub fn calls(app: App) -> Memo<u64> {
    Memo::new(move || app.live.pulse.with(|pulse| pulse.call_count))
}

impl Known {
    /// Loads the list, also after calls.
    pub fn follow() -> Self {
        let calls = calls(App::get());
        Self(Loaded::follow(|| ListInterviews {}, UPDATE_INTERVAL_MS, move || calls.with(|_| ())))
    }

    /// The conversations, by project.
    pub fn lines(self) -> Memo<Option<Vec<Line>>> {
        self.0.part(|list| {
            let all = &list.conversations;
            all.iter().map(|row| Line::new(row, all)).collect()
        })
    }

    /// The library.
    pub fn library(self) -> Memo<Option<Library>> {
        self.0.part(|list| {
            let schemas = list.library.iter();
            let unusable = list.unusable.iter();
            Library {
                schemas: schemas
                    .map(|row| (row.ds_id.clone(), row.name.clone(), row.path.clone(), row.own))
                    .collect(),
                unusable: unusable.map(|row| (row.path.clone(), row.line, row.reason.clone())).collect(),
                folder: list.folder.clone(),
            }
        })
    }

    /// Why the list cannot be loaded.
    pub fn failure(self) -> Memo<Option<String>> {
        self.0.failure()
    }
}

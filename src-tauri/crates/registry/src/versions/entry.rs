//! Entries of the audit log and their JSON form, which later programs must be able to read.

use std::fmt;

use schemascope_model::{ActorKind, CallId, Ending, Evidence, Quality, Timestamp, ToolId, VersionOrigin};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::drift::DriftEvent;

/// Longest reason in bytes.
pub const MAX_REASON: usize = 1_000;

/// Something that happened to a tool's versions, by whom and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its id, made as ids of calls are: time-ordered, and it tells the machine.
    pub id: CallId,
    /// When.
    pub at: Timestamp,
    /// The tool.
    pub tool_id: ToolId,
    /// By whom.
    pub actor: Actor,
    /// Why, in the actor's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
    /// Observations of the tool at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation_count: Option<u64>,
    /// Quality of what was inferred at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// What.
    pub event: AuditEvent,
}

/// Who did something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// What kind of one.
    pub kind: ActorKind,
    /// Their name, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
}

/// What happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditEvent {
    /// A version was cut.
    Cut(Box<Cut>),
    /// A version was promoted.
    Promote {
        /// Which.
        version: u32,
    },
    /// A version stays in effect whatever is promoted later.
    Pin {
        /// Which.
        version: u32,
        /// Whether results that break it become errors.
        enforced: bool,
    },
    /// The pin was taken away.
    Unpin {},
    /// A version is not wanted.
    Reject {
        /// Which.
        version: u32,
    },
    /// The version in effect was taken back, and its pin with it.
    Rollback {
        /// The version promoted instead; none for no version at all.
        to: Option<u32>,
    },
    /// A decision was undone: what was decided is as it was before it.
    Undo {
        /// Which.
        of: CallId,
    },
    /// Results in a row were text that does not fit the schema; it is not advertised for now.
    Suspend {},
    /// A result fits or has structure; the schema is advertised again.
    Restore {},
    /// How the tool is shown to clients was changed in the file of overrides, which holds it; the reason says
    /// what. The tool `*` stands for all of its server's.
    Override {},
    /// A command-line tool was added to or removed from those that are served, or an agent's request for one was
    /// decided. The tool `*` stands for all tools of the alias.
    CommandLine {
        /// What was done.
        change: CommandLineChange,
    },
    /// An interview was deleted for good: a project, or one of its conversations. The tool is `schemascope__*`.
    DeleteInterview {
        /// Id of the project.
        project_id: Box<str>,
        /// Id of the conversation; none for the whole project.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation_id: Option<Box<str>>,
    },
    /// Descriptions that an interview proposed were accepted, and clients get them; rejected; or opened again.
    Describe {
        /// Whether they are accepted; none if they are open again.
        accepted: Option<bool>,
    },
    /// Results whose text begins so are failures, or are not.
    FailingText {
        /// How the text begins.
        starts: Box<str>,
        /// Whether they are.
        fails: bool,
    },
    /// Results from this time on are learned from, and no others.
    LearnSince {
        /// The time; none for all results.
        since: Option<Timestamp>,
    },
    /// Results are not what they were.
    Drift(Box<DriftEvent>),
    /// A person acknowledged a drift.
    Acknowledge {
        /// Which.
        drift: u64,
    },
    /// An acknowledgement was taken back.
    Unacknowledge {
        /// Which drift.
        drift: u64,
    },
    /// A drift is over.
    Resolve {
        /// Which.
        drift: u64,
        /// How.
        ending: Ending,
    },
}

/// What was decided about a command-line tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandLineChange {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// An agent's request for it was approved.
    Approved,
    /// An agent's request for it was rejected.
    Rejected,
}

/// A version as it was cut.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cut {
    /// Its number.
    pub version: u32,
    /// Where it comes from.
    pub origin: VersionOrigin,
    /// JSON Schema 2020-12. As text: inside an entry it could nest deeper than readers take.
    pub schema: Box<RawValue>,
    /// What was known at the time.
    pub evidence: Evidence,
}

impl Actor {
    /// Somebody at a front.
    pub fn person(name: Option<Box<str>>) -> Self {
        Self { kind: ActorKind::Person, name }
    }

    /// The file of overrides, edited by a user.
    pub fn file() -> Self {
        Self { kind: ActorKind::File, name: None }
    }

    /// A rule.
    pub fn policy() -> Self {
        Self { kind: ActorKind::Policy, name: None }
    }
}

impl AuditEvent {
    /// Whether it is a decision that can be undone; cuts and drifts are findings, that a drift was seen
    /// stays true, what suspends a schema is undone by results, and what the file says is undone there.
    pub fn is_decision(&self) -> bool {
        match self {
            Self::Cut(_) | Self::Undo { .. } | Self::Suspend {} | Self::Restore {} => false,
            Self::Drift(_) | Self::Acknowledge { .. } | Self::Unacknowledge { .. } => false,
            Self::Resolve { .. } | Self::Override {} | Self::CommandLine { .. } => false,
            Self::DeleteInterview { .. } | Self::Describe { .. } => false,
            Self::Promote { .. } | Self::Pin { .. } | Self::Unpin {} | Self::Reject { .. } => true,
            Self::Rollback { .. } | Self::FailingText { .. } | Self::LearnSince { .. } => true,
        }
    }

    /// Its name, one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cut(_) => "cut",
            Self::Promote { .. } => "promote",
            Self::Pin { .. } => "pin",
            Self::Unpin {} => "unpin",
            Self::Reject { .. } => "reject",
            Self::Rollback { .. } => "rollback",
            Self::Undo { .. } => "undo",
            Self::Suspend {} => "suspend",
            Self::Restore {} => "restore",
            Self::Override {} => "override",
            Self::CommandLine { change } => match change {
                CommandLineChange::Added => "cli_added",
                CommandLineChange::Removed => "cli_removed",
                CommandLineChange::Approved => "cli_approved",
                CommandLineChange::Rejected => "cli_rejected",
            },
            Self::DeleteInterview { .. } => "delete_interview",
            Self::Describe { accepted: Some(true) } => "descriptions_accepted",
            Self::Describe { accepted: Some(false) } => "descriptions_rejected",
            Self::Describe { accepted: None } => "descriptions_open_again",
            Self::FailingText { fails: true, .. } => "count_failures",
            Self::FailingText { fails: false, .. } => "count_results",
            Self::LearnSince { since: Some(_) } => "learn_since",
            Self::LearnSince { since: None } => "learn_all",
            Self::Drift(_) => "drift",
            Self::Acknowledge { .. } => "acknowledge",
            Self::Unacknowledge { .. } => "unacknowledge",
            Self::Resolve { .. } => "resolve",
        }
    }

    /// The version it is about, where it names one.
    pub fn version(&self) -> Option<u32> {
        match self {
            Self::Cut(cut) => Some(cut.version),
            Self::Promote { version } | Self::Pin { version, .. } | Self::Reject { version } => {
                Some(*version)
            }
            Self::Rollback { to } => *to,
            Self::Unpin {} | Self::Undo { .. } | Self::Suspend {} | Self::Restore {} => None,
            Self::Drift(_) | Self::Acknowledge { .. } | Self::Unacknowledge { .. } => None,
            Self::Resolve { .. } | Self::Override {} | Self::CommandLine { .. } => None,
            Self::DeleteInterview { .. } | Self::Describe { .. } => None,
            Self::FailingText { .. } | Self::LearnSince { .. } => None,
        }
    }

    /// The number of the drift it is about.
    pub fn drift(&self) -> Option<u64> {
        match self {
            Self::Drift(event) => Some(event.id),
            Self::Acknowledge { drift } | Self::Unacknowledge { drift } => Some(*drift),
            Self::Resolve { drift, .. } => Some(*drift),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => f.pad(name),
            None => self.kind.fmt(f),
        }
    }
}

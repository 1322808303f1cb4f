//! The one list of what needs the user's attention, from what every front knows.

use schemascope_model::{Timestamp, UpstreamState};
use serde::{Deserialize, Serialize};

use crate::{CliRequest, DescriptionProposal, FitRow, RecorderReport, ServerRow, ToolRow};

/// A problem, or a decision to take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Kind of problem.
    pub kind: NeedKind,
    /// Whether something does not work, instead of waiting for a decision.
    pub is_failure: bool,
    /// File, server or tool; a short title for the others.
    pub subject: String,
    /// Description, one or two sentences.
    pub text: String,
    /// Time of its beginning, if that is known.
    pub since: Option<Timestamp>,
    /// Number of calls, drifts or versions it is about.
    pub count: Option<u64>,
    /// Page that helps.
    pub place: Place,
}

/// Kind of problem, in order of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// Calls are not recorded, or late.
    Recording,
    /// The configuration cannot be used.
    Config,
    /// A server failed.
    Server,
    /// At least half of a tool's newest calls failed.
    Failing,
    /// The overrides file has problems.
    Overrides,
    /// Results do not match the schema that the server declares, or the one that is in effect.
    Schema,
    /// A schema is not advertised, because results in a row were text that does not fit it.
    Suspended,
    /// Results changed.
    Drift,
    /// Results that are text may be failures.
    Texts,
    /// An agent asks for a command-line tool.
    Request,
    /// An interview proposes descriptions of fields.
    Descriptions,
    /// A version waits for a decision.
    Candidate,
    /// The disk has little space.
    Disk,
    /// The index is behind the journal.
    Index,
    /// Something was repaired at the last start.
    Repaired,
}

impl NeedKind {
    /// Returns the word shown for the kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Config => "config",
            Self::Server => "server",
            Self::Failing => "failing",
            Self::Overrides => "overrides",
            Self::Schema => "schema",
            Self::Suspended => "paused",
            Self::Drift => "drift",
            Self::Texts => "texts",
            Self::Request => "request",
            Self::Descriptions => "fields",
            Self::Candidate => "version",
            Self::Disk => "disk",
            Self::Index => "index",
            Self::Repaired => "repaired",
        }
    }
}

/// Page that helps with a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// None.
    Nowhere,
    /// All servers.
    Servers,
    /// One server, by name.
    Server(String),
    /// One tool, by id.
    Tool(String),
    /// The failed calls of a tool, by its id.
    FailedCalls(String),
    /// The calls of a tool, by its id.
    Calls(String),
    /// A tool's versions and drift, by its id.
    Review(String),
    /// Requests for command-line tools.
    Requests,
    /// Descriptions of fields that interviews propose.
    Proposals,
}

/// What is known of the engine as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// Path of the configuration file, and why it cannot be used.
    pub config: (&'a str, Option<&'a str>),
    /// Path of the overrides file, and its problems.
    pub overrides: (&'a str, &'a [String]),
    /// Repairs of the last start.
    pub recovery: &'a [String],
    /// Requests for command-line tools that await a decision.
    pub requests: &'a [CliRequest],
    /// Descriptions of fields that no one decided about.
    pub proposals: &'a [DescriptionProposal],
    /// State of the recorder.
    pub recorder: &'a RecorderReport,
}

/// Calls waiting to be journaled from which on the recorder is behind.
const BEHIND: u64 = 500;

/// Lists everything that needs attention: one need of each kind, the most urgent first, then the others.
pub fn attention<'a>(
    situation: Situation<'a>,
    servers: impl IntoIterator<Item = &'a ServerRow>,
    tools: impl IntoIterator<Item = &'a ToolRow>,
) -> Vec<Need> {
    let mut needs = Vec::new();
    needs.extend(of_recorder(situation.recorder));
    let (config, problem) = situation.config;
    needs
        .extend(problem.map(|problem| failure(NeedKind::Config, config, problem.to_owned(), Place::Servers)));
    needs.extend(servers.into_iter().filter_map(of_server));
    let (overrides, problems) = situation.overrides;
    let of_overrides =
        |problem: &String| failure(NeedKind::Overrides, overrides, problem.clone(), Place::Servers);
    needs.extend(problems.iter().map(of_overrides));
    needs.extend(tools.into_iter().flat_map(of_tool));
    needs.extend(situation.requests.iter().map(of_request));
    needs.extend(situation.proposals.iter().map(of_proposal));
    let repaired = |note: &String| Need {
        is_failure: false,
        ..failure(NeedKind::Repaired, "Repaired at the last start", note.clone(), Place::Nowhere)
    };
    needs.extend(situation.recovery.iter().map(repaired));
    needs.sort_by_key(|need| need.kind);
    // Many needs of one kind hide no other kind.
    let mut kinds = Vec::new();
    let mut is_further = |need: &Need| {
        let is_known = kinds.contains(&need.kind);
        kinds.extend((!is_known).then_some(need.kind));
        is_known
    };
    let (further, mut first): (Vec<_>, Vec<_>) = needs.into_iter().partition(|need| is_further(need));
    first.extend(further);
    first
}

fn failure(kind: NeedKind, subject: &str, text: String, place: Place) -> Need {
    Need { kind, is_failure: true, subject: subject.to_owned(), text, since: None, count: None, place }
}

fn of_request(request: &CliRequest) -> Need {
    let client = request.client.as_deref().unwrap_or("An agent");
    let text = format!("{client} asks to use {}. Nothing is run before you approve it.", request.command);
    Need {
        is_failure: false,
        since: Some(request.at),
        ..failure(NeedKind::Request, &request.alias, text, Place::Requests)
    }
}

fn of_proposal(proposal: &DescriptionProposal) -> Need {
    let count = proposal.descriptions.len() as u64;
    let text = match count {
        1 => "An interview proposes a description of one field.".to_owned(),
        _ => format!("An interview proposes descriptions of {count} fields."),
    };
    Need {
        is_failure: false,
        count: Some(count),
        ..failure(NeedKind::Descriptions, &proposal.tool_id, text, Place::Proposals)
    }
}

fn of_recorder(recorder: &RecorderReport) -> Vec<Need> {
    let mut needs = Vec::new();
    if let Some(reason) = &recorder.stalled {
        let text = format!("{reason}. Calls are forwarded, but not recorded.");
        let count = Some(recorder.dropped).filter(|dropped| *dropped > 0);
        needs.push(Need { count, ..failure(NeedKind::Recording, "Recording stopped", text, Place::Nowhere) });
    } else if recorder.waiting > BEHIND {
        let text = "More calls arrive than can be written. They wait in memory.".to_owned();
        let need = failure(NeedKind::Recording, "Recording is behind", text, Place::Nowhere);
        needs.push(Need { is_failure: false, count: Some(recorder.waiting), ..need });
    }
    if let Some(free) = recorder.low_disk_bytes {
        let text = format!(
            "{} MB are free. Recording stops at 100 MB; calls are still forwarded then.",
            free / 1_000_000
        );
        let need = failure(NeedKind::Disk, "The disk is nearly full", text, Place::Nowhere);
        needs.push(Need { is_failure: false, ..need });
    }
    if recorder.index_behind {
        let text = "The index cannot be written. Calls are still recorded; restart Schemascope to see them."
            .to_owned();
        let need = failure(NeedKind::Index, "Lists are not updated", text, Place::Nowhere);
        needs.push(Need { is_failure: false, ..need });
    }
    needs
}

fn of_server(server: &ServerRow) -> Option<Need> {
    let is_failure = matches!(server.state, UpstreamState::Failed | UpstreamState::Invalid);
    let lists_no_tools = server.state == UpstreamState::Ready && server.tool_count.is_none();
    if !is_failure && !lists_no_tools {
        return None;
    }
    let name = &server.server_name;
    let reason = server.reason.clone().unwrap_or_default();
    let need = failure(NeedKind::Server, name, reason, Place::Server(name.clone()));
    Some(Need { is_failure, since: server.since, ..need })
}

fn of_tool(tool: &ToolRow) -> Vec<Need> {
    let need = |kind, since, count: u64, text: String, place: fn(String) -> Place| Need {
        kind,
        is_failure: false,
        subject: tool.tool_id.clone(),
        text,
        since,
        count: Some(count),
        place: place(tool.tool_id.clone()),
    };
    let mut needs = Vec::new();
    if tool.failing_since.is_some() {
        let text =
            format!("{} of the last {} calls failed.", tool.recent_failure_count, tool.recent_call_count);
        let count = u64::from(tool.recent_failure_count);
        // The rows of calls keep the outcome that the server gave.
        let place = if tool.text_failure_count > 0 { Place::Calls } else { Place::FailedCalls };
        needs.push(Need {
            is_failure: true,
            ..need(NeedKind::Failing, tool.failing_since, count, text, place)
        });
    }
    if tool.violated {
        let text = match tool.declared_fit {
            Some(FitRow { fits, violates }) => format!(
                "{violates} of {} results break the schema that its server declares.",
                fits + violates
            ),
            None => "Results break the schema that its server declares.".to_owned(),
        };
        needs.push(Need { count: None, ..need(NeedKind::Schema, tool.violated_since, 0, text, Place::Tool) });
    }
    // Where it is drift as well, that says more.
    if let (Some(version), Some(FitRow { fits, violates }), 0) =
        (tool.effective_version, &tool.effective_fit, tool.drift_count)
    {
        let text = format!(
            "{violates} of {} results do not match version {version}, which is in effect.",
            fits + violates
        );
        needs.push(Need { count: None, ..need(NeedKind::Schema, None, 0, text, Place::Review) });
    }
    if tool.suspended {
        let text = "Its schema is not advertised at the moment, because results had neither structured content nor text that fits it.";
        needs.push(Need { count: None, ..need(NeedKind::Suspended, None, 0, text.to_owned(), Place::Tool) });
    }
    if tool.drift_waiting > 0 {
        let first = tool.drift_text.clone().unwrap_or_else(|| "its results changed".to_owned());
        let text = match tool.drift_waiting {
            1 => format!("{first}."),
            n => format!("{first}, and {} more changed.", n - 1),
        };
        needs.push(need(NeedKind::Drift, tool.drift_since, tool.drift_waiting.into(), text, Place::Review));
    }
    if tool.possible_failures > 0 {
        let text = "Results that say they succeeded begin like errors.".to_owned();
        needs.push(need(NeedKind::Texts, None, tool.possible_failures, text, Place::Tool));
    }
    if let Some(version) = tool.candidate_version {
        let text = format!("Version {version} waits for a decision.");
        needs.push(Need {
            count: None,
            ..need(NeedKind::Candidate, tool.candidate_since, 0, text, Place::Review)
        });
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder() -> RecorderReport {
        RecorderReport::default()
    }

    fn kinds(recorder: &RecorderReport, servers: &[ServerRow], tools: &[ToolRow]) -> Vec<NeedKind> {
        let situation = Situation {
            config: ("mcp.json", None),
            overrides: ("o.json", &[]),
            recovery: &[],
            requests: &[],
            proposals: &[],
            recorder,
        };
        attention(situation, servers, tools).into_iter().map(|need| need.kind).collect()
    }

    fn tool(id: &str) -> ToolRow {
        let row = serde_json::json!({
            "tool_id": id, "server_name": "shop", "tool_name": "get_order", "source": "inferred",
            "quality": "high", "violated": false, "observation_count": 100, "call_count": 136, "failure_count": 36,
            "mean_consistency": 1.0, "effective_version": null, "last_observed": null, "last_called": null,
            "listed": true,
        });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn tool_that_fails_every_call_needs_attention() {
        let failing = ToolRow {
            recent_call_count: 20,
            recent_failure_count: 20,
            failing_since: Some(Timestamp::from_millis(5)),
            ..tool("shop__get_order")
        };
        assert_eq!(kinds(&recorder(), &[], &[failing.clone(), tool("shop__b")]), [NeedKind::Failing]);
        let situation = Situation {
            config: ("", None),
            overrides: ("", &[]),
            recovery: &[],
            requests: &[],
            proposals: &[],
            recorder: &recorder(),
        };
        let needs = attention(situation, &[], std::slice::from_ref(&failing));
        assert_eq!(needs[0].text, "20 of the last 20 calls failed.");
        assert_eq!((needs[0].since, needs[0].count), (Some(Timestamp::from_millis(5)), Some(20)));
        let place = |tool: &ToolRow| of_tool(tool).remove(0).place;
        assert_eq!(place(&failing), Place::FailedCalls("shop__get_order".into()));
        let by_text = ToolRow { text_failure_count: 20, ..failing };
        assert_eq!(place(&by_text), Place::Calls("shop__get_order".into()));
    }

    #[test]
    fn needs_say_what_is_wrong() {
        let tool = ToolRow {
            violated: true,
            declared_fit: Some(FitRow { fits: 23, violates: 13 }),
            drift_waiting: 3,
            drift_text: Some("`customer` changed from a string to an object".into()),
            ..tool("shop__get_order")
        };
        let texts: Vec<String> = of_tool(&tool).into_iter().map(|need| need.text).collect();
        assert_eq!(
            texts,
            [
                "13 of 36 results break the schema that its server declares.",
                "`customer` changed from a string to an object, and 2 more changed.",
            ]
        );
    }

    #[test]
    fn version_that_results_do_not_match_needs_attention_unless_drift_says_so() {
        let broken = ToolRow {
            effective_version: Some(2),
            effective_fit: Some(FitRow { fits: 246, violates: 54 }),
            ..tool("shop__get_order")
        };
        let texts: Vec<String> = of_tool(&broken).into_iter().map(|need| need.text).collect();
        assert_eq!(texts, ["54 of 300 results do not match version 2, which is in effect."]);
        let drifting = ToolRow { drift_count: 1, ..broken };
        assert!(of_tool(&drifting).is_empty());
    }

    #[test]
    fn needs_are_listed_by_urgency() {
        let stopped = RecorderReport { stalled: Some("the disk is full".into()), ..recorder() };
        let changed = ToolRow { drift_waiting: 1, candidate_version: Some(2), ..tool("shop__a") };
        let broken = ToolRow { violated: true, ..tool("shop__z") };
        assert_eq!(
            kinds(&stopped, &[], &[changed, broken]),
            [NeedKind::Recording, NeedKind::Schema, NeedKind::Drift, NeedKind::Candidate]
        );
    }

    #[test]
    fn nearly_full_disk_is_told_before_recording_stops() {
        let low = RecorderReport { low_disk_bytes: Some(340_000_000), ..recorder() };
        assert_eq!(kinds(&low, &[], &[]), [NeedKind::Disk]);
        let need = of_recorder(&low).remove(0);
        assert!(!need.is_failure && need.text.starts_with("340 MB are free."), "{}", need.text);
    }

    #[test]
    fn server_that_does_not_work_needs_attention() {
        let since = Some(Timestamp::from_millis(7));
        let failed = ServerRow {
            server_name: "shop".to_owned(),
            built_in: false,
            state: UpstreamState::Failed,
            reason: Some("it ended".to_owned()),
            tool_count: None,
            pid: None,
            since,
            protocol_version: None,
            log: Vec::new(),
        };
        assert_eq!(of_server(&failed).and_then(|need| need.since), since);
        let unlisted = ServerRow { state: UpstreamState::Ready, ..failed };
        assert_eq!(of_server(&unlisted).map(|need| need.is_failure), Some(false));
        assert!(of_server(&ServerRow { tool_count: Some(0), ..unlisted }).is_none());
    }

    #[test]
    fn quiet_engine_needs_nothing() {
        assert_eq!(kinds(&recorder(), &[], &[tool("shop__a")]), []);
    }
}

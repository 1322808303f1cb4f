//! `interview`: interviews by Discovery Schemas.

mod ask;
mod library;
mod records;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use schemascope_api::{CallInterview, InterviewDecision};
use schemascope_engine::Front;
use serde_json::{Map, Value, json};

use super::verb::{Alone, verbs, with_engine};
use crate::args::{Args, person};

verbs!(Files: alone Interview);

/// Interview people by Discovery Schemas
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agent interviews a person with the tools of the group `interviews` (setting own_tools), or you \
answer here. Each answer is checked against the example and added to the aggregate; nothing that was said is lost.\n\n\
    Examples:\n  \
    schemascope interview library                what can be found out\n  \
    schemascope interview start --name Bakery    a new project\n  \
    schemascope interview ask bakery             the next question\n  \
    schemascope interview run --project bakery   all Discovery Schemas in turn\n  \
    schemascope interview show bakery            questions, answers and aggregates\n  \
    schemascope interview play \"craft beer\"    an interview with a scripted expert\n  \
    schemascope interview check mine.json        whether a file can be used"
)]
pub struct Interview {
    #[command(subcommand)]
    verb: Option<InterviewVerb>,
}

#[derive(Debug, Subcommand)]
enum InterviewVerb {
    /// List conversations with what they pursue [default]
    List,
    /// List the Discovery Schemas, and files that cannot be used
    Library,
    /// Check a Discovery Schema file; exits with 1 if it cannot be used
    Check {
        /// The file
        file: PathBuf,
    },
    /// Start a project, or a further conversation in one
    Start {
        /// Name of the new project
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Project to start a further conversation in
        #[arg(long, value_name = "PROJECT", conflicts_with = "name")]
        project: Option<String>,
        /// Discovery Schema to pursue first
        #[arg(long, value_name = "ID")]
        ds: Option<String>,
        /// Tool to find out about, for example git__git_log
        #[arg(long, value_name = "TOOL_ID")]
        tool: Option<String>,
    },
    /// Print the next question, and read the answers on a terminal
    Ask {
        #[command(flatten)]
        place: Where,
    },
    /// Go through everything that is recommended: what is complete ends, and the next starts
    #[command(
        after_help = "Answers are read from standard input, each ended by an empty line, until everything that was to be \
found out is found out, or the input ends. From then on the conversation goes on by itself: an agent that asks for the next \
question, or a person on the page Interviews, always gets one of what is recommended.\n\n\
    Examples:\n  \
    schemascope interview run --project bakery          one question after another\n  \
    schemascope interview run --project bakery --off    nothing starts by itself"
    )]
    Run {
        /// Id or name of the project
        #[arg(long, value_name = "PROJECT")]
        project: String,
        /// Id of the conversation [default: the last one]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Start nothing by itself any more
        #[arg(long)]
        off: bool,
    },
    /// Answer the open question; exits with 1 if nothing of it was understood
    Answer {
        #[command(flatten)]
        place: Where,
        /// The answer: text, a choice, a table, or JSON in the form of the example
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
    /// Print questions, answers and aggregates
    Show {
        #[command(flatten)]
        place: Where,
    },
    /// Settle a conflict: this value stays
    Settle {
        #[command(flatten)]
        place: Where,
        /// JSON pointer of the place, such as /duration/units
        path: String,
        /// The value, as JSON or text
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take back values
    Retract {
        #[command(flatten)]
        place: Where,
        /// JSON pointers
        #[arg(required = true)]
        pointers: Vec<String>,
    },
    /// Finish what is being pursued; says what is missing
    Finish {
        #[command(flatten)]
        place: Where,
        /// Abandon it if it is not complete
        #[arg(long)]
        force: bool,
    },
    /// Leave a note for the agent, which gets it once
    Note {
        #[command(flatten)]
        place: Where,
        /// The note
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
    /// List the descriptions of fields that interviews propose, or decide about one
    Descriptions {
        /// Id of the proposal to decide about
        #[arg(requires = "decision")]
        proposal: Option<String>,
        #[command(flatten)]
        decision: DescriptionDecision,
    },
    /// Have a scripted expert answer a whole interview, as an example
    Play {
        /// What the expert makes, such as "craft beer"
        product: String,
        /// How well the expert answers
        #[arg(long, default_value = "expert", value_parser = ["basic", "intermediate", "expert"])]
        level: String,
        /// Most questions
        #[arg(long, default_value_t = 400, value_name = "N")]
        max_questions: u64,
    },
    /// Print the MiniZinc model of a flow shop, from its aggregate
    #[command(
        after_help = "It reads the aggregate of process/flow-shop as JSON and prints a model that minimises the time until \
the last step ends. As the setting minizinc_hook, it runs whenever a flow shop is complete:\n\n  \
    schemascope settings minizinc_hook '[\"schemascope\", \"interview\", \"minizinc\"]'"
    )]
    Minizinc {
        /// The aggregate; - is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Number of batches that pass the steps
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=50))]
        batches: u32,
    },
    /// Print all interviews, or those of some projects, as JSON
    Export {
        /// Ids or names of projects
        projects: Vec<String>,
    },
    /// Read interviews that were exported
    Import {
        /// The file
        file: PathBuf,
    },
    /// Delete a project
    Delete {
        /// Id or name of the project
        project: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// What to do with proposed descriptions.
#[derive(Debug, clap::Args)]
#[group(id = "decision", multiple = false)]
pub struct DescriptionDecision {
    /// They become descriptions in schemas and wrappers
    #[arg(long, requires = "proposal")]
    accept: bool,
    /// They are not used
    #[arg(long, requires = "proposal")]
    reject: bool,
    /// Take the decision back
    #[arg(long, requires = "proposal")]
    undo: bool,
}

/// A conversation, and what is pursued in it.
#[derive(Debug, clap::Args)]
pub struct Where {
    /// Id or name of the project
    project: String,
    /// Id of the conversation [default: the last one]
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Id of the Discovery Schema [default: the one pursued last]
    #[arg(long, value_name = "ID")]
    ds: Option<String>,
}

impl Alone for Interview {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match &self.verb {
            Some(InterviewVerb::Check { file }) => library::check(args, file),
            Some(InterviewVerb::Minizinc { file, batches }) => library::minizinc(file, *batches),
            verb => with_engine(args, async |front| carry_out(args, verb.as_ref(), front).await).await,
        }
    }
}

async fn carry_out(args: &Args, verb: Option<&InterviewVerb>, front: &Front) -> Result<ExitCode> {
    use InterviewDecision as Decision;
    match verb {
        None | Some(InterviewVerb::List) => library::list(args, front).await,
        Some(InterviewVerb::Library) => library::library(args, front).await,
        Some(InterviewVerb::Check { file }) => library::check(args, file),
        Some(InterviewVerb::Minizinc { file, batches }) => library::minizinc(file, *batches),
        Some(InterviewVerb::Run { project, conversation, off }) => {
            let place = Where { project: project.clone(), conversation: conversation.clone(), ds: None };
            if *off {
                records::decide(args, front, &place, Decision::Auto { on: false }).await
            } else {
                ask::run(args, front, &place).await
            }
        }
        Some(InterviewVerb::Start { name, project, ds, tool }) => {
            let what = ask::Wanted { ds: ds.as_deref(), tool: tool.as_deref() };
            ask::start(args, front, name.clone(), project.as_deref(), what).await
        }
        Some(InterviewVerb::Ask { place }) => ask::ask(args, front, place).await,
        Some(InterviewVerb::Answer { place, text }) => ask::answer(args, front, place, text).await,
        Some(InterviewVerb::Show { place }) => records::show(args, front, place).await,
        Some(InterviewVerb::Settle { place, path, value }) => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str()));
            records::decide(args, front, place, Decision::Settle { path: path.clone(), value }).await
        }
        Some(InterviewVerb::Retract { place, pointers }) => {
            records::decide(args, front, place, Decision::Retract { pointers: pointers.clone() }).await
        }
        Some(InterviewVerb::Finish { place, force }) => ask::finish(args, front, place, *force).await,
        Some(InterviewVerb::Note { place, text }) => {
            records::decide(args, front, place, Decision::Note { text: text.clone() }).await
        }
        Some(InterviewVerb::Descriptions { proposal, decision }) => {
            records::descriptions(args, front, proposal.as_deref(), decision).await
        }
        Some(InterviewVerb::Play { product, level, max_questions }) => {
            ask::play(args, front, product, level, *max_questions).await
        }
        Some(InterviewVerb::Export { projects }) => records::export(front, projects).await,
        Some(InterviewVerb::Import { file }) => records::import(args, front, file).await,
        Some(InterviewVerb::Delete { project, yes }) => records::delete(front, project, *yes).await,
    }
}

/// Calls a tool of interviews.
async fn call(front: &Front, tool: &str, arguments: Map<String, Value>) -> Result<Value> {
    let command = CallInterview { tool: tool.to_owned(), arguments, person: person() };
    front.call(command).await.map_err(|error| anyhow!(in_commands(&error.to_string())))
}

/// Advice for agents, which names tools, as advice for people at a terminal.
fn in_commands(advice: &str) -> String {
    const COMMANDS: &[(&str, &str)] = &[
        ("list_available_ds", "`schemascope interview library`"),
        ("start_interview", "`schemascope interview start`"),
        ("get_next_question", "`schemascope interview ask`"),
        ("get_next_ds", "`schemascope interview ask`"),
        ("start_ds_pursuit", "`schemascope interview start --project PROJECT --ds ID`"),
        ("process_ds_answer", "`schemascope interview answer`"),
        ("create_surrogate_expert", "`schemascope interview play`"),
        ("finalize_ds", "`schemascope interview finish`"),
        ("with the project_id", "with --project"),
        ("Call ", "Use "),
        ("; call ", "; use "),
        ("pass force: true", "use --force"),
    ];
    let replaced = |text: &str| {
        COMMANDS.iter().fold(text.to_owned(), |text, (tool, command)| text.replace(tool, command))
    };
    // What is quoted is what someone wrote.
    let (mut told, mut rest) = (String::new(), advice);
    while let Some(start) = rest.find('"') {
        let mut is_escaped = false;
        let end = rest[start + 1..].find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let end = end.map_or(rest.len(), |end| start + end + 2);
        told += &replaced(&rest[..start]);
        told += &rest[start..end];
        rest = &rest[end..];
    }
    told + &replaced(rest)
}

/// The arguments that name a conversation and what is pursued in it.
async fn place(front: &Front, place: &Where) -> Result<Map<String, Value>> {
    let (project, conversation) = conversation(front, &place.project, place.conversation.as_deref()).await?;
    let mut all = Map::new();
    all.insert("project_id".to_owned(), project.into());
    all.insert("conversation_id".to_owned(), conversation.into());
    if let Some(ds) = &place.ds {
        all.insert("ds_id".to_owned(), json!(ds));
    }
    Ok(all)
}

/// Ids of a project and of one of its conversations, the last one by default.
async fn conversation(front: &Front, project: &str, wanted: Option<&str>) -> Result<(String, String)> {
    let list = front.call(schemascope_api::ListInterviews {}).await?;
    // Agents choose names, and one of them may be the id of another project.
    let ways: [&dyn Fn(&schemascope_api::ConversationRow) -> bool; 3] =
        [&|row| row.project_id == project, &|row| row.project_name == project, &|row| {
            row.project_name.eq_ignore_ascii_case(project)
        }];
    let found = |is_meant: &dyn Fn(&schemascope_api::ConversationRow) -> bool| {
        list.conversations.iter().filter(|row| is_meant(row)).collect::<Vec<_>>()
    };
    let mut rows = ways.into_iter().map(found).find(|rows| !rows.is_empty()).unwrap_or_default();
    if rows.is_empty() {
        let names = list.conversations.iter().map(|row| row.project_name.as_str());
        let near = schemascope_engine::nearest(project, names);
        let hint =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        bail!("there is no project {project:?}{hint}; `schemascope interview list` lists them");
    }
    if rows.iter().any(|row| row.project_id != rows[0].project_id) {
        bail!("{project:?} is the name of several projects; give the id, see `schemascope interview list`");
    }
    if let Some(wanted) = wanted {
        rows.retain(|row| row.conversation_id == wanted);
    }
    match rows.last() {
        Some(row) => Ok((row.project_id.clone(), row.conversation_id.clone())),
        None => bail!("the project {project:?} has no conversation {:?}", wanted.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_for_agents_names_commands() {
        for (advice, expected) in [
            (
                "there is no Discovery Schema \"x\". Call list_available_ds for all of them.",
                "there is no Discovery Schema \"x\". Use `schemascope interview library` for all of them.",
            ),
            (
                "everything in \"x\" is filled; call finalize_ds",
                "everything in \"x\" is filled; use `schemascope interview finish`",
            ),
            (
                "Ask on, or pass force: true to abandon the pursuit.",
                "Ask on, or use --force to abandon the pursuit.",
            ),
            (
                "there is no project \"Call \\\"get_next_ds\"; call start_ds_pursuit first",
                "there is no project \"Call \\\"get_next_ds\"; use `schemascope interview start --project PROJECT --ds ID` first",
            ),
        ] {
            assert_eq!(in_commands(advice), expected);
        }
    }
}

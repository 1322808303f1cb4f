//! Tools that take their time: they answer with a task where the client knows tasks. The SDK's `TaskManager` keeps
//! the tasks.

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult, ErrorData,
    InputResponses, JsonObject,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Value, json};

use crate::ask::{Asked, Asker};
use crate::content::text;
use crate::inquiries::{field, question, questions, told};

/// Work, with what it needs.
enum Work {
    /// So many seconds of doing nothing, then a label.
    Slow(u64, String),
    /// An error of the tool.
    Fails,
    /// An error of the server.
    Breaks,
    /// Questions in the middle, all at once.
    Asks(&'static [(&'static str, &'static str)]),
    /// A greeting of who answered before.
    Greets(InputResponses),
}

/// Calls such a tool; none if it is another.
///
/// # Errors
///
/// Where it needs a client that knows tasks.
pub async fn call(
    tool: &str,
    arguments: &JsonObject,
    asker: &Asker<'_>,
    tasks: &TaskManager,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let knows_tasks = asker.context.client_capabilities().is_some_and(|declared| declared.supports_tasks());
    let work = match tool {
        "greet" => return Ok(Some(text(format!("Hello, {}!", argument("name"))).into())),
        "slow_compute" => {
            let seconds = arguments.get("seconds").and_then(Value::as_u64).unwrap_or_default();
            let label = argument("label").to_owned();
            if !knows_tasks {
                return Ok(Some(slow(seconds, &label).await.into()));
            }
            Work::Slow(seconds, label)
        }
        "failing_job" => Work::Fails,
        "protocol_error_job" => Work::Breaks,
        "confirm_delete" => Work::Asks(&[("confirm", "Really delete it?")]),
        "multi_input" => Work::Asks(&[("first", "The first thing?"), ("second", "The second thing?")]),
        "test_tool_with_task" if knows_tasks => {
            let asked = questions(json!({"user_name": field("What is your name?", "name", "string")}))?;
            match asker.ask(asked, Some(&json!(tool))).await? {
                Asked::Answered(answers) => Work::Greets(answers),
                Asked::Open(open) => return Ok(Some(open.into())),
            }
        }
        "test_tool_with_task" => Work::Breaks,
        _ => return Ok(None),
    };
    if !knows_tasks {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    let options = TaskOptions::new().with_poll_interval_ms(200);
    let task = tasks.spawn(options, |context| Box::pin(work.run(context)));
    Ok(Some(CreateTaskResult::new(task).into()))
}

async fn slow(seconds: u64, label: &str) -> CallToolResult {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    text(format!("{label}: computed for {seconds} s"))
}

impl Work {
    async fn run(self, task: TaskContext) -> Result<CallToolResult, TaskExit> {
        match self {
            Self::Slow(seconds, label) => tokio::select! {
                done = slow(seconds, &label) => Ok(done),
                () = task.cancelled() => Err(TaskExit::Cancelled),
            },
            Self::Fails => {
                Ok(CallToolResult::error(vec![ContentBlock::text("The job failed, as it always does")]))
            }
            Self::Breaks => Err(ErrorData::internal_error("The server broke at this job", None).into()),
            Self::Asks(asked) => {
                let mut waiting = Vec::new();
                for (key, message) in asked {
                    let question = question(field(message, "confirm", "boolean"))?;
                    let task = task.clone();
                    waiting
                        .push(tokio::spawn(async move { (*key, task.request_input(*key, question).await) }));
                }
                let mut answers = InputResponses::new();
                for answer in waiting {
                    let (key, answer) = answer.await.map_err(|_| TaskExit::Cancelled)?;
                    answers.insert(key.to_owned(), answer?);
                }
                Ok(text(told(&answers)))
            }
            Self::Greets(answers) => Ok(text(format!("Hello, {}", told(&answers)))),
        }
    }
}

//! The hook for MiniZinc: when a Discovery Schema is complete, a program that the user chose turns its aggregate into a
//! model, and MiniZinc solves the model where it is installed.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemascope_interview::{Place, store_minizinc};
use schemascope_program::{Ended, Resources, Run, find, run};
use tokio::sync::Notify;

use super::Interviews;
use crate::background::{Service, Tasks};
use crate::config::settings::LiveSettings;
use crate::recording::events::Events;

/// Time for the hook, and for MiniZinc.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time in which MiniZinc looks for a better solution, in milliseconds; less than its whole time.
const SOLVE_MILLISECONDS: u64 = 30_000;
/// Bytes of a model, and of what was found.
const MAX_MODEL: usize = 1 << 20;
const MAX_RESULTS: usize = 64 << 10;
/// Complete pursuits that may wait for the hook.
const MAX_WAITING: usize = 64;
/// Variable with the id of the complete Discovery Schema, so that a hook can leave out those it makes no model of.
pub const DS_VARIABLE: &str = "SCHEMASCOPE_DS";
/// Who stores what the hook made.
const ACTOR: &str = "minizinc hook";

/// Pursuits that are complete, and were not given to the hook yet.
#[derive(Debug, Default)]
pub(super) struct Completed {
    waiting: Mutex<VecDeque<Place>>,
    arrived: Notify,
}

impl Completed {
    pub(super) fn add(&self, place: Place) {
        let mut waiting = self.waiting.lock();
        if waiting.len() < MAX_WAITING {
            waiting.push_back(place);
        } else {
            tracing::warn!(
                "a complete Discovery Schema gets no model, because too many others wait for the hook"
            );
        }
        drop(waiting);
        self.arrived.notify_one();
    }

    async fn next(&self) -> Place {
        loop {
            if let Some(place) = self.waiting.lock().pop_front() {
                return place;
            }
            self.arrived.notified().await;
        }
    }
}

/// Runs the hook.
pub(crate) struct MinizincHook {
    interviews: Arc<Interviews>,
    settings: Arc<LiveSettings>,
    events: Arc<Events>,
}

impl MinizincHook {
    pub(crate) fn new(
        interviews: &Arc<Interviews>,
        settings: &Arc<LiveSettings>,
        events: &Arc<Events>,
    ) -> Self {
        let (interviews, settings, events) =
            (Arc::clone(interviews), Arc::clone(settings), Arc::clone(events));
        Self { interviews, settings, events }
    }

    async fn take(&self, place: Place) {
        let hook = self.settings.now().minizinc_hook;
        let Some((program, arguments)) = hook.split_first() else { return };
        let Some((aggregate, has_model)) = self.aggregate(&place) else { return };
        let ds_id = place.ds_id.clone().unwrap_or_default();
        let input = Input { text: aggregate, variables: BTreeMap::from([(DS_VARIABLE.to_owned(), ds_id)]) };
        let (model, results) = match printed(program, arguments, input, MAX_MODEL).await {
            Ok(model) if model.trim().is_empty() => return,
            Ok(model) => {
                let results = solve(&model).await;
                (model, results)
            }
            Err(problem) if has_model => {
                tracing::warn!(%problem, "the model for MiniZinc stays as it is");
                return;
            }
            Err(problem) => (String::new(), format!("There is no model: {problem}")),
        };
        let interviews = Arc::clone(&self.interviews);
        let storing =
            move || interviews.step(ACTOR, |context| store_minizinc(context, &place, &model, &results));
        match tokio::task::spawn_blocking(storing).await {
            Ok(Ok(_)) => self.events.renewed(),
            Ok(Err(error)) => tracing::warn!(%error, "the model for MiniZinc is not stored"),
            Err(error) => tracing::error!(%error, "the model for MiniZinc is not stored"),
        }
    }

    /// The aggregate, and whether the conversation has a model already.
    fn aggregate(&self, place: &Place) -> Option<(String, bool)> {
        self.interviews.read(|state| {
            let conversation = state.projects.get(&place.project_id)?.conversation(&place.conversation_id)?;
            let aggregate = conversation.pursuit(place.ds_id.as_deref()?)?.aggregate().to_string();
            Some((aggregate, conversation.minizinc.as_ref().is_some_and(|model| !model.is_empty())))
        })
    }
}

impl Service for MinizincHook {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        tasks.spawn(async move {
            loop {
                let place = self.interviews.completed.next().await;
                self.take(place).await;
            }
        });
    }
}

/// What MiniZinc finds, or why it finds nothing.
async fn solve(model: &str) -> String {
    let limit = SOLVE_MILLISECONDS.to_string();
    let arguments = ["--solver", "gecode", "--time-limit", &limit, "-"].map(str::to_owned);
    let input = Input { text: model.to_owned(), variables: BTreeMap::new() };
    match printed("minizinc", &arguments, input, MAX_RESULTS).await {
        Ok(results) => results,
        Err(problem) => format!("It is not solved: {problem}"),
    }
}

/// What a program gets.
struct Input {
    /// Text on its standard input.
    text: String,
    variables: BTreeMap<String, String>,
}

/// What a program prints. The error is a reason for the user.
async fn printed(
    program: &str,
    arguments: &[String],
    input: Input,
    max_output: usize,
) -> Result<String, String> {
    let path = std::env::var_os("PATH");
    let found = match find(program, path.as_deref()) {
        Ok(found) => found,
        // The program itself can be named, wherever it is installed.
        Err(_) if program == "schemascope" => own_program().ok_or("the program schemascope is not found")?,
        Err(problem) => return Err(format!("{program} {problem}")),
    };
    let run_once = Run {
        program: found,
        arguments: arguments.to_vec(),
        env: input.variables,
        cwd: None,
        stdin: Some(input.text),
        timeout: TIMEOUT,
        max_output,
        resources: Resources::default(),
        confine: None,
    };
    let done =
        run(run_once, |_| {}).await.map_err(|error| format!("{program} cannot be started: {error}"))?;
    let last = done.stderr.text();
    let last = last.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match done.ended {
        Ended::Exit(0) if done.stdout.left_out() > 0 => {
            Err(format!("{program} printed more than {max_output} bytes"))
        }
        Ended::Exit(0) => Ok(done.stdout.text()),
        Ended::Exit(code) => Err(format!("{program} ended with code {code}: {last}")),
        Ended::Signal(signal) => Err(format!("{program} was ended by signal {signal}")),
        Ended::TimedOut => Err(format!("{program} took longer than {} s", TIMEOUT.as_secs())),
    }
}

/// The program that runs now, if it has the command.
fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok().filter(|path| path.file_stem() == Path::new("schemascope").file_stem())
}

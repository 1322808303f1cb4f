//! Asking the client's own model for the words of a question, or for what an answer says.
//!
//! Whatever goes wrong, the step goes on without a model: its words are help, never needed.

use std::sync::Arc;
use std::time::Duration;

use schemascope_interview::{Aid, ask_first};
use schemascope_proxy::Asker;
use serde_json::{Map, Value};

use super::Interviews;

/// How long a model may take for a reply.
const PATIENCE: Duration = Duration::from_secs(120);
/// Prompts for one step: one, and one with the problem of the first reply.
const TRIES: usize = 2;

/// What the client's model adds to the arguments of a tool. Nothing if there is no model, the tool needs none, or its
/// replies cannot be used.
pub(crate) async fn aid(
    interviews: &Arc<Interviews>,
    asker: &Asker,
    name: &str,
    arguments: &Map<String, Value>,
) -> Aid {
    if !asker.has_model() {
        return Aid::default();
    }
    // A step that is rejected says why when it is taken.
    let Ok(Some(ask)) = interviews.look(|context| ask_first(context, name, arguments)) else {
        return Aid::default();
    };
    let mut prompt = ask.prompt.clone();
    for _ in 0..TRIES {
        let user = interviews.redacted(prompt.user.clone());
        let asking = asker.ask_model(&prompt.system, &user, prompt.max_tokens);
        let reply = match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(reason)) => {
                tracing::debug!(tool = name, %reason, "the client's model was not asked");
                break;
            }
            Err(_) => {
                tracing::debug!(tool = name, "the client's model did not reply in time");
                break;
            }
        };
        match ask.read(&reply) {
            Ok(aid) => return aid,
            Err(problem) => prompt = ask.prompt.again(&problem),
        }
    }
    Aid::default()
}

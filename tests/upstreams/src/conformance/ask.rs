//! Asks the client for a person's input, its model's answer or its roots, in either era: by requests within a
//! session, or by `input_required` and a second call.

use rmcp::model::{
    ClientCapabilities, CreateMessageResult, ElicitResult, ErrorData, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, ListRootsResult, ProtocolVersion, RequestStateCodec, SealOptions,
    ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

/// What became of questions.
pub enum Asked {
    /// All are answered, by their keys.
    Answered(InputResponses),
    /// The client has to come back with answers.
    Open(InputRequiredResult),
}

/// Asks on behalf of one request.
pub struct Asker<'a> {
    /// The request.
    pub context: &'a RequestContext<RoleServer>,
    /// The answers it came with.
    pub responses: InputResponses,
    /// The state it came with, as sealed before.
    pub state: Option<String>,
    /// What seals states.
    pub codec: &'a RequestStateCodec,
    /// What states belong to; one of another purpose does not open.
    pub purpose: &'a str,
}

/// Whether a request speaks 2026-07-28 or later, where servers send no requests.
pub fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

impl Asker<'_> {
    /// Asks all of it. `state` comes back with the answers where a second call has to bring them.
    ///
    /// # Errors
    ///
    /// Where the client has not declared a capability, and what a client answers instead of a result.
    pub async fn ask(&self, questions: InputRequests, state: Option<&Value>) -> Result<Asked, ErrorData> {
        let declared = self.context.client_capabilities().unwrap_or_default();
        let modern = is_modern(self.context);
        if let Some(question) = questions.values().find(|question| !can_answer(&declared, question)) {
            let refusal = ErrorData::missing_required_client_capability(needed(question));
            // That code is of 2026-07-28.
            return Err(if modern {
                refusal
            } else {
                ErrorData::invalid_request(refusal.message, refusal.data)
            });
        }
        if modern {
            return self.ask_by_result(questions, state);
        }
        let mut answers = InputResponses::new();
        for (key, question) in questions {
            let request = match question {
                InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
                InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
                InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
                _ => return Err(ErrorData::internal_error("no such request", None)),
            };
            let answer = self.context.peer.send_request(request).await.map_err(failed)?;
            answers.insert(key, serde_json::to_value(answer).map_err(failed)?);
        }
        Ok(Asked::Answered(answers))
    }

    fn ask_by_result(&self, questions: InputRequests, state: Option<&Value>) -> Result<Asked, ErrorData> {
        let answers: InputResponses = questions
            .iter()
            .filter_map(|(key, question)| {
                let answer = self.responses.get(key)?;
                is_answer(question, answer).then(|| (key.clone(), answer.clone()))
            })
            .collect();
        if answers.len() == questions.len() {
            return Ok(Asked::Answered(answers));
        }
        let options = SealOptions::new().associated_data(self.purpose.as_bytes());
        let state = state.map(|state| self.codec.seal_json_with(state, &options)).transpose();
        Ok(Asked::Open(InputRequiredResult::new(Some(questions), state.map_err(failed)?)))
    }

    /// The state the request came with.
    ///
    /// # Errors
    ///
    /// Where it is not as it was sealed, or for something else.
    pub fn state(&self) -> Result<Option<Value>, ErrorData> {
        let Some(sealed) = &self.state else { return Ok(None) };
        let opened = self.codec.open_json_with(sealed, self.purpose.as_bytes());
        opened.map(Some).map_err(|_| ErrorData::invalid_params("requestState is not what it was", None))
    }
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Whether a client that declares this can answer the question.
pub fn can_answer(declared: &ClientCapabilities, question: &InputRequest) -> bool {
    match question {
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::Elicitation(_) => declared.elicitation.is_some(),
        InputRequest::ListRoots(_) => declared.roots.is_some(),
        _ => false,
    }
}

fn needed(question: &InputRequest) -> ClientCapabilities {
    let builder = ClientCapabilities::builder();
    match question {
        InputRequest::CreateMessage(_) => builder.enable_sampling().build(),
        InputRequest::Elicitation(_) => builder.enable_elicitation().build(),
        _ => builder.enable_roots().build(),
    }
}

/// Whether what came back can be the answer to the question.
fn is_answer(question: &InputRequest, answer: &Value) -> bool {
    let answer = answer.clone();
    match question {
        InputRequest::CreateMessage(_) => serde_json::from_value::<CreateMessageResult>(answer).is_ok(),
        InputRequest::Elicitation(_) => serde_json::from_value::<ElicitResult>(answer).is_ok(),
        InputRequest::ListRoots(_) => serde_json::from_value::<ListRootsResult>(answer).is_ok(),
        _ => false,
    }
}

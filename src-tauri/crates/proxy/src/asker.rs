//! Questions of a built-in tool to the client that calls it: to its model, or to its user.

use std::fmt;

use rmcp::model::{CustomRequest, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value, json};

/// Asks the client of a call. Without one, nothing can be asked.
#[derive(Clone, Default)]
pub struct Asker(Option<Peer<RoleServer>>);

/// What a user did with a form.
#[derive(Debug, Clone, PartialEq)]
pub enum FilledForm {
    /// Filled it in.
    Accepted(Value),
    /// Said no.
    Declined,
    /// Closed it.
    Cancelled,
}

impl Asker {
    pub(crate) fn of(peer: Peer<RoleServer>) -> Self {
        Self(Some(peer))
    }

    /// Whether the client has a model that can be asked.
    pub fn has_model(&self) -> bool {
        self.declared("sampling").is_object()
    }

    /// Whether the client can show forms to its user.
    pub fn has_forms(&self) -> bool {
        // A client that names kinds of elicitation may offer links only.
        let declared = self.declared("elicitation");
        declared.as_object().is_some_and(|kinds| kinds.is_empty() || kinds.contains_key("form"))
    }

    fn declared(&self, capability: &str) -> Value {
        let info = self.0.as_ref().and_then(Peer::peer_info);
        let info = info.and_then(|info| serde_json::to_value(info.as_ref()).ok()).unwrap_or_default();
        info["capabilities"][capability].clone()
    }

    /// Asks the client's model, and returns its text.
    ///
    /// # Errors
    /// What the client says, in words.
    pub async fn ask_model(&self, system: &str, user: &str, max_tokens: u32) -> Result<String, String> {
        let params = json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": user}}],
            "systemPrompt": system,
            "maxTokens": max_tokens,
            "includeContext": "none",
        });
        let reply = self.ask("sampling/createMessage", params).await?;
        // One block, or several.
        let content = &reply["content"];
        let blocks = content.as_array().map_or_else(|| std::slice::from_ref(content), Vec::as_slice);
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        if texts.is_empty() {
            Err("the reply of the client's model has no text".to_owned())
        } else {
            Ok(texts.concat())
        }
    }

    /// Shows a form to the client's user.
    ///
    /// # Errors
    /// What the client says, in words.
    pub async fn ask_user(&self, message: &str, form: &Value) -> Result<FilledForm, String> {
        let params = json!({"mode": "form", "message": message, "requestedSchema": form});
        let reply = self.ask("elicitation/create", params).await?;
        match reply["action"].as_str() {
            Some("accept") => Ok(FilledForm::Accepted(reply["content"].clone())),
            Some("decline") => Ok(FilledForm::Declined),
            Some("cancel") => Ok(FilledForm::Cancelled),
            _ => Err("the client's reply does not say what its user did".to_owned()),
        }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let peer = self.0.as_ref().ok_or("the client cannot be asked")?;
        let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let reply = peer.send_request(request).await.map_err(|error| error.to_string())?;
        serde_json::to_value(reply).map_err(|error| error.to_string())
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asker")
    }
}

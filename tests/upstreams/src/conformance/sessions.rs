//! Sessions as the SDK keeps them, but for one tool whose stream breaks off: clients resume it with
//! `Last-Event-ID`.
//!
//! Owns: breaking that stream off. Refuses to know: what the tool answers.

use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use tokio_stream::{Stream, StreamExt};

use crate::tools::RECONNECTION;

/// The sessions of one server.
#[derive(Debug)]
pub struct Sessions(LocalSessionManager);

impl Sessions {
    /// Whose clients come back to a stream after this time.
    pub fn new(retry: Duration) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.sse_retry = Some(retry);
        Self(sessions)
    }
}

type Transport = <LocalSessionManager as SessionManager>::Transport;
type Result<T> = std::result::Result<T, LocalSessionManagerError>;

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = Transport;

    async fn create_session(&self) -> Result<(SessionId, Transport)> {
        self.0.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage> {
        self.0.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        self.0.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        self.0.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        // The first event has an id and no message: enough to resume from.
        let events = if breaks_off(&message) { 1 } else { usize::MAX };
        Ok(self.0.create_stream(id, message).await?.take(events))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        self.0.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.0.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.0.resume(id, last_event_id).await
    }
}

fn breaks_off(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(&request.request, ClientRequest::CallToolRequest(call) if call.params.name == RECONNECTION)
}

//! Sessions of the SDK, with one tool whose stream breaks off: clients resume it with `Last-Event-ID`.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use tokio_stream::{Stream, StreamExt};

use crate::tools::RECONNECTION;

/// How long clients shall wait before they resume a stream.
const RETRY: Duration = Duration::from_millis(100);

/// The sessions of one server.
pub struct Sessions {
    inner: LocalSessionManager,
    /// What is left of streams that broke off, by session and the last event before. The SDK drops an
    /// answer that is not read, so it is read here.
    rest: Mutex<HashMap<(SessionId, String), Events>>,
}

type Events = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;
type Transport = <LocalSessionManager as SessionManager>::Transport;
type Result<T> = std::result::Result<T, LocalSessionManagerError>;

impl Default for Sessions {
    fn default() -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.sse_retry = Some(RETRY);
        Self { inner, rest: Mutex::default() }
    }
}

impl Sessions {
    fn rest(&self) -> MutexGuard<'_, HashMap<(SessionId, String), Events>> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = Transport;

    async fn create_session(&self) -> Result<(SessionId, Transport)> {
        self.inner.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        self.rest().retain(|(session, _), _| session != id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let breaks_off = breaks_off(&message);
        let mut events: Events = Box::pin(self.inner.create_stream(id, message).await?);
        if !breaks_off {
            return Ok(events);
        }
        // The first event has an id and no message: enough to resume from.
        let first = events.next().await;
        if let Some(last) = first.as_ref().and_then(|event| event.event_id.clone()) {
            self.rest().insert((id.clone(), last), events);
        }
        Ok(Box::pin(tokio_stream::iter(first)))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let key = (id.clone(), last_event_id);
        let rest = self.rest().remove(&key);
        match rest {
            Some(events) => Ok(events),
            None => Ok(Box::pin(self.inner.resume(id, key.1).await?)),
        }
    }
}

fn breaks_off(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(&request.request, ClientRequest::CallToolRequest(call) if call.params.name == RECONNECTION)
}

//! A minimal proxy on rmcp: Streamable HTTP in front, one stdio upstream per session behind, everything forwarded
//! unchanged. `bench proxy` compares Schemascope with it.
//!
//! `bare COMMAND ARGS…` prints its URL as the first line on stdout.
#![allow(deprecated, reason = "clients of 2025-11-25 still log and subscribe this way")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::Router;
use axum::serve::ListenerExt;
use rmcp::model::*;
use rmcp::service::{
    NotificationContext, OriginatingRequestId, Peer, PeerRequestOptions, RequestContext, RunningService,
};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleClient, RoleServer, ServerHandler, Service, ServiceError, ServiceExt};
use tokio::process::{Child, Command};

/// One session: what its client asks goes to an upstream of its own.
struct Front {
    command: Arc<[OsString]>,
    upstream: OnceLock<RunningService<RoleClient, Back>>,
    under_way: Arc<Mutex<UnderWay>>,
}

/// What the upstream says goes to the session's client.
struct Back {
    hello: InitializeRequestParams,
    client: Peer<RoleServer>,
    under_way: Arc<Mutex<UnderWay>>,
    /// Ends with the session.
    _process: Child,
}

/// What ties the upstream's messages to the client's requests.
#[derive(Default)]
struct UnderWay {
    /// The client's progress tokens by ours.
    tokens: HashMap<ProgressToken, ProgressToken>,
    /// On whose stream the client hears what the upstream asks.
    latest: Option<RequestId>,
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn passed(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        error => failed(error),
    }
}

fn lock(under_way: &Mutex<UnderWay>) -> MutexGuard<'_, UnderWay> {
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

fn paged<M: Default, P>(params: Option<P>) -> RequestOptionalParam<M, P> {
    RequestOptionalParam { method: M::default(), params, extensions: Extensions::default() }
}

impl Front {
    fn upstream(&self) -> Result<&Peer<RoleClient>, ErrorData> {
        self.upstream.get().map(|upstream| upstream.peer()).ok_or_else(|| failed("initialize comes first"))
    }

    async fn ask(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let token = context.meta.get_progress_token();
        let options = PeerRequestOptions::no_options().with_meta(context.meta);
        let sent = self.upstream()?.send_cancellable_request(request, options).await;
        let mut sent = sent.map_err(passed)?;
        {
            let mut under_way = lock(&self.under_way);
            under_way.latest = Some(context.id);
            under_way.tokens.extend(token.map(|token| (sent.progress_token.clone(), token)));
        }
        let progress_token = sent.progress_token.clone();
        let answer = tokio::select! {
            answer = &mut sent.rx => answer.map_err(failed)?.map_err(passed),
            () = context.ct.cancelled() => {
                let _ = sent.cancel(Some("cancelled by the client".into())).await;
                Err(failed("cancelled"))
            }
        };
        lock(&self.under_way).tokens.remove(&progress_token);
        answer
    }
}

/// Methods that ask the upstream the same: parameters, request and result, and how the result is given.
macro_rules! forwarded {
    ($($method:ident($params:ty) $new:path as $request:ident => $result:ident($answer:ty);)*) => {$(
        async fn $method(
            &self,
            params: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$answer, ErrorData> {
            let request: $request = $new(params);
            match self.ask(request.into(), context).await? {
                ServerResult::$result(result) => Ok(forwarded!(@ $result result)),
                other => Err(failed(format!("not a {}: {other:?}", stringify!($result)))),
            }
        }
    )*};
    (@ EmptyResult $result:ident) => {{ let EmptyResult {} = $result; }};
    (@ $kind:ident $result:ident) => { $result.into() };
}

impl ServerHandler for Front {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        if let Some(info) = self.upstream().ok().and_then(|upstream| upstream.peer_info()) {
            config.protocol_version = info.protocol_version.clone();
            config.capabilities = info.capabilities.clone();
            config.server_info = info.server_info.clone().unwrap_or_default();
            config.instructions = info.instructions.clone();
        }
        config
    }

    async fn initialize(
        &self,
        hello: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(hello.clone());
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().map_err(failed)?;
        let pipes = process.stdout.take().zip(process.stdin.take()).ok_or_else(|| failed("no pipes"))?;
        let (client, under_way) = (context.peer, Arc::clone(&self.under_way));
        let upstream = Back { hello: hello.clone(), client, under_way, _process: process }.serve(pipes).await;
        // A session is initialized once.
        let _ = self.upstream.set(upstream.map_err(failed)?);
        self.negotiate_initialize(&hello)
    }

    forwarded! {
        complete(CompleteRequestParams) Request::new as CompleteRequest => CompleteResult(CompleteResult);
        set_level(SetLevelRequestParams) Request::new as SetLevelRequest => EmptyResult(());
        get_prompt(GetPromptRequestParams) Request::new as GetPromptRequest => GetPromptResult(GetPromptResponse);
        list_prompts(Option<PaginatedRequestParams>) paged as ListPromptsRequest => ListPromptsResult(ListPromptsResult);
        list_resources(Option<PaginatedRequestParams>) paged as ListResourcesRequest => ListResourcesResult(ListResourcesResult);
        list_resource_templates(Option<PaginatedRequestParams>) paged as ListResourceTemplatesRequest => ListResourceTemplatesResult(ListResourceTemplatesResult);
        read_resource(ReadResourceRequestParams) Request::new as ReadResourceRequest => ReadResourceResult(ReadResourceResponse);
        subscribe(SubscribeRequestParams) Request::new as SubscribeRequest => EmptyResult(());
        unsubscribe(UnsubscribeRequestParams) Request::new as UnsubscribeRequest => EmptyResult(());
        call_tool(CallToolRequestParams) Request::new as CallToolRequest => CallToolResult(CallToolResponse);
        list_tools(Option<PaginatedRequestParams>) paged as ListToolsRequest => ListToolsResult(ListToolsResult);
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        if let Ok(upstream) = self.upstream() {
            // The requests of an upstream that is gone have failed with that reason.
            let _ = upstream.notify_roots_list_changed().await;
        }
    }
}

impl Service<RoleClient> for Back {
    async fn handle_request(
        &self,
        mut request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let latest = lock(&self.under_way).latest.clone();
        latest.map(|id| request.extensions_mut().insert(OriginatingRequestId(id)));
        self.client.send_request(request).await.map_err(passed)
    }

    async fn handle_notification(
        &self,
        mut notification: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        if let ServerNotification::ProgressNotification(progress) = &mut notification {
            let token = lock(&self.under_way).tokens.get(&progress.params.progress_token).cloned();
            let Some(token) = token else { return Ok(()) };
            progress.params.progress_token = token;
        }
        self.client.send_notification(notification).await.map_err(passed)
    }

    fn get_info(&self) -> InitializeRequestParams {
        self.hello.clone()
    }
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let command: Arc<[OsString]> = std::env::args_os().skip(1).collect();
    if command.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "bare COMMAND ARGS…"));
    }
    let session = move || {
        Ok(Front { command: Arc::clone(&command), upstream: OnceLock::new(), under_way: Arc::default() })
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(session, sessions, StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    // Or every event waits 40 ms for the client's acknowledgement.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await
}

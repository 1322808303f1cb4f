//! Transport to an MCP server in this process, over a pipe in memory.
//!
//! The server is rmcp's. It sees the same lines as a server in a process of its own, so sessions, eras, restarts and
//! recording work as for any other upstream.

use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject,
    ListPromptsResult, ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{Peer, RequestContext, RoleServer, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::{BoxFuture, Connection, Messages, Transport, lines};
use crate::asker::Asker;
use crate::built_in::{BuiltIn, BuiltInTools, CallContext, Progress, ToolOutput};
use crate::upstream::link::{Kind, Link, Outgoing};
use crate::wire::RpcError;
use crate::wire::message::response;

/// Field of `_meta` that says whose call it is. Clients cannot set it: it is replaced on the way.
pub(crate) const CALLER: &str = "schemascope/caller";

/// Reports of progress that wait to be sent.
const PROGRESS_CAPACITY: usize = 16;

/// Bytes each direction of a pipe holds until its reader takes them.
const PIPE_BYTES: usize = 64 << 10;

impl Transport for BuiltIn {
    fn separates_requests(&self) -> bool {
        false
    }

    fn open(&self, messages: Messages) -> Result<Box<dyn Connection>, String> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (reader, writer) = tokio::io::split(theirs);
        let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(lines::MAX_LINE);
        let server = Server(Arc::clone(self.tools()));
        let serving = tokio::spawn(async move {
            if let Ok(running) = serve_server(server, transport).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        let outgoing = readable(messages.outgoing, Arc::clone(&messages.link));
        let reading = lines::run(&messages.link, outgoing, reader, writer);
        Ok(Box::new(PipeConnection {
            serving: AbortOnDropHandle::new(serving),
            reading,
            link: messages.link,
        }))
    }
}

/// Passes on messages that the server can read, and answers the others: rmcp drops a line that serde_json rejects, such
/// as one with half of a surrogate pair, and its client would wait for ever.
fn readable(mut messages: mpsc::Receiver<Outgoing>, link: Arc<Link>) -> mpsc::Receiver<Outgoing> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Some(message) = messages.recv().await {
            let Err(error) = serde_json::from_slice::<Value>(&message.bytes) else {
                if sender.send(message).await.is_err() {
                    return;
                }
                continue;
            };
            if let Kind::Request { id, .. } = message.kind {
                let error = RpcError::invalid_params(format!("the arguments cannot be read: {error}"));
                link.receive(&response(id.to_string().as_bytes(), &error.body()), None);
            }
        }
    });
    receiver
}

struct PipeConnection {
    serving: AbortOnDropHandle<()>,
    reading: JoinHandle<()>,
    link: Arc<Link>,
}

impl Connection for PipeConnection {
    fn ended(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // Reading ends when the server drops its end of the pipe.
            let _ = (&mut self.reading).await;
            self.link.close();
        })
    }

    fn close(self: Box<Self>, _: CancellationToken) -> BoxFuture<'static, Option<String>> {
        self.reading.abort();
        self.serving.abort();
        Box::pin(async move {
            let _ = self.serving.await;
            None
        })
    }
}

/// Serves tools on rmcp.
struct Server(Arc<dyn BuiltInTools>);

impl Server {
    /// The tools in the form rmcp sends them. A definition that is not one of MCP is left out.
    fn tools(&self) -> Vec<Tool> {
        let definitions = self.0.definitions().into_iter();
        definitions.filter_map(|definition| serde_json::from_value(definition).ok()).collect()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.0.prompts().is_empty() {
            true => tools.build(),
            false => tools.enable_prompts().build(),
        };
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("schemascope", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.0.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        if !self.tools().iter().any(|tool| tool.name == name) {
            return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None));
        }
        let cancelled = context.ct.clone();
        let caller = context.meta.get(CALLER).cloned();
        let caller = caller.and_then(|caller| serde_json::from_value(caller).ok()).unwrap_or_default();
        let (tools, name) = (Arc::clone(&self.0), name.into_owned());
        let token = context.meta.get_progress_token();
        let (progress, _reporting) = match token {
            Some(token) => {
                let (sender, receiver) = mpsc::channel(PROGRESS_CAPACITY);
                let reporting = tokio::spawn(report(receiver, context.peer.clone(), token));
                (Progress(Some(sender)), Some(AbortOnDropHandle::new(reporting)))
            }
            None => (Progress::default(), None),
        };
        let context = CallContext { caller, progress, asker: Asker::of(context.peer) };
        tokio::select! {
            result = run(tools, name, arguments.unwrap_or_default(), context) => Ok(result.into()),
            // rmcp does not send this answer.
            () = cancelled.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let definitions = self.0.prompts().into_iter();
        let prompts = definitions.filter_map(|definition| serde_json::from_value::<Prompt>(definition).ok());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.0.prompt(&request.name, &request.arguments.unwrap_or_default()) {
            Some(text) => {
                let messages = vec![PromptMessage::new_text(Role::User, text)];
                Ok(GetPromptResult::new(messages).into())
            }
            None => Err(ErrorData::invalid_params(format!("Unknown prompt: {}", request.name), None)),
        }
    }

    /// Answers `tools/call` with params that rmcp cannot read, for example arguments that are not an object.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "tools/call needs params.name, a text, and params.arguments, an object",
                None,
            ),
            method => ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None),
        })
    }
}

/// Calls a tool on a task of its own, so that a panic costs this call and not its caller's session.
async fn run(
    tools: Arc<dyn BuiltInTools>,
    name: String,
    arguments: JsonObject,
    context: CallContext,
) -> CallToolResult {
    let call = tokio::spawn(async move { tools.call(&name, arguments, context).await });
    match AbortOnDropHandle::new(call).await {
        Ok(Ok(output)) => result(output),
        Ok(Err(message)) => CallToolResult::error(vec![ContentBlock::text(message)]),
        Err(_) => {
            CallToolResult::error(vec![ContentBlock::text("the tool failed; Schemascope's log says why")])
        }
    }
}

fn result(output: ToolOutput) -> CallToolResult {
    let content = output.content.into_iter().map(ContentBlock::text).collect();
    let mut result = match output.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = output.structured;
    if !output.meta.is_empty() {
        result.meta = Some(MetaObject(output.meta));
    }
    result
}

/// Sends reports of progress until the call has ended.
async fn report(mut messages: mpsc::Receiver<String>, peer: Peer<RoleServer>, token: ProgressToken) {
    let mut count = 0.0;
    while let Some(message) = messages.recv().await {
        count += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), count).with_message(message);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::{Map, json};

    use super::*;
    use crate::built_in::Calling;
    use crate::config::ServerEntry;
    use crate::observer::{FinishedCall, ListedTool, Observer};
    use crate::upstream::{Live, Upstream};
    use crate::wire::{Body, Era, Who};

    struct Tools;

    impl BuiltInTools for Tools {
        fn instructions(&self) -> String {
            "Try them.".into()
        }

        fn definitions(&self) -> Vec<Value> {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            vec![tool("echo"), tool("fail"), tool("panic"), tool("wait"), json!({"no": "tool"})]
        }

        fn call(&self, name: &str, arguments: Map<String, Value>, _: CallContext) -> Calling<'_> {
            let name = name.to_owned();
            Box::pin(async move {
                match name.as_str() {
                    "echo" => Ok(Value::Object(arguments).into()),
                    "wait" => std::future::pending().await,
                    "panic" => panic!("on purpose"),
                    _ => Err("it failed".to_owned()),
                }
            })
        }
    }

    struct Nothing;

    impl Observer for Nothing {
        fn finished(&self, _: FinishedCall) -> BoxFuture<'_, ()> {
            Box::pin(std::future::ready(()))
        }

        fn listed(&self, _: &str, _: &[ListedTool]) {}

        fn changed(&self, _: &str) {}
    }

    fn upstream() -> Arc<Upstream> {
        let entry = ServerEntry::BuiltIn(BuiltIn::new(Arc::new(Tools)));
        Upstream::new("own", entry, Arc::new(Nothing))
    }

    fn stateless() -> Who {
        Who { era: Era::Modern, ..Who::unknown() }
    }

    async fn call(live: &Live, tool: &str, arguments: Value) -> Result<Value, Value> {
        let params = Bytes::from(json!({"name": tool, "arguments": arguments}).to_string());
        let params = match live.hello.era {
            Era::Legacy => params,
            Era::Modern => stateless().introduced(Some(&params)),
        };
        let mut request = live.request("tools/call", Some(&params), None, None).await.unwrap();
        match (&mut request.answer).await.unwrap().unwrap() {
            Body::Result(result) => Ok(serde_json::from_slice(&result).unwrap()),
            Body::Error(error) => Err(serde_json::from_slice(&error).unwrap()),
        }
    }

    #[tokio::test]
    async fn built_in_tools_are_served_in_both_eras() {
        let upstream = upstream();
        for (who, era) in [(Who::unknown(), Era::Legacy), (stateless(), Era::Modern)] {
            let live = upstream.session(&who, None, "tools/call").await.unwrap();
            assert_eq!(live.hello.era, era);
            assert_eq!(live.hello.instructions.as_deref(), Some(&b"\"Try them.\""[..]));
            let names: Vec<_> = live.tools().iter().map(|tool| tool.name.clone()).collect();
            assert_eq!(names, ["echo", "fail", "panic", "wait"]);
            let echo = call(&live, "echo", json!({"n": 1})).await.unwrap();
            assert_eq!(echo["structuredContent"], json!({"n": 1}));
            assert_eq!(echo["content"][0]["text"], r#"{"n":1}"#);
            assert_eq!(call(&live, "fail", json!({})).await.unwrap()["isError"], true);
            assert_eq!(call(&live, "panic", json!({})).await.unwrap()["isError"], true);
            assert_eq!(call(&live, "other", json!({})).await.unwrap_err()["code"], -32602);
            assert_eq!(call(&live, "echo", json!([])).await.unwrap_err()["code"], -32602);
            // Each of these waited for ever.
            let deep = "[".repeat(200) + &"]".repeat(200);
            for value in [r#""\ud800""#, "1e400", &deep] {
                let params = Bytes::from(format!(r#"{{"name":"echo","arguments":{{"x":{value}}}}}"#));
                let mut request = live.request("tools/call", Some(&params), None, None).await.unwrap();
                let answer = (&mut request.answer).await.unwrap().unwrap();
                assert!(
                    matches!(&answer, Body::Error(error) if error.starts_with(b"{\"code\":-32602")),
                    "{answer:?}"
                );
            }
        }
        upstream.stop().await;
    }

    #[tokio::test]
    async fn restart_and_stop_end_calls_under_way() {
        let upstream = upstream();
        let before = upstream.live().await.unwrap();
        let params = Bytes::from_static(br#"{"name":"wait"}"#);
        let mut waiting = before.request("tools/call", Some(&params), None, None).await.unwrap();
        upstream.restart();
        assert!((&mut waiting.answer).await.is_err());
        let after = upstream.live().await.unwrap();
        assert!(before.link.is_closed() && !after.link.is_closed());
        assert!(call(&after, "echo", json!({})).await.is_ok());
        upstream.stop().await;
        assert!(after.link.is_closed() && upstream.live().await.is_err());
    }
}

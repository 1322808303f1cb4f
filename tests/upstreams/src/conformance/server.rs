//! The server: which method is answered by which module, and what a session remembers.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, InputResponses, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use tokio::sync::broadcast::Receiver;

use crate::ask::{Asker, is_modern};
use crate::changes::{Change, Changes, Subscriptions, tell_session, tell_subscription};
use crate::{prompts, resources, tools};

/// What all sessions and requests of a server have in common.
pub struct Shared {
    versions: &'static [ProtocolVersion],
    /// What changes while clients look.
    pub changes: Changes,
    /// The tasks.
    pub tasks: TaskManager,
    /// How many calls were cancelled.
    pub cancelled: AtomicUsize,
    codec: RequestStateCodec,
}

impl Shared {
    /// A server that speaks these versions.
    ///
    /// # Errors
    ///
    /// Where its key is no key.
    pub fn new(versions: &'static [ProtocolVersion]) -> anyhow::Result<Arc<Self>> {
        // Not a secret: the states of this fixture need no protection.
        let codec = RequestStateCodec::try_new(*b"seals the states of this fixture")?;
        Ok(Arc::new(Self {
            versions,
            changes: Changes::default(),
            tasks: TaskManager::new(),
            cancelled: AtomicUsize::new(0),
            codec,
        }))
    }
}

/// The server as one session sees it; without sessions, as one request does.
pub struct Conformance {
    /// What it has in common with the others.
    pub shared: Arc<Shared>,
    level: Mutex<LoggingLevel>,
    subscriptions: Subscriptions,
    /// Opened before a subscription is acknowledged, so that nothing is missed after.
    opening: Mutex<VecDeque<Receiver<Change>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Conformance {
    /// For a new session.
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: shared.clone(),
            level: Mutex::new(LoggingLevel::Info),
            subscriptions: Subscriptions::default(),
            opening: Mutex::default(),
        }
    }

    /// Asks on behalf of a request, for something of this name.
    pub fn asker<'a>(
        &'a self,
        context: &'a RequestContext<RoleServer>,
        responses: Option<InputResponses>,
        state: Option<String>,
        purpose: &'a str,
    ) -> Asker<'a> {
        let responses = responses.unwrap_or_default();
        Asker { context, responses, state, codec: &self.shared.codec, purpose }
    }

    /// Whether who sent this request wants to hear of this level.
    pub fn logs(&self, context: &RequestContext<RoleServer>, level: LoggingLevel) -> bool {
        match is_modern(context) {
            true => context.meta.log_level().is_some_and(|least| least as u8 <= level as u8),
            false => *locked(&self.level) as u8 <= level as u8,
        }
    }
}

impl ServerHandler for Conformance {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("conformance", "1.0.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.shared.versions)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.shared.changes.listen();
        tokio::spawn(tell_session(context.peer, self.subscriptions.clone(), changes));
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *locked(&self.level) = request.level;
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(self.shared.changes.more_tools())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all(true).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, &context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.shared.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel_task(&request.task_id)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(self.shared.changes.more_prompts())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let asker = self.asker(&context, request.input_responses, request.request_state, &request.name);
        prompts::get(&request.name, &request.arguments.unwrap_or_default(), &asker).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = CompletionInfo::with_all_values(prompts::completions(&request.argument.value));
        Ok(CompleteResult::new(values.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all(self.shared.changes.more_resources())))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        locked(&self.subscriptions).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        locked(&self.subscriptions).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        locked(&self.opening).push_back(self.shared.changes.listen());
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let opened = locked(&self.opening).pop_front();
        let changes = opened.unwrap_or_else(|| self.shared.changes.listen());
        tell_subscription(&context, changes).await;
        Ok(())
    }
}

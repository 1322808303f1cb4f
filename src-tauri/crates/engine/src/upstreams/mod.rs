//! The proxy as the engine runs it: upstreams, and what of their traffic goes where.

mod introductions;
mod observer;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use schemascope_api::{CliRegister, RunningCall, RunningCalls, ServerRow};
use schemascope_proxy::{BuiltIn, Hub};
use schemascope_redact::Redactor;

use crate::cli_tools::Wish;
use crate::config::UserFiles;
use crate::config::settings::adapting;
use crate::interviews::Interviews;
use crate::knowledge::Knowledge;
use crate::own_tools::{OwnTools, RequestCli, Sources};
use crate::recording::Records;
use crate::recording::mode::Recording;
use crate::recording::schema_status::SchemaStatus;
use crate::views;
use introductions::Introductions;
use observer::ProxyObserver;

/// Calls that take less are not listed as running: they would be over before anyone has read the line.
const RUNNING_AGE: Duration = Duration::from_secs(1);
/// Running calls in a list; the others are counted.
const RUNNING_CALLS: usize = 20;

/// The upstreams, and where clients reach them.
#[derive(Clone)]
pub(crate) struct Upstreams {
    pub(crate) hub: Arc<Hub>,
    /// Schemascope's own tools, served as an upstream.
    pub(crate) own_tools: Arc<OwnTools>,
    /// Interviews, whose tools are among them.
    pub(crate) interviews: Arc<Interviews>,
    /// How each tool's latest result was adapted.
    pub(crate) status: Arc<SchemaStatus>,
    /// The last introductions of upstreams.
    pub(crate) introductions: Arc<Introductions>,
    /// The endpoint for clients, once the engine is served.
    pub(crate) mcp_url: Arc<OnceLock<String>>,
}

impl Upstreams {
    /// Takes the upstreams of the configuration without starting them. Needs a tokio runtime.
    pub(crate) fn open(
        data: &Path,
        recording: Recording,
        files: &UserFiles,
        records: &Records,
        knowledge: &Knowledge,
        interviews: &Arc<Interviews>,
    ) -> Self {
        let written = recording == Recording::On;
        let status = Arc::new(SchemaStatus::open(data, written));
        let settings = files.settings.now();
        let sources = Sources {
            registry: Arc::clone(&records.registry),
            decisions: Arc::clone(&knowledge.decisions),
            recorder: Arc::clone(&records.recorder),
            shown: Arc::clone(&knowledge.shown),
            edges: Arc::clone(&knowledge.edges),
            interviews: Arc::clone(interviews),
            events: Arc::clone(&records.events),
            request_cli: Self::requests(files, records),
        };
        let key = records.registry.lock().key();
        let introductions = Arc::new(Introductions::open(data, key, &files.redaction, written));
        let own_tools = OwnTools::new(sources, settings.own_tools.clone());
        let observer = Arc::new(ProxyObserver {
            registry: Arc::clone(&records.registry),
            recorder: Arc::clone(&records.recorder),
            effective: Arc::clone(&knowledge.effective),
            suspensions: Arc::clone(&knowledge.suspensions),
            status: Arc::clone(&status),
            shown: Arc::clone(&knowledge.shown),
            own_tools: Arc::clone(&own_tools),
            introductions: Arc::clone(&introductions),
            redaction: Arc::clone(&files.redaction),
            overrides_due: Arc::clone(&knowledge.decisions.version_changed),
        });
        let own = Some(BuiltIn::new(Arc::clone(&own_tools) as _));
        let config = files.cli.added_to(&files.config.now().config);
        let hub = Hub::new(&config, own, Arc::clone(&observer) as _, observer, adapting(&settings));
        let (interviews, mcp_url) = (Arc::clone(interviews), Arc::default());
        Self { hub, own_tools, interviews, status, introductions, mcp_url }
    }

    /// Takes requests for command-line tools, unless the setting forbids them.
    fn requests(files: &UserFiles, records: &Records) -> RequestCli {
        let (cli, config) = (Arc::clone(&files.cli), Arc::clone(&files.config));
        let (settings, events) = (Arc::clone(&files.settings), Arc::clone(&records.events));
        let redaction = Arc::clone(&files.redaction);
        Box::new(move |wish, now| {
            if settings.now().cli_register == CliRegister::Off {
                return Err("the user does not take requests for command-line tools (setting cli_register)"
                    .to_owned());
            }
            // Its texts are kept in a file, and shown.
            let redactor = redaction.now();
            let without_secrets = |text: Option<String>| text.map(|text| redactor.text(&text).into_owned());
            let wish = Wish {
                description: without_secrets(wish.description),
                system_prompt: without_secrets(wish.system_prompt),
                client: without_secrets(wish.client),
                ..wish
            };
            let request = cli.request(wish, now, &config.now().config)?;
            events.renewed();
            Ok(request)
        })
    }

    /// Ends the upstreams.
    pub(crate) async fn close(&self) {
        self.hub.stop().await;
    }

    /// All upstreams, without their logs.
    pub(crate) fn server_rows(&self, files: &UserFiles) -> Vec<ServerRow> {
        let (redactor, config) = (files.redaction.now(), files.config.now());
        let rows = self.hub.status().into_iter().map(|status| views::server_row(status, &redactor));
        rows.map(|mut row| {
            if row.built_in {
                row.reason = Some(match config.own_entry() {
                    Some(reason) => format!("its entry in {} is ignored: {reason}", config.path.display()),
                    None => self.own_tools.about(),
                });
            }
            row
        })
        .collect()
    }

    /// Calls that have no answer yet.
    pub(crate) fn running(&self, redactor: &Redactor) -> RunningCalls {
        let (calls, count) = self.hub.running(RUNNING_AGE, RUNNING_CALLS);
        let calls = calls.into_iter().map(|call| RunningCall {
            tool_id: call.tool.to_string(),
            at: call.at,
            client: call.client.map(|client| redactor.text(&client.name).into_owned()),
        });
        RunningCalls { count: count as u64, calls: calls.collect() }
    }

    /// Events of streams that clients missed, in a sentence.
    pub(crate) fn warning(&self) -> Option<String> {
        let lost = self.hub.lost_streams();
        (lost > 0).then(|| {
            format!(
                "{lost} streams lost events before their client reconnected (the replay buffer holds 64 MB)"
            )
        })
    }
}

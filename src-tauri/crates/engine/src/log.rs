//! The log on standard error, without secrets.
//!
//! Every field of every line is redacted by the rules of the data directory it is about: addresses and the output of
//! upstreams may quote secrets of their configuration. Characters that control a terminal are replaced.

use parking_lot::RwLock;
use std::borrow::Cow;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use crate::cli_tools;
use crate::config::mcp_json::LoadedConfig;
use crate::config::redaction;
use crate::options::Options;
use schemascope_model::harmless_lines;
use schemascope_redact::{Redaction, Rules};

static HIDING: RwLock<Hiding> = RwLock::new(Hiding { with: None, of: None });

/// The redaction of this process's log.
struct Hiding {
    with: Option<Arc<Redaction>>,
    /// The data directory, the configuration and the file of command-line tools from which it is made on first use.
    of: Option<[PathBuf; 3]>,
}

/// Writes the log to standard error: as `SCHEMASCOPE_LOG` says, else from this level on. With `target` lines contain
/// the part of the program they come from. `stderr` gives what is written to, for programs that show more there.
pub fn log_to_stderr<W: Write>(level: &str, target: bool, stderr: impl Fn() -> W + Send + Sync + 'static) {
    let default = format!("{level},hyper=info,sled=warn,rmcp=warn");
    let filter = EnvFilter::try_from_env("SCHEMASCOPE_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(target)
        .fmt_fields(WithoutSecrets)
        .init();
}

/// Hides the secrets of this data from now on, even if another process has it open.
pub fn hide_secrets_of(options: &Options) {
    let of = Some([options.data_dir.clone(), options.config.clone(), options.ai_tools()]);
    *HIDING.write() = Hiding { with: None, of };
}

/// Hides secrets with this redaction from now on.
pub(crate) fn hide_with(redaction: Arc<Redaction>) {
    HIDING.write().with = Some(redaction);
}

/// A text without the secrets of the data this process works on.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    match hiding() {
        Some(redaction) => Cow::Owned(redaction.now().text(text).into_owned()),
        // Secrets cannot be recognised without a redaction.
        None => Cow::Borrowed("(not shown: it may contain secrets)"),
    }
}

fn hiding() -> Option<Arc<Redaction>> {
    if let Some(redaction) = &HIDING.read().with {
        return Some(Arc::clone(redaction));
    }
    let mut hiding = HIDING.write();
    let of = hiding.of.as_ref();
    // Invalid rules are reported where they are used; values with the form of a secret are hidden all the same.
    let made = of.and_then(|[data, config, tools]| {
        let tools = cli_tools::read(tools).unwrap_or_default();
        let values: Vec<_> = tools.into_iter().flatten().flat_map(|entry| entry.values()).collect();
        redaction(data, &LoadedConfig::read(config), &values).ok()
    });
    let made = made.or_else(|| Redaction::new(Rules::default(), []).ok()).map(Arc::new);
    hiding.with.clone_from(&made);
    made
}

/// Formats fields as usual, then redacts them.
struct WithoutSecrets;

impl<'w> FormatFields<'w> for WithoutSecrets {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        // Names of tools are what a server says. Further lines are indented, so that none looks like one of the log.
        writer.write_str(&harmless_lines(&without_secrets(&text)).replace('\n', "\n    "))
    }
}

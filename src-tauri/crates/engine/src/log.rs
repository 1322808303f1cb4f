//! The log on standard error, without secrets.
//!
//! Every field of every line passes the redactor of the data it is about, whoever logs it: an upstream's
//! last words and an address may quote what it was started with. Owns: which redactor that is. Refuses to know:
//! what is logged.

use std::borrow::Cow;
use std::fmt;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use crate::config::LoadedConfig;
use crate::engine::{Options, redaction};
use crate::redact::{Redaction, Rules};

static HIDING: RwLock<Hiding> = RwLock::new(Hiding { with: None, of: None });

/// What this process hides secrets with.
struct Hiding {
    with: Option<Arc<Redaction>>,
    /// The data directory and the configuration it is made of when it is first needed.
    of: Option<(PathBuf, PathBuf)>,
}

/// Writes the log to standard error: what `SCHEMASCOPE_LOG` says, else this level and the one above. With
/// `target` lines tell where in the program they come from.
pub fn log_to_stderr(level: &str, target: bool) {
    let default = format!("{level},hyper=info,sled=warn,rmcp=warn");
    let filter = EnvFilter::try_from_env("SCHEMASCOPE_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(target)
        .fmt_fields(WithoutSecrets)
        .init();
}

/// From now on secrets of this data are hidden, also where somebody else has it open.
pub fn hide_secrets_of(options: &Options) {
    let of = Some((options.data_dir.clone(), options.config.clone()));
    *HIDING.write().unwrap_or_else(PoisonError::into_inner) = Hiding { with: None, of };
}

/// From now on secrets are told by this.
pub(crate) fn hide_with(redaction: Arc<Redaction>) {
    HIDING.write().unwrap_or_else(PoisonError::into_inner).with = Some(redaction);
}

/// A text for people without the secrets of the data this process works on.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    match hiding() {
        Some(redaction) => Cow::Owned(redaction.now().text(text).into_owned()),
        // Nobody can tell.
        None => Cow::Borrowed("(not shown: it may hold secrets)"),
    }
}

fn hiding() -> Option<Arc<Redaction>> {
    if let Some(redaction) = &HIDING.read().unwrap_or_else(PoisonError::into_inner).with {
        return Some(Arc::clone(redaction));
    }
    let mut hiding = HIDING.write().unwrap_or_else(PoisonError::into_inner);
    let of = hiding.of.as_ref();
    // Rules that are wrong are told where they are used; what has the form of a secret is hidden all the same.
    let made = of.and_then(|(data, config)| redaction(data, &LoadedConfig::read(config)).ok());
    let made = made.or_else(|| Redaction::new(Rules::default(), []).ok()).map(Arc::new);
    hiding.with.clone_from(&made);
    made
}

/// Formats fields as usual, then hides.
struct WithoutSecrets;

impl<'w> FormatFields<'w> for WithoutSecrets {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&without_secrets(&text))
    }
}

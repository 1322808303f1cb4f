//! `introductions.json`: what each upstream told of itself the last time, so that agents need not wait for slow ones.
//!
//! Entries are known by a digest, because arguments and variables can be secrets. What contains a secret is not kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use schemascope_proxy::{Introduction, ListedTool, ServerEntry};
use schemascope_redact::{Redaction, Redactor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use crate::background::{Service, Tasks};
use crate::files::{read_text, write_whole};

/// Name of the file in the data directory.
const FILE: &str = "introductions.json";
/// Time for which changes are gathered before they are written.
const WRITE_DELAY: Duration = Duration::from_secs(1);
/// Upstreams kept at most.
const MAX_SERVERS: usize = 500;
/// Bytes kept of an upstream.
const MAX_BYTES: usize = 1 << 20;

/// What an upstream told of itself.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// Digest of its entry in the configuration.
    entry: String,
    capabilities: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    tools: Vec<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    items: BTreeMap<String, Vec<Box<RawValue>>>,
}

/// The file and its entries.
pub(crate) struct Introductions {
    path: PathBuf,
    servers: Mutex<BTreeMap<String, Kept>>,
    redaction: Arc<Redaction>,
    changed: Notify,
    /// Whether an entry changed that is not in the file yet.
    is_behind: AtomicBool,
    /// Whether the file is written at all; held while writing.
    writing: Mutex<bool>,
}

impl Introductions {
    /// Reads the file of a data directory. An unreadable one is replaced, and what is a secret by now is left out. Unless
    /// `written` is set the file stays as it is.
    pub(crate) fn open(data: &Path, redaction: &Arc<Redaction>, written: bool) -> Self {
        let path = data.join(FILE);
        let read = match read_text(&path) {
            Ok(text) => {
                serde_json::from_str(text.as_deref().unwrap_or("{}")).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let mut servers: BTreeMap<String, Kept> = read.unwrap_or_else(|reason| {
            tracing::warn!(file = %path.display(), %reason, "cannot be used; it is written again");
            BTreeMap::new()
        });
        let (before, redactor) = (servers.len(), redaction.now());
        servers.retain(|_, kept| kept.may_be_kept(&redactor));
        Self {
            is_behind: AtomicBool::new(servers.len() < before),
            path,
            servers: Mutex::new(servers),
            redaction: Arc::clone(redaction),
            changed: Notify::new(),
            writing: Mutex::new(written),
        }
    }

    /// What an upstream with this entry told the last time.
    pub(super) fn of(&self, server: &str, entry: &ServerEntry) -> Option<Introduction> {
        let entry = digest(entry)?;
        self.servers.lock().get(server).filter(|kept| kept.entry == entry).and_then(Kept::introduction)
    }

    /// Keeps what an upstream told.
    pub(super) fn put(&self, server: &str, entry: &ServerEntry, introduction: &Introduction) {
        let Some(entry) = digest(entry) else { return };
        let kept = Kept::new(entry, introduction).filter(|kept| kept.may_be_kept(&self.redaction.now()));
        {
            let mut servers = self.servers.lock();
            let is_full = servers.len() >= MAX_SERVERS && !servers.contains_key(server);
            match kept {
                Some(kept) if !is_full => drop(servers.insert(server.to_owned(), kept)),
                _ => drop(servers.remove(server)),
            }
        }
        self.is_behind.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    /// Writes the file, if an entry changed. Blocks.
    fn write(&self) {
        let writing = self.writing.lock();
        if !*writing || !self.is_behind.swap(false, Ordering::AcqRel) {
            return;
        }
        let Ok(text) = serde_json::to_vec(&*self.servers.lock()) else { return };
        if let Err(error) = write_whole(&self.path, &text) {
            tracing::warn!(file = %self.path.display(), %error, "cannot be written");
        }
    }
}

impl Service for Introductions {
    /// Writes changes a moment later.
    fn start(self: Arc<Self>, tasks: &Tasks) {
        tasks.spawn(async move {
            loop {
                self.changed.notified().await;
                tokio::time::sleep(WRITE_DELAY).await;
                let known = Arc::clone(&self);
                // If the file cannot be written, the next change tries again.
                let _ = tokio::task::spawn_blocking(move || known.write()).await;
            }
        });
    }

    fn stop(&self) {
        self.write();
    }
}

impl Kept {
    /// Takes over what an upstream sent. `None` if it is too long, or no JSON.
    fn new(entry: String, introduction: &Introduction) -> Option<Self> {
        let raw = |bytes: &[u8]| serde_json::from_slice::<Box<RawValue>>(bytes).ok();
        let all = |items: &[bytes::Bytes]| items.iter().map(|item| raw(item)).collect::<Option<Vec<_>>>();
        let Introduction { tools, capabilities, instructions, items } = introduction;
        let sizes = tools.iter().map(|tool| tool.definition.len());
        let sizes = sizes.chain(items.values().flat_map(|items| items.iter().map(bytes::Bytes::len)));
        let size = capabilities.len() + instructions.as_ref().map_or(0, bytes::Bytes::len);
        if sizes.sum::<usize>() + size > MAX_BYTES {
            return None;
        }
        let items = items.iter().map(|(method, items)| Some((method.clone(), all(items)?)));
        Some(Self {
            entry,
            capabilities: raw(capabilities)?,
            instructions: instructions.as_ref().and_then(|text| serde_json::from_slice(text).ok()),
            tools: tools.iter().map(|tool| raw(&tool.definition)).collect::<Option<_>>()?,
            items: items.collect::<Option<_>>()?,
        })
    }

    fn introduction(&self) -> Option<Introduction> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let bytes = |raw: &RawValue| bytes::Bytes::copy_from_slice(raw.get().as_bytes());
        let tool = |raw: &RawValue| {
            let Named { name } = serde_json::from_str(raw.get()).ok()?;
            Some(ListedTool { name, definition: bytes(raw) })
        };
        let items = self.items.iter().map(|(method, items)| {
            let items: Vec<_> = items.iter().map(|item| bytes(item)).collect();
            (method.clone(), items.into())
        });
        Some(Introduction {
            tools: self.tools.iter().map(|raw| tool(raw)).collect::<Option<_>>()?,
            capabilities: bytes(&self.capabilities),
            instructions: self
                .instructions
                .as_ref()
                .map(|text| serde_json::Value::from(text.as_str()).to_string().into()),
            items: items.collect(),
        })
    }

    /// Whether nothing of it is a secret: agents must get it as it was.
    fn may_be_kept(&self, redactor: &Redactor) -> bool {
        let is_open =
            |raw: &RawValue| matches!(redactor.definition(raw.get()), std::borrow::Cow::Borrowed(_));
        self.tools
            .iter()
            .chain([&self.capabilities])
            .chain(self.items.values().flatten())
            .all(|raw| is_open(raw))
            && self
                .instructions
                .iter()
                .all(|text| matches!(redactor.text(text), std::borrow::Cow::Borrowed(_)))
    }
}

/// Identifies the entry of a server that may be slow to start; `None` for what runs in this process.
fn digest(entry: &ServerEntry) -> Option<String> {
    let told = match entry {
        ServerEntry::Stdio(spec) => serde_json::json!([spec.command, spec.args, spec.env, spec.cwd]),
        ServerEntry::Http(spec) => serde_json::json!([spec.url.as_str(), spec.headers]),
        ServerEntry::BuiltIn(_)
        | ServerEntry::CommandLine(_)
        | ServerEntry::Disabled
        | ServerEntry::Invalid(_) => return None,
    };
    Some(Sha256::digest(told.to_string()).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use schemascope_proxy::StdioSpec;
    use schemascope_redact::Rules;

    use super::*;

    fn redaction() -> Arc<Redaction> {
        Arc::new(Redaction::new(Rules::default(), []).unwrap())
    }

    fn entry(token: &str) -> ServerEntry {
        let env = BTreeMap::from([("TOKEN".to_owned(), token.to_owned())]);
        ServerEntry::Stdio(StdioSpec { command: "x".to_owned(), args: Vec::new(), env, cwd: None })
    }

    fn introduction(description: &str) -> Introduction {
        let definition = format!(r#"{{"name": "a", "description": "{description}", "z": 1.0}}"#);
        Introduction {
            tools: [ListedTool { name: "a".to_owned(), definition: definition.into() }].into(),
            capabilities: r#"{"tools":{}}"#.into(),
            instructions: Some(r#""Use \"a\".""#.into()),
            items: BTreeMap::from([("prompts/list".to_owned(), [r#"{"name":"p"}"#.into()].into())]),
        }
    }

    #[test]
    fn introductions_survive_a_restart_for_the_same_entry() {
        let data = tempfile::tempdir().unwrap();
        let open = || Introductions::open(data.path(), &redaction(), true);
        let known = open();
        known.put("s", &entry("1"), &introduction("d"));
        known.put("own", &ServerEntry::Disabled, &introduction("d"));
        known.stop();
        let known = open();
        assert_eq!(known.of("s", &entry("1")), Some(introduction("d")));
        for (server, entry) in [("s", entry("2")), ("t", entry("1")), ("own", ServerEntry::Disabled)] {
            assert_eq!(known.of(server, &entry), None);
        }
    }

    #[test]
    fn secrets_and_long_introductions_are_not_kept() {
        let data = tempfile::tempdir().unwrap();
        let known = Introductions::open(data.path(), &redaction(), true);
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for description in [&format!("Uses {secret}"), &"x".repeat(MAX_BYTES)] {
            known.put("s", &entry("1"), &introduction("d"));
            known.put("s", &entry("1"), &introduction(description));
            assert_eq!(known.of("s", &entry("1")), None);
        }
        known.put("s", &entry("value"), &introduction("d"));
        known.stop();
        let text = fs::read_to_string(data.path().join(FILE)).unwrap();
        assert!(text.contains("\"d\"") && !text.contains("value") && !text.contains(secret), "{text}");
        // What became a secret since is left out.
        fs::write(data.path().join(FILE), text.replace("\"d\"", &format!("\"{secret}\""))).unwrap();
        let known = Introductions::open(data.path(), &redaction(), true);
        assert_eq!(known.of("s", &entry("value")), None);
        known.stop();
        assert_eq!(fs::read_to_string(data.path().join(FILE)).unwrap(), "{}");
        fs::write(data.path().join(FILE), "no JSON").unwrap();
        assert!(Introductions::open(data.path(), &redaction(), true).servers.lock().is_empty());
    }
}

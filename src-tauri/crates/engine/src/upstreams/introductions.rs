//! `introductions.json`: the last introduction of each upstream, so that agents need not wait for slow ones.
//!
//! Entries are identified by a digest, because arguments and variables can be secrets. An introduction that contains a
//! secret is not kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemascope_proxy::{Introduction, ListedTool, ServerEntry};
use schemascope_redact::{Redaction, Redactor, Trust};
use schemascope_shape::HashKey;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::background::{Service, Tasks};
use crate::files::read_text;
use crate::write_behind::{WriteBehind, write_changes};

/// Name of the file in the data directory.
const FILE: &str = "introductions.json";
/// Time for which changes are gathered before they are written.
const WRITE_DELAY: Duration = Duration::from_secs(5);
/// Upstreams kept at most; the file stays far below what is read.
const MAX_SERVERS: usize = 100;
/// Bytes kept of an upstream.
const MAX_BYTES: usize = 512 << 10;

/// An introduction as it is stored.
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
    file: WriteBehind,
    servers: Mutex<BTreeMap<String, Kept>>,
    redaction: Arc<Redaction>,
    /// The data directory's own key: short secrets in entries could be guessed from a plain digest.
    key: HashKey,
}

impl Introductions {
    /// Reads the file of a data directory. An unreadable one is replaced, and introductions with values that are secrets by
    /// now are left out. Unless `written` is set, the file stays as it is.
    pub(crate) fn open(data: &Path, key: HashKey, redaction: &Arc<Redaction>, written: bool) -> Self {
        let file = WriteBehind::new(data.join(FILE), written);
        let read = match read_text(file.path()) {
            Ok(text) => {
                serde_json::from_str(text.as_deref().unwrap_or("{}")).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let mut servers: BTreeMap<String, Kept> = read.unwrap_or_else(|reason| {
            tracing::warn!(file = %file.path().display(), %reason, "cannot be used; it is written again");
            BTreeMap::new()
        });
        let lists = |servers: &BTreeMap<String, Kept>| {
            servers.values().map(|kept| kept.items.len() + 1).sum::<usize>()
        };
        let (before, redactor) = (lists(&servers), redaction.now());
        servers.retain(|_, kept| kept.without_secrets(&redactor));
        if lists(&servers) < before {
            file.note_change();
        }
        Self { file, servers: Mutex::new(servers), redaction: Arc::clone(redaction), key }
    }

    /// Returns the last introduction of an upstream with this entry.
    pub(super) fn of(&self, server: &str, entry: &ServerEntry) -> Option<Introduction> {
        let entry = digest(entry, self.key)?;
        self.servers.lock().get(server).filter(|kept| kept.entry == entry).and_then(Kept::introduction)
    }

    /// Keeps the introduction of an upstream.
    pub(super) fn put(&self, server: &str, entry: &ServerEntry, introduction: &Introduction) {
        let Some(entry) = digest(entry, self.key) else { return };
        let redactor = self.redaction.now();
        let kept = Kept::new(entry, introduction);
        let kept = kept.and_then(|mut kept| kept.without_secrets(&redactor).then_some(kept));
        {
            let mut servers = self.servers.lock();
            servers.remove(server);
            if let Some(kept) = kept {
                if servers.len() >= MAX_SERVERS {
                    servers.clear();
                }
                servers.insert(server.to_owned(), kept);
            }
        }
        self.file.note_change();
    }

    fn write(&self) {
        self.file.write(|| serde_json::to_vec(&*self.servers.lock()));
    }
}

impl Service for Introductions {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        write_changes(self, WRITE_DELAY, tasks, |known| &known.file, Self::write);
    }

    fn stop(&self) {
        self.write();
    }
}

impl Kept {
    /// Converts what an upstream sent. Returns `None` if it is too long or not JSON.
    fn new(entry: String, introduction: &Introduction) -> Option<Self> {
        let raw = |bytes: &[u8]| serde_json::from_slice::<Box<RawValue>>(bytes).ok();
        let all = |items: &[bytes::Bytes]| items.iter().map(|item| raw(item)).collect::<Option<Vec<_>>>();
        let Introduction { tools, capabilities, instructions, items } = introduction;
        let sizes = tools.iter().map(|tool| tool.definition.len());
        let size: usize =
            sizes.chain([capabilities.len()]).chain(instructions.iter().map(bytes::Bytes::len)).sum();
        let mut room = MAX_BYTES.checked_sub(size)?;
        let mut kept_items = BTreeMap::new();
        for (method, items) in items {
            // A long list is requested again, and the tools are still of use.
            if let Some(left) = room.checked_sub(items.iter().map(bytes::Bytes::len).sum()) {
                room = left;
                kept_items.insert(method.clone(), all(items)?);
            }
        }
        Some(Self {
            entry,
            capabilities: raw(capabilities)?,
            instructions: instructions.as_ref().and_then(|text| serde_json::from_slice(text).ok()),
            tools: tools.iter().map(|tool| raw(&tool.definition)).collect::<Option<_>>()?,
            items: kept_items,
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

    /// Removes lists with secrets. Whether redaction leaves the rest unchanged: agents must get it as it was sent.
    fn without_secrets(&mut self, redactor: &Redactor) -> bool {
        let is_open = |raw: &RawValue| redactor.redact(raw.get(), Trust::Foreign).is_none();
        self.items.retain(|_, items| items.iter().all(|item| is_open(item)));
        let is_open_tool = |raw: &RawValue| matches!(redactor.definition(raw.get()), Cow::Borrowed(_));
        self.tools.iter().all(|tool| is_open_tool(tool))
            && is_open(&self.capabilities)
            && self.instructions.iter().all(|text| matches!(redactor.text(text), Cow::Borrowed(_)))
    }
}

/// Returns a digest of an entry, or `None` if its server runs in this process or not at all.
fn digest(entry: &ServerEntry, HashKey(first, second): HashKey) -> Option<String> {
    let written = match entry {
        ServerEntry::Stdio(spec) => serde_json::json!([spec.command, spec.args, spec.env, spec.cwd]),
        ServerEntry::Http(spec) => serde_json::json!([spec.url.as_str(), spec.headers]),
        ServerEntry::BuiltIn(_)
        | ServerEntry::CommandLine(_)
        | ServerEntry::Disabled
        | ServerEntry::Invalid(_) => return None,
    };
    let keyed = format!("{first:032x}{second:032x}{written}");
    Some(Sha256::digest(keyed).iter().map(|byte| format!("{byte:02x}")).collect())
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
        let open = || Introductions::open(data.path(), HashKey(1, 2), &redaction(), true);
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
        let known = Introductions::open(data.path(), HashKey(1, 2), &redaction(), true);
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for description in [&format!("Uses {secret}"), &"x".repeat(MAX_BYTES)] {
            known.put("s", &entry("1"), &introduction("d"));
            known.put("s", &entry("1"), &introduction(description));
            assert_eq!(known.of("s", &entry("1")), None);
        }
        // Lists with secrets are left out alone.
        let mut listed = introduction("d");
        listed.items.insert(
            "resources/list".to_owned(),
            [r#"{"uri":"a:b","_meta":{"password":"hunter2"}}"#.into()].into(),
        );
        known.put("s", &entry("value"), &listed);
        assert_eq!(known.of("s", &entry("value")), Some(introduction("d")));
        known.stop();
        let text = fs::read_to_string(data.path().join(FILE)).unwrap();
        assert!(text.contains("\"d\"") && !text.contains("value") && !text.contains(secret), "{text}");
        // What became a secret since is left out.
        fs::write(data.path().join(FILE), text.replace("\"d\"", &format!("\"{secret}\""))).unwrap();
        let known = Introductions::open(data.path(), HashKey(1, 2), &redaction(), true);
        assert_eq!(known.of("s", &entry("value")), None);
        known.stop();
        assert_eq!(fs::read_to_string(data.path().join(FILE)).unwrap(), "{}");
        fs::write(data.path().join(FILE), "no JSON").unwrap();
        assert!(
            Introductions::open(data.path(), HashKey(1, 2), &redaction(), true).servers.lock().is_empty()
        );
    }
}

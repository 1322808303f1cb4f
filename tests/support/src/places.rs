//! Paths of the built programs and of real servers, and their entries in a configuration.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// The built binaries and the installed tools.
#[derive(Debug, Clone)]
pub struct Places {
    bin: PathBuf,
    tools: PathBuf,
}

/// An entry of `mcpServers`.
pub fn stdio(command: impl AsRef<Path>, args: &[&str]) -> Value {
    json!({"command": command.as_ref(), "args": args})
}

/// An entry of `mcpServers` for a server that can run only once at a time, so its clients share a process.
pub fn stdio_once(command: impl AsRef<Path>, scratch: &Path) -> Value {
    let lock = scratch.join("lock");
    json!({"command": "flock", "args": ["--nonblock", "--no-fork", lock, command.as_ref()]})
}

impl Places {
    /// From the path of the `schemascope` binary: the other binaries are built beside it, and
    /// `cargo xtask setup` installs the tools in the same target folder.
    pub fn beside(schemascope: impl AsRef<Path>) -> Result<Self> {
        let bin = schemascope.as_ref().parent().context("a binary has a folder")?.to_owned();
        let tools = bin.parent().context("target/debug has a parent")?.join("tools");
        Ok(Self { bin, tools })
    }

    /// A fixture upstream of ours: `shop`, `communal`, `conformance`, `odd`, `faulty`, `hostile`, `mirror`.
    pub fn fixture(&self, name: &str) -> PathBuf {
        self.bin.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// The `schemascope` binary.
    pub fn schemascope(&self) -> PathBuf {
        self.fixture("schemascope")
    }

    /// The folder whose `node_modules` has the npm servers and the TypeScript SDK.
    pub fn npm(&self) -> PathBuf {
        self.tools.join("npm")
    }

    /// The Node that came with the tools, for what needs a newer one than systems have; without it the
    /// system's.
    pub fn node(&self) -> PathBuf {
        let own =
            ["x64", "arm64"].map(|cpu| self.npm().join(format!("node_modules/node-linux-{cpu}/bin/node")));
        own.into_iter().find(|node| node.exists()).unwrap_or_else(|| "node".into())
    }

    /// The Python that has the Python SDK.
    pub fn python(&self) -> PathBuf {
        self.tools.join("python/bin/python")
    }

    /// The real servers, with what they need in `scratch`.
    pub fn real_servers(&self, scratch: &Path) -> Map<String, Value> {
        let npm =
            |name: &str| self.npm().join(format!("node_modules/@modelcontextprotocol/{name}/dist/index.js"));
        let node = |script: PathBuf, args: &[&str]| {
            let args: Vec<Value> =
                std::iter::once(json!(script)).chain(args.iter().map(|arg| json!(arg))).collect();
            json!({"command": "node", "args": args})
        };
        let folder = scratch.display().to_string();
        let mut memory = node(npm("server-memory"), &[]);
        memory["env"] = json!({"MEMORY_FILE_PATH": scratch.join("memory.jsonl")});
        let python = |name: &str, args: &[&str]| stdio(self.tools.join("python/bin").join(name), args);
        Map::from_iter([
            ("everything".to_owned(), node(npm("server-everything"), &["stdio"])),
            ("files".to_owned(), node(npm("server-filesystem"), &[&folder])),
            ("memory".to_owned(), memory),
            ("git".to_owned(), python("mcp-server-git", &["--repository", &folder])),
            ("time".to_owned(), python("mcp-server-time", &["--local-timezone=UTC"])),
        ])
    }
}

//! Reading `mcp.json`. If it is missing or invalid the engine runs all the same. Its form is known in `proxy`.

use parking_lot::{Mutex, MutexGuard, RwLock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_proxy::{Config, OWN_SERVER, ServerEntry};

use schemascope_redact::is_sensitive_key;

/// A configuration, and why it is empty if it is.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The file.
    pub path: PathBuf,
    /// The upstreams; none if there is a problem.
    pub config: Config,
    /// Those that are switched off, as if they were not.
    pub disabled: Config,
    /// Why the file cannot be used, if so.
    pub problem: Option<String>,
}

impl LoadedConfig {
    /// Reads a file. A problem is reported, not fatal.
    pub fn read(path: &Path) -> Self {
        let parsed = match std::fs::read_to_string(path) {
            Ok(text) => {
                let variable = |name: &str| std::env::var(name).ok();
                let text = text.trim_start_matches('\u{feff}');
                let disabled = Config::parse_disabled(text, &variable).unwrap_or_default();
                let parsed = Config::parse(text, &variable).map_err(|error| error.to_string());
                parsed.map(|config| (config, disabled))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(
                "does not exist; create it with {\"mcpServers\": {\"NAME\": {\"command\": \"…\", \"args\": []}}}"
                    .to_owned(),
            ),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        match parsed {
            Ok((config, disabled)) => Self { path: path.to_owned(), config, disabled, problem: None },
            Err(problem) => {
                let (config, disabled) = Default::default();
                Self { path: path.to_owned(), config, disabled, problem: Some(problem) }
            }
        }
    }

    /// Why the entry with the name of Schemascope's own upstream is rejected, if there is one.
    pub(crate) fn own_entry(&self) -> Option<&str> {
        match self.config.servers.get(OWN_SERVER)? {
            ServerEntry::Invalid(reason) => Some(reason),
            _ => None,
        }
    }

    /// Names and values with which upstreams are started and reached: environment variables, options, headers, and
    /// parts of addresses, also of those that are switched off. They may be secrets.
    pub(crate) fn values(&self) -> Vec<(&str, &str)> {
        self.config.servers.values().chain(self.disabled.servers.values()).flat_map(values).collect()
    }
}

/// The configuration in effect. It changes when its file does.
#[derive(Debug)]
pub(crate) struct ActiveConfig {
    now: RwLock<Arc<LoadedConfig>>,
    /// Held while the proxy is given other servers.
    alone: Mutex<()>,
}

impl ActiveConfig {
    pub(crate) fn new(loaded: LoadedConfig) -> Self {
        Self { now: RwLock::new(Arc::new(loaded)), alone: Mutex::new(()) }
    }

    pub(crate) fn now(&self) -> Arc<LoadedConfig> {
        Arc::clone(&self.now.read())
    }

    pub(crate) fn set(&self, loaded: LoadedConfig) {
        *self.now.write() = Arc::new(loaded);
    }

    /// Keeps others from giving the proxy other servers: what they read before would take those of this caller away.
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.alone.lock()
    }
}

fn values(entry: &ServerEntry) -> Vec<(&str, &str)> {
    match entry {
        ServerEntry::Stdio(spec) => texts(&spec.env).chain(secret_arguments(&spec.args)).collect(),
        ServerEntry::Http(spec) => {
            let query = spec.url.query().into_iter().flat_map(|query| query.split('&'));
            let parameters = query.filter_map(|pair| pair.split_once('='));
            let address = ("url", spec.url.as_str());
            texts(&spec.headers).chain(parameters).chain([address]).collect()
        }
        ServerEntry::BuiltIn(_)
        | ServerEntry::CommandLine(_)
        | ServerEntry::Disabled
        | ServerEntry::Invalid(_) => Vec::new(),
    }
}

/// Secrets among the arguments of a program, with their names: values of options, variables (`-e API_KEY=…`) and headers
/// (`--header "X-Api-Key: …"`) with a telling name, and addresses, which can have a password. Others say what the program
/// should do.
pub(crate) fn secret_arguments(args: &[String]) -> impl Iterator<Item = (&str, &str)> {
    let apart = args.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let options = apart.filter(|(name, _)| name.starts_with('-'));
    // `--env=API_KEY=…`: the value of an option can be a pair itself.
    let words = args.iter().flat_map(|arg| {
        let value = arg.split_once('=').filter(|(name, _)| name.starts_with('-')).map(|(_, value)| value);
        [Some(arg.as_str()), value]
    });
    let pairs = words.flatten().flat_map(|word| {
        let header = word.split_once(':').filter(|(name, _)| is_header(name));
        [word.split_once('='), header]
    });
    let addresses = || args.iter().filter(|arg| arg.contains("://"));
    let queries =
        addresses().filter_map(|arg| arg.split_once('?')).flat_map(|(_, query)| query.split(['&', '#']));
    let parameters = queries.filter_map(|pair| pair.split_once('='));
    let addresses = addresses().map(|arg| ("url", arg.as_str()));
    let apart = args.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let further = apart.filter_map(|(option, value)| match option {
        // What a container gets as its environment.
        "-e" | "--env" => value.split_once('='),
        "-u" | "--user" | "--auth" => value.split_once(':').map(|(_, password)| ("password", password)),
        _ => None,
    });
    let named = options.chain(pairs.flatten()).chain(parameters).filter(|(name, _)| is_sensitive_key(name));
    named.chain(further).chain(addresses)
}

fn is_header(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn texts(pairs: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

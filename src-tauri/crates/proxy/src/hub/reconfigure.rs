//! Applying a changed configuration while upstreams run.

use std::sync::{Arc, PoisonError};

use super::{Hub, Upstreams};
use crate::config::Config;

/// The servers that a changed configuration concerns, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// New servers.
    pub added: Vec<String>,
    /// Servers whose entry changed.
    pub changed: Vec<String>,
    /// Removed servers.
    pub removed: Vec<String>,
}

impl Reconfigured {
    /// Whether no server changed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// All names, in the order added, changed, removed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.added, &self.changed, &self.removed].into_iter().flatten().map(String::as_str)
    }
}

impl Hub {
    /// Applies a changed configuration. Upstreams with an unchanged entry keep running, those with a changed entry
    /// are restarted, removed ones end, and new ones start when they are first needed. Returns which ones changed,
    /// without waiting for them. Needs a tokio runtime.
    pub fn reconfigure(&self, config: &Config) -> Reconfigured {
        let mut done = Reconfigured::default();
        {
            let mut upstreams = self.upstreams.write().unwrap_or_else(PoisonError::into_inner);
            let mut now = Upstreams::new();
            for (name, entry) in self.entries(config) {
                let upstream = match upstreams.get(name) {
                    Some(known) => {
                        if known.reconfigure(&entry) {
                            done.changed.push(name.to_owned());
                        }
                        Arc::clone(known)
                    }
                    None => {
                        done.added.push(name.to_owned());
                        self.add(name, &entry)
                    }
                };
                now.insert(name.to_owned(), upstream);
            }
            for (name, upstream) in upstreams.iter().filter(|(name, _)| !now.contains_key(*name)) {
                done.removed.push(name.clone());
                let upstream = Arc::clone(upstream);
                tokio::spawn(async move { upstream.remove().await });
            }
            *upstreams = Arc::new(now);
        }
        // Listing again removes the old tools and starts the new servers.
        if !done.is_nothing() {
            self.announce_tools();
        }
        done
    }
}

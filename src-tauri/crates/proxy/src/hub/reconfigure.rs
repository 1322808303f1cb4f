//! Another configuration while upstreams run.
//!
//! Owns: which of them go on, begin, end and begin anew. Refuses to know: how one does that.

use std::sync::{Arc, PoisonError};

use super::{Hub, Upstreams};
use crate::config::Config;

/// What another configuration changed: names of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// Those that are new.
    pub added: Vec<String>,
    /// Those with another entry than before.
    pub changed: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

impl Reconfigured {
    /// Whether everything is as before.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// All that are others than before.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.added, &self.changed, &self.removed].into_iter().flatten().map(String::as_str)
    }
}

impl Hub {
    /// Takes another configuration: upstreams whose entries are the same go on untouched, the others end, begin
    /// anew by their new entries, or begin when they are first needed. Names those that are others now. Waits for
    /// nothing; needs a tokio runtime.
    pub fn reconfigure(&self, config: &Config) -> Reconfigured {
        let mut done = Reconfigured::default();
        {
            let mut upstreams = self.upstreams.write().unwrap_or_else(PoisonError::into_inner);
            let mut now = Upstreams::new();
            for (name, entry) in &config.servers {
                let upstream = match upstreams.get(name) {
                    Some(known) => {
                        if known.reconfigure(entry) {
                            done.changed.push(name.clone());
                        }
                        Arc::clone(known)
                    }
                    None => {
                        done.added.push(name.clone());
                        self.add(name, entry)
                    }
                };
                now.insert(name.clone(), upstream);
            }
            for (name, upstream) in upstreams.iter().filter(|(name, _)| !now.contains_key(*name)) {
                done.removed.push(name.clone());
                let upstream = Arc::clone(upstream);
                tokio::spawn(async move { upstream.remove().await });
            }
            *upstreams = Arc::new(now);
        }
        // Some may have gone, and whoever lists again starts those that came.
        if !done.is_nothing() {
            self.announce_tools();
        }
        done
    }
}

//! An upstream's state, as it is shown to the user.

use std::sync::Arc;

use schemascope_model::{Timestamp, UpstreamState};

use super::{Phase, Upstream};
use crate::config::ServerEntry;

/// An upstream's state, as it is shown to the user.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its name in the configuration.
    pub name: String,
    /// The state.
    pub state: UpstreamState,
    /// Whether it is being started, also after a failure, which stays its state until then.
    pub is_starting: bool,
    /// The reason, where it is not obvious.
    pub reason: Option<String>,
    /// Number of tools, while it is ready and can list them.
    pub tools: Option<usize>,
    /// Its process, while it is ready.
    pub pid: Option<u32>,
    /// When it became ready, or when it began to fail.
    pub since: Option<Timestamp>,
    /// Protocol version agreed on, while it is ready.
    pub protocol_version: Option<String>,
}

impl Status {
    /// Whether its tools are known to be those that it lists.
    pub fn lists_tools(&self) -> bool {
        self.state == UpstreamState::Ready && self.tools.is_some()
    }
}

impl Upstream {
    pub(crate) fn status(&self) -> Status {
        let entry = self.entry().clone();
        let is_starting = matches!(*self.phase(), Phase::Starting { .. });
        let (state, reason, live) = match (&entry, &*self.phase()) {
            (ServerEntry::Disabled, _) => (UpstreamState::Disabled, None, None),
            (ServerEntry::Invalid(reason), _) => (UpstreamState::Invalid, Some(reason.clone()), None),
            (_, Phase::Idle) => (UpstreamState::Idle, Some("starts when first needed".into()), None),
            (_, Phase::Starting { since, .. }) => {
                let seconds = since.elapsed().as_secs();
                let waits = format!("started {seconds} s ago and is not ready yet");
                match self.failing().as_ref().and_then(|failing| failing.reason.as_ref()) {
                    Some(reason) => {
                        (UpstreamState::Failed, Some(format!("{reason}; another attempt {waits}")), None)
                    }
                    None => (UpstreamState::Starting, Some(waits).filter(|_| seconds > 0), None),
                }
            }
            (_, Phase::Ready(live)) => {
                let (noise, dropped) = (live.link.noise(), live.link.dropped());
                let mut remarks = Vec::new();
                if let Some(reason) = live.listing_error() {
                    remarks.push(format!("its tools cannot be listed: {reason}"));
                }
                if noise > 0 {
                    remarks.push(format!("wrote {noise} lines to stdout that are not messages"));
                }
                if let Some(reason) = self.sharing_reason() {
                    remarks.push(format!(
                        "serves its clients together, because another session failed: {reason}"
                    ));
                }
                if let Some((clients, reason)) = self.crash_reason() {
                    let whose = match clients {
                        1 => "the session of one client".to_owned(),
                        n => format!("sessions of {n} clients"),
                    };
                    remarks.push(format!("{whose} ended: {reason}"));
                }
                if dropped > 0 {
                    remarks.push(format!("sent {dropped} notifications that slow clients missed"));
                }
                let reason = (!remarks.is_empty()).then(|| format!("works, but {}", remarks.join(" and ")));
                (UpstreamState::Ready, reason, Some(Arc::clone(live)))
            }
            (_, Phase::Failed { reason, .. }) => (UpstreamState::Failed, Some(reason.clone()), None),
            (_, Phase::Stopped) => (UpstreamState::Idle, Some("stopped".into()), None),
        };
        Status {
            name: self.name.clone(),
            state,
            is_starting,
            reason,
            tools: live.as_ref().filter(|live| live.listing_error().is_none()).map(|live| live.tools().len()),
            pid: live.as_ref().and_then(|live| live.pid),
            since: match state {
                UpstreamState::Failed | UpstreamState::Invalid => {
                    self.failing().as_ref().map(|failing| failing.since)
                }
                _ => live.as_ref().map(|live| live.since),
            },
            protocol_version: live.as_ref().map(|live| live.hello.version.clone()),
        }
    }
}

//! The instructions on `/mcp`: those of all upstreams that are ready in time.

use std::time::Duration;

use super::{Hub, public_name};

/// How long the introduction of a client waits for upstreams that are still starting.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Bytes of the instructions of all upstreams together.
const MAX_BYTES: usize = 32 << 10;

impl Hub {
    /// Returns what the upstreams tell clients about themselves, or none if they tell nothing.
    pub(crate) async fn instructions(&self) -> Option<String> {
        // Expected instructions suffice: they hardly ever change.
        let known = self.offered().map(|upstream| {
            let limit = if upstream.expected().is_some() { Duration::ZERO } else { TIMEOUT };
            (upstream, limit)
        });
        let ready = Self::ready_of(known).await;
        let told = ready.iter().filter_map(|(upstream, live)| {
            let instructions = match live {
                Some(live) => live.hello.instructions.clone(),
                None => upstream.expected()?.instructions,
            };
            Some((upstream.name(), serde_json::from_slice(&instructions?).ok()?))
        });
        together(told)
    }
}

/// Puts texts below the names of their servers. Those that there is no room for are named.
fn together<'s>(told: impl Iterator<Item = (&'s str, String)>) -> Option<String> {
    let (mut all, mut left_out) = (String::new(), Vec::new());
    for (server, text) in told.filter(|(_, text)| !text.trim().is_empty()) {
        if all.len() + server.len() + text.len() > MAX_BYTES {
            left_out.push(server);
            continue;
        }
        // The text calls its tools as the server does. An alias differs from tool to tool.
        let name = Some(public_name(server, "NAME")).filter(|name| name.ends_with("__NAME"));
        let naming = name.map(|name| format!(": its tools are named {name}")).unwrap_or_default();
        all += &format!("# {server}{naming}\n\n{}\n\n", text.trim());
    }
    if !left_out.is_empty() {
        all += &format!("The instructions of these servers are too long: {}", left_out.join(", "));
    }
    (!all.is_empty()).then(|| all.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_stand_below_the_names_of_their_servers() {
        let told = [("b", " Use b.\n"), ("silent", " "), ("a b", "Use a.")];
        let together = |told: &[(&'static str, &str)]| {
            together(told.iter().map(|(name, text)| (*name, (*text).to_owned())))
        };
        assert_eq!(together(&told).unwrap(), "# b: its tools are named b__NAME\n\nUse b.\n\n# a b\n\nUse a.");
        assert_eq!(together(&[("silent", "")]), None);
        let long = "x".repeat(MAX_BYTES);
        let together = together(&[("long", &long), ("a", "Use a.")]).unwrap();
        assert_eq!(
            together,
            "# a: its tools are named a__NAME\n\nUse a.\n\nThe instructions of these servers are too long: long"
        );
    }
}

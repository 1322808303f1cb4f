//! HTTP clients: one for upstreams on this machine, one for all others.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Client;

use super::SEND_TIMEOUT;
use crate::config::HttpSpec;

/// Returns the shared client for an address. Addresses on this machine are never reached through a proxy.
pub(crate) fn client(spec: &HttpSpec) -> Result<Client, String> {
    static LOCAL: OnceLock<Result<Client, String>> = OnceLock::new();
    static REMOTE: OnceLock<Result<Client, String>> = OnceLock::new();
    let local = spec.url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    });
    let client = if local { &LOCAL } else { &REMOTE };
    client.get_or_init(|| build(local)).clone()
}

/// Builds a client for our own endpoint.
pub(crate) fn own_client() -> Result<Client, String> {
    build(true)
}

fn build(local: bool) -> Result<Client, String> {
    // Another part of the process may have chosen a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(SEND_TIMEOUT)
        .tcp_nodelay(true)
        // Shorter than servers keep idle connections, so that none is reused while the server closes it.
        .pool_idle_timeout(Duration::from_secs(4))
        // The headers of an entry may be secrets, and are for its address only.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("schemascope/", env!("CARGO_PKG_VERSION")));
    let client = if local { client.no_proxy() } else { client };
    client.build().map_err(|error| format!("cannot create an HTTP client: {error}"))
}

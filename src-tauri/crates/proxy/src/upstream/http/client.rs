//! The HTTP clients: one for upstreams on this machine, one for the others.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Client;

use super::PATIENCE;
use crate::config::HttpSpec;

/// A client for upstreams on this machine, where no proxy stands between, or for the others.
pub(crate) fn client(spec: &HttpSpec) -> Result<Client, String> {
    static OURS: OnceLock<Result<Client, String>> = OnceLock::new();
    static OTHERS: OnceLock<Result<Client, String>> = OnceLock::new();
    let local = spec.url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    });
    let client = if local { &OURS } else { &OTHERS };
    client.get_or_init(|| build(local)).clone()
}

/// A client for our own endpoint.
pub(crate) fn own_client() -> Result<Client, String> {
    build(true)
}

fn build(local: bool) -> Result<Client, String> {
    // Another part of the process may have chosen a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(PATIENCE)
        .tcp_nodelay(true)
        // Shorter than servers keep connections nobody uses, so that none is used that is being closed.
        .pool_idle_timeout(Duration::from_secs(4))
        // What stands in headers is for the address of the entry and nobody else.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("schemascope/", env!("CARGO_PKG_VERSION")));
    let client = if local { client.no_proxy() } else { client };
    client.build().map_err(|error| format!("no HTTP client: {error}"))
}

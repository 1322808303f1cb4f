//! Checks of Host, Origin and token, before anything else.
//!
//! The Host check stops web pages that reach us under a name of their own (DNS rebinding). The Origin check stops
//! pages that call us directly. Tokens keep out other users of the machine, and agents from decisions: the agent token
//! opens the MCP endpoints only, the owner token opens everything. Only the dashboard's files need none.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use reqwest::Url;
use sha2::{Digest, Sha256};

/// The tokens of a listener.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// Opens the MCP endpoints; with `None` they are open to every program of this machine.
    pub agent: Option<Arc<str>>,
    /// Opens everything.
    pub owner: Arc<str>,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Agents, and the owner.
    Agent,
    /// The owner only.
    Owner,
}

/// Middleware that rejects requests by Host and Origin, with 403 or 400. Its state is the address on which we listen.
pub async fn check_site(State(address): State<SocketAddr>, request: Request, next: Next) -> Response {
    match reject_site(address, request.headers(), request.uri().host()) {
        Some(response) => response,
        None => next.run(request).await,
    }
}

/// Middleware that rejects requests without a valid token, with 401, and those whose token does not open the route, with
/// 403.
pub async fn check_token(
    State((tokens, access)): State<(Tokens, Access)>,
    request: Request,
    next: Next,
) -> Response {
    match tokens.reject(access, request.headers()) {
        Some(response) => response,
        None => next.run(request).await,
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn reject_site(address: SocketAddr, headers: &HeaderMap, uri_host: Option<&str>) -> Option<Response> {
    // A request has one Host header (RFC 9112, 3.2) and one Origin at most; its target may name the host as well.
    for name in [header::HOST, header::ORIGIN] {
        if headers.get_all(&name).iter().count() > 1 {
            let message = format!("the request has more than one {name} header\n");
            return Some((StatusCode::BAD_REQUEST, message).into_response());
        }
    }
    let host = text(headers, header::HOST).or(uri_host);
    let named = [uri_host, host];
    // A page elsewhere can give its own name our address, but no page can claim an address as its name.
    let is_any = |host: &Url| address.ip().is_unspecified() && host.domain().is_none();
    let is_foreign =
        |host: &&str| !authority(host).is_some_and(|host| is_ours(address, &host) || is_any(&host));
    if let Some(other) = named.into_iter().flatten().find(is_foreign) {
        return Some(forbidden(format!(
            "Host {other:?} is not a name of this machine; use localhost, or the address that it listens on\n"
        )));
    }
    if host.is_none() {
        return Some(forbidden("the Host header is missing\n".to_owned()));
    }
    // A page from the requested address is ours, also if a port is forwarded.
    let requested = host.and_then(authority);
    let is_own = |origin: &Url| requested.as_ref() == Some(origin) || is_own_origin(address, origin);
    let origin = text(headers, header::ORIGIN);
    let site = |origin: &str| origin.strip_prefix("http://").and_then(authority);
    let foreign = origin.filter(|origin| !site(origin).is_some_and(|origin| is_own(&origin)));
    foreign.map(|origin| {
        forbidden(format!("Origin {origin:?} may not call this server; only the dashboard's own pages may\n"))
    })
}

/// Whether a host is this machine, with any port: it may be forwarded.
fn is_ours(address: SocketAddr, host: &Url) -> bool {
    let own = match address.ip() {
        IpAddr::V4(own) => own.to_string(),
        IpAddr::V6(own) => format!("[{own}]"),
    };
    host.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]") || host == own)
}

/// Whether an origin is ours: this machine and *our* port. Other ports serve pages of other programs.
fn is_own_origin(address: SocketAddr, origin: &Url) -> bool {
    origin.port_or_known_default() == Some(address.port()) && is_ours(address, origin)
}

/// Reads `HOST` or `HOST:PORT` as a browser does; `None` if the text is anything else.
fn authority(text: &str) -> Option<Url> {
    let is_bare = !text.contains(['/', '\\', '?', '#', '@']) && !text.contains(char::is_whitespace);
    Url::parse(&format!("http://{text}")).ok().filter(|_| is_bare)
}

impl Tokens {
    fn reject(&self, access: Access, headers: &HeaderMap) -> Option<Response> {
        let given = text(headers, header::AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let is = |token: &str| given.is_some_and(|given| same(given, token));
        let is_agent = self.agent.as_deref().is_some_and(is);
        let unauthorized = |message: &'static str| {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            Some((StatusCode::UNAUTHORIZED, challenge, message).into_response())
        };
        match access {
            _ if is(&self.owner) => None,
            Access::Agent if is_agent || self.agent.is_none() => None,
            Access::Agent => unauthorized(
                "this server requires the header \"Authorization: Bearer TOKEN\"; the token is the \
                 field \"token\" of instance.json in its data directory\n",
            ),
            Access::Owner if is_agent => Some(forbidden(
                "the agent token opens /mcp only; the dashboard and its commands require the owner token, which is in \
                 the file owner-token in the data directory\n"
                    .to_owned(),
            )),
            Access::Owner => unauthorized(
                "the dashboard and its commands require the header \"Authorization: Bearer TOKEN\" with the owner \
                 token, which is in the file owner-token in the data directory\n",
            ),
        }
    }
}

fn forbidden(message: String) -> Response {
    (StatusCode::FORBIDDEN, message).into_response()
}

/// Compares digests, so that the time does not reveal the token.
fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a) == Sha256::digest(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Tokens {
        Tokens { agent: Some("s3cret".into()), owner: "0wner".into() }
    }

    fn rejected(headers: &HeaderMap, uri_host: Option<&str>) -> Option<u16> {
        code(reject_site("127.0.0.1:7347".parse().unwrap(), headers, uri_host))
    }

    fn headers(headers: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse::<header::HeaderName>().unwrap(), value.parse().unwrap());
        }
        map
    }

    fn code(response: Option<Response>) -> Option<u16> {
        response.map(|response| response.status().as_u16())
    }

    fn site(of: &[(&str, &str)]) -> Option<u16> {
        rejected(&headers(of), None)
    }

    #[test]
    fn foreign_hosts_and_origins_are_rejected() {
        for (host, origin, expect) in [
            ("127.0.0.1:7347", None, None),
            ("localhost:9999", None, None),
            ("LocalHost:9999", None, None),
            ("[::1]:7347", None, None),
            ("evil.example:7347", None, Some(403)),
            ("127.0.0.1.evil.example", None, Some(403)),
            ("[::1].evil.example", None, Some(403)),
            ("[::1]evil.example:7347", None, Some(403)),
            ("[::1", None, Some(403)),
            ("localhost:evil.example", None, Some(403)),
            ("localhost:7347:evil.example", None, Some(403)),
            ("localhost:7347@evil.example", None, Some(403)),
            ("evil.example@localhost:7347", None, Some(403)),
            ("localhost/evil.example", None, Some(403)),
            ("localhost#.evil.example", None, Some(403)),
            ("localhost:99999", None, Some(403)),
            ("", None, Some(403)),
            ("localhost", Some("http://[::1]:7347"), None),
            ("localhost", Some("http://[::1].evil.example:7347"), Some(403)),
            ("localhost", Some("http://localhost:evil.example:7347"), Some(403)),
            ("localhost", Some("http://localhost:7347@evil.example:7347"), Some(403)),
            ("localhost", Some("http://evil.example/:7347"), Some(403)),
            ("localhost", Some("http://localhost:7347, http://evil.example"), Some(403)),
            ("localhost", Some(""), Some(403)),
            ("localhost", Some("http://localhost:7347"), None),
            ("localhost", Some("http://127.0.0.1:7347"), None),
            ("localhost:8000", Some("http://localhost:8000"), None),
            ("evil.example", Some("http://evil.example"), Some(403)),
            ("localhost:8000", Some("https://localhost:8000"), Some(403)),
            ("localhost", Some("http://localhost:3000"), Some(403)),
            ("localhost", Some("https://localhost:7347"), Some(403)),
            ("localhost", Some("http://evil.example:7347"), Some(403)),
            ("localhost", Some("null"), Some(403)),
        ] {
            let mut headers = vec![("host", host)];
            headers.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(site(&headers), expect, "{host} {origin:?}");
        }
        assert_eq!(site(&[]), Some(403));
        assert_eq!(site(&[("host", "localhost"), ("host", "evil.example")]), Some(400));
        let two =
            [("host", "localhost"), ("origin", "http://localhost:7347"), ("origin", "http://evil.example")];
        assert_eq!(site(&two), Some(400));
        let headers = headers(&[("host", "localhost")]);
        assert!(rejected(&headers, Some("evil.example")).is_some());
        assert!(rejected(&headers, Some("127.0.0.1")).is_none());
    }

    #[test]
    fn owner_token_opens_everything_and_agent_token_mcp_only() {
        let open = Tokens { agent: None, ..tokens() };
        for (authorization, agent, owner, owner_if_open) in [
            ("Bearer s3cret", None, Some(403), Some(401)),
            ("bearer  s3cret ", None, Some(403), Some(401)),
            ("Bearer 0wner", None, None, None),
            ("Bearer wrong", Some(401), Some(401), Some(401)),
            ("Bearer ", Some(401), Some(401), Some(401)),
            ("0wner", Some(401), Some(401), Some(401)),
            ("", Some(401), Some(401), Some(401)),
        ] {
            let headers = headers(&[("authorization", authorization)]);
            let status = |tokens: &Tokens, access| code(tokens.reject(access, &headers));
            let tokens = tokens();
            let seen = (status(&tokens, Access::Agent), status(&tokens, Access::Owner));
            assert_eq!(seen, (agent, owner), "{authorization}");
            let seen = (status(&open, Access::Agent), status(&open, Access::Owner));
            assert_eq!(seen, (None, owner_if_open), "{authorization}, --no-auth");
        }
    }
}

//! Who may talk to us: Host, Origin and token, checked before anything else; the token on every
//! route but the dashboard's own files, which are no secret.
//!
//! Host keeps web pages from reaching us under a name of their own (DNS rebinding), Origin keeps them
//! from reaching us directly, the token keeps other users of the machine out. Owns: those checks.
//! Refuses to know: routes.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// What is let in.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Where we listen.
    pub address: SocketAddr,
    /// What `Authorization: Bearer` must carry; none switches the check off.
    pub token: Option<Arc<str>>,
}

/// Middleware: lets a request through or answers 403, by where it comes from.
pub async fn check_site(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.refuses_site(request.headers(), request.uri().host()) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

/// Middleware: lets a request through or answers 401, by the token it carries.
pub async fn check_token(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.refuses_token(request.headers()) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

impl Guard {
    fn refuses_site(&self, headers: &HeaderMap, uri_host: Option<&str>) -> Option<Response> {
        // Whom a request is for it says once (RFC 9112, 3.2), in its target or beside it.
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some((StatusCode::BAD_REQUEST, "more than one Host\n").into_response());
        }
        let host = text(headers, header::HOST).or(uri_host);
        let named = [uri_host, host];
        if let Some(other) = named.into_iter().flatten().find(|host| !self.is_ours(host)) {
            return Some(forbidden(format!("Host {other:?} is not this machine\n")));
        }
        if host.is_none() {
            return Some(forbidden("the header Host is missing\n".to_owned()));
        }
        // A page of the very address that is asked is ours, also where a port is forwarded.
        let same = |origin: &str| origin.strip_prefix("http://").is_some_and(|site| Some(site) == host);
        let origin =
            text(headers, header::ORIGIN).filter(|origin| !same(origin) && !self.is_own_origin(origin));
        origin.map(|origin| forbidden(format!("Origin {origin:?} may not call this server\n")))
    }

    fn refuses_token(&self, headers: &HeaderMap) -> Option<Response> {
        let token = self.token.as_ref()?;
        let given = text(headers, header::AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        if given.is_some_and(|given| same(given, token)) {
            return None;
        }
        let message = "this server needs the header \"Authorization: Bearer TOKEN\"; the token is in \
                       instance.json in its data directory\n";
        Some((StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], message).into_response())
    }

    /// Whether a Host header names this machine. Any port: it may have been forwarded.
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let name = name.to_ascii_lowercase();
        matches!(&*name, "localhost" | "127.0.0.1" | "::1") || name == self.address.ip().to_string()
    }

    /// Whether an Origin is a page of ours: this machine and *our* port, since other ports serve
    /// other programs' pages.
    fn is_own_origin(&self, origin: &str) -> bool {
        let Some(host) = origin.strip_prefix("http://") else { return false };
        let port = format!(":{}", self.address.port());
        host.ends_with(&port) && self.is_ours(host)
    }
}

fn forbidden(message: String) -> Response {
    (StatusCode::FORBIDDEN, message).into_response()
}

/// Compares digests, so that the time taken says nothing about the token.
fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a) == Sha256::digest(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&str, &str)], token: Option<&str>) -> Option<u16> {
        let guard = Guard { address: "127.0.0.1:7347".parse().unwrap(), token: token.map(Into::into) };
        let headers: HeaderMap = headers
            .iter()
            .map(|(k, v)| (k.parse::<header::HeaderName>().unwrap(), v.parse().unwrap()))
            .collect();
        guard
            .refuses_site(&headers, None)
            .or_else(|| guard.refuses_token(&headers))
            .map(|response| response.status().as_u16())
    }

    #[test]
    fn hosts_and_origins_of_others_are_refused() {
        for (host, origin, expect) in [
            ("127.0.0.1:7347", None, None),
            ("localhost:9999", None, None),
            ("LocalHost:9999", None, None),
            ("[::1]:7347", None, None),
            ("evil.example:7347", None, Some(403)),
            ("127.0.0.1.evil.example", None, Some(403)),
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
            assert_eq!(status(&headers, None), expect, "{host} {origin:?}");
        }
        assert_eq!(status(&[], None), Some(403));
        assert_eq!(status(&[("host", "localhost"), ("host", "evil.example")], None), Some(400));
        let guard = Guard { address: "127.0.0.1:7347".parse().unwrap(), token: None };
        let headers = HeaderMap::from_iter([(header::HOST, "localhost".parse().unwrap())]);
        assert!(guard.refuses_site(&headers, Some("evil.example")).is_some());
        assert!(guard.refuses_site(&headers, Some("127.0.0.1")).is_none());
    }

    #[test]
    fn the_token_is_needed_when_there_is_one() {
        let host = ("host", "localhost");
        for (authorization, expect) in [
            ("Bearer s3cret", None),
            ("bearer s3cret", None),
            ("Bearer wrong", Some(401)),
            ("s3cret", Some(401)),
            ("", Some(401)),
        ] {
            assert_eq!(
                status(&[host, ("authorization", authorization)], Some("s3cret")),
                expect,
                "{authorization}"
            );
        }
        assert_eq!(status(&[host], Some("s3cret")), Some(401));
    }
}

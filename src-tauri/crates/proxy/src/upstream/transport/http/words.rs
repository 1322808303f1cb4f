//! Reasons why a request over HTTP failed, as text without secrets.

use reqwest::StatusCode;

use crate::config::HttpSpec;

/// Characters of an error page that are shown.
const SHOWN_CHARS: usize = 300;
/// Bytes of an error page that are searched for secrets.
const SEARCHED_BYTES: usize = 64 << 10;

/// Explains a response that is not an answer.
pub(super) fn refusal(spec: &HttpSpec, status: StatusCode, body: &[u8]) -> String {
    // Some error pages repeat the request. Secrets are replaced first: half of one would not be found.
    let said = spec.without_secrets(&String::from_utf8_lossy(&body[..body.len().min(SEARCHED_BYTES)]));
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let said: String = said.trim().chars().take(SHOWN_CHARS).map(plain).collect();
    // Not escaped, so that secrets in it are recognised when it is shown.
    let said = if said.is_empty() { String::new() } else { format!(": \"{said}\"") };
    let is_old = spec.url.path().trim_end_matches('/').ends_with("/sse");
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::BAD_REQUEST if is_old => {
            format!(
                "its address is one of the old HTTP+SSE transport, which is not supported; use the server's Streamable \
             HTTP address (HTTP {status}){said}"
            )
        }
        status if status.is_redirection() => {
            format!("it redirects to another address (HTTP {status}); put that address into its entry")
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            format!("it rejected the request (HTTP {status}); does its entry need \"headers\"?{said}")
        }
        StatusCode::NOT_FOUND => format!("no such page or session (HTTP {status}){said}"),
        status if status.is_success() => format!("its answer is not a JSON-RPC message{said}"),
        _ => format!("it answered HTTP {status}{said}"),
    }
}

/// The innermost cause of an error, without the address, which may contain a secret.
pub(crate) fn plain(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    if text.is_empty() { "the connection failed".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_of_the_old_transport_is_named() {
        let refused = |url: &str, status| {
            refusal(&HttpSpec { url: url.parse().unwrap(), headers: [].into() }, status, b"")
        };
        let old = "http://127.0.0.1:1/sse";
        for status in [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED] {
            assert!(refused(old, status).contains("old HTTP+SSE transport"));
            assert!(!refused("http://127.0.0.1:1/mcp", status).contains("old HTTP+SSE"));
        }
        assert!(!refused(old, StatusCode::UNAUTHORIZED).contains("old HTTP+SSE"));
    }

    #[test]
    fn refusal_hides_header_values_in_error_page() {
        let headers = [("authorization", "Bearer s3cret-token"), ("x-api-key", "abcdef"), ("x-short", "no")];
        let spec = HttpSpec {
            url: "http://127.0.0.1:1/mcp".parse().unwrap(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        let page = format!("{}no token s3cret-token, key abcdef, Bearer s3cret-token", "é".repeat(10));
        let shown = refusal(&spec, StatusCode::BAD_REQUEST, page.as_bytes());
        assert!(!shown.contains("s3cret") && !shown.contains("abcdef"), "{shown}");
        assert!(shown.contains("no token …, key …, …"), "{shown}");
        let debug = format!("{spec:?}");
        assert!(!debug.contains("s3cret") && debug.contains("authorization"), "{debug}");
        let cut = format!("{}s3cret-token", "x".repeat(SHOWN_CHARS - 4));
        assert!(!refusal(&spec, StatusCode::BAD_GATEWAY, cut.as_bytes()).contains("s3cr"));
    }
}

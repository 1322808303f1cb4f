//! What went wrong with an upstream over HTTP, in words that hold no secret.

use reqwest::StatusCode;

use crate::config::HttpSpec;

/// Characters of an error page that are shown, and bytes that are looked at for that.
const SHOWN: usize = 300;
const LOOKED_AT: usize = 64 << 10;

pub(super) fn refusal(spec: &HttpSpec, status: StatusCode, body: &[u8]) -> String {
    // Some show the request they refuse. Looked for before it is cut: half a secret would not be found.
    let said = spec.without_secrets(&String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]));
    let said: String = said.trim().chars().take(SHOWN).collect();
    let said = if said.is_empty() { String::new() } else { format!(": {said:?}") };
    match status {
        status if status.is_redirection() => {
            format!("it sends us elsewhere (HTTP {status}); put the address it names into its entry")
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            format!("it refuses us (HTTP {status}); does its entry need \"headers\"?{said}")
        }
        StatusCode::NOT_FOUND => format!("there is no such page or session (HTTP {status}){said}"),
        status if status.is_success() => format!("its answer is not a JSON-RPC message{said}"),
        _ => format!("it answered HTTP {status}{said}"),
    }
}

/// An error with its causes, without the address it may carry a secret in.
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
    fn what_is_shown_of_an_error_page_has_no_secrets() {
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
        let cut = format!("{}s3cret-token", "x".repeat(SHOWN - 4));
        assert!(!refusal(&spec, StatusCode::BAD_GATEWAY, cut.as_bytes()).contains("s3cr"));
    }
}

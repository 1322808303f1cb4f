//! Serving the dashboard's files, with the headers that protect them.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Content security policy of every page: it runs only our own code and connects only to this server.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The dashboard's files, by name.
pub trait Pages: Send + Sync + 'static {
    /// A file such as `index.html`.
    fn get(&self, name: &str) -> Option<Page>;
}

/// One file.
#[derive(Debug, Clone)]
pub struct Page {
    /// Media type.
    pub content_type: Cow<'static, str>,
    /// Content.
    pub bytes: Cow<'static, [u8]>,
    /// Whether the content is compressed with gzip.
    pub gzipped: bool,
    /// Hash of the content.
    pub tag: Cow<'static, str>,
}

pub(super) async fn page(State(pages): State<Arc<dyn Pages>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    // One file draws every page.
    let drawn = || schemascope_api::Page::of_path(path).and_then(|_| pages.get("index.html"));
    if let Some(page) = pages.get(path).or_else(drawn) {
        return respond(page, request.headers());
    }
    // It also tells a person that there is no such page, with the way to the others.
    let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let of_browser = accepts.filter(|accept| accept.contains("text/html"));
    match of_browser.and_then(|_| pages.get("index.html")) {
        Some(page) => {
            let mut response = respond(page, &HeaderMap::new());
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
        None => (StatusCode::NOT_FOUND, format!("/{path} does not exist\n")).into_response(),
    }
}

fn respond(page: Page, asked: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", page.tag);
    let headers = [
        (header::CONTENT_TYPE, page.content_type.into_owned()),
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (header::X_FRAME_OPTIONS, "DENY".to_owned()),
    ];
    let text = |name| asked.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text(header::IF_NONE_MATCH).contains(&tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if page.gzipped {
        // Every browser accepts gzip, and only browsers use these files.
        return (headers, [(header::CONTENT_ENCODING, "gzip")], page.bytes.into_owned()).into_response();
    }
    (headers, page.bytes.into_owned()).into_response()
}

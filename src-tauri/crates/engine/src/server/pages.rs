//! The dashboard's files.
//!
//! Owns: which path gets which file, and what browsers are told about it. Refuses to know: where the
//! files come from.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What the pages may do: nothing but run our own code and talk to us.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Where the dashboard has pages; they are all drawn by one file.
const ROUTES: &[&str] = &["", "tools", "review", "calls", "servers", "settings"];

/// The dashboard's files, by name.
pub trait Pages: Send + Sync + 'static {
    /// A file such as `index.html`.
    fn get(&self, name: &str) -> Option<Page>;
}

/// One file.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its media type.
    pub content_type: Cow<'static, str>,
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// The bytes are compressed with gzip.
    pub gzipped: bool,
    /// Changes with the content.
    pub tag: Cow<'static, str>,
}

pub(super) async fn page(State(pages): State<Arc<dyn Pages>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let is_route = || ROUTES.contains(&path.split('/').next().unwrap_or_default());
    let found = pages.get(path).or_else(|| is_route().then(|| pages.get("index.html")).flatten());
    match found {
        Some(page) => respond(page, request.headers()),
        None => (StatusCode::NOT_FOUND, format!("there is nothing at /{path}\n")).into_response(),
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
        // Every browser takes it, and nobody else has a use for these files.
        return (headers, [(header::CONTENT_ENCODING, "gzip")], page.bytes.into_owned()).into_response();
    }
    (headers, page.bytes.into_owned()).into_response()
}

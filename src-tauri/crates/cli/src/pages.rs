//! The dashboard's files, embedded by the build script.

use schemascope_engine::{Page, Pages};

/// Name, tag, bytes compressed with gzip.
type File = (&'static str, &'static str, &'static [u8]);

const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Shown by a program that was built without the dashboard.
const MISSING: &str = "This program was built without the dashboard.\n\
    Run `cargo xtask install` in the source tree to build it.\n";

/// The dashboard this program was built with.
pub struct Embedded;

impl Embedded {
    /// Whether it was built with one.
    pub fn is_built_in() -> bool {
        !FILES.is_empty()
    }
}

impl Pages for Embedded {
    fn get(&self, name: &str) -> Option<Page> {
        if FILES.is_empty() {
            return (name == "index.html").then(|| Page {
                content_type: "text/plain; charset=utf-8".into(),
                bytes: MISSING.as_bytes().into(),
                gzipped: false,
                tag: "missing".into(),
            });
        }
        let (name, tag, bytes) = FILES.iter().find(|(file, ..)| *file == name)?;
        let content_type = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("wasm") => "application/wasm",
            Some("woff2") => "font/woff2",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        };
        Some(Page {
            content_type: content_type.into(),
            bytes: (*bytes).into(),
            gzipped: true,
            tag: (*tag).into(),
        })
    }
}

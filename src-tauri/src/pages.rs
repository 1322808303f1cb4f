//! The dashboard for browsers: the same files that the window shows.
//!
//! tauri.conf.json keeps Tauri from writing nonces into them: nothing inline needs one, and a page's tag stays the
//! same.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use schemascope_engine::{Page, Pages};
use tauri::AppHandle;

/// The files embedded in this program.
pub struct Embedded {
    app: AppHandle,
    /// Names of the files. Tauri returns `index.html` for names it does not know.
    names: HashSet<String>,
}

impl Embedded {
    /// The files of an app.
    pub fn of(app: AppHandle) -> Self {
        let names =
            app.asset_resolver().iter().map(|(name, _)| name.trim_start_matches('/').to_owned()).collect();
        Self { app, names }
    }
}

impl Pages for Embedded {
    fn get(&self, name: &str) -> Option<Page> {
        let name = self.names.get(name)?;
        let asset = self.app.asset_resolver().get(name.clone())?;
        let mut hasher = DefaultHasher::new();
        asset.bytes.hash(&mut hasher);
        Some(Page {
            content_type: asset.mime_type.into(),
            bytes: asset.bytes.into(),
            gzipped: false,
            tag: format!("{:016x}", hasher.finish()).into(),
        })
    }
}

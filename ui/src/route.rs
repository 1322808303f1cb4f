//! Addresses of the dashboard, so that links, the back button and bookmarks work.
//!
//! Which pages exist is declared in `schemascope_api::PAGES`.

use std::fmt::Write;

use schemascope_api::{Item, Page, PageId};

/// A place in the dashboard: `/PAGE/ITEM?q=FILTER&tab=TAB&NAME=VALUE`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// The page; none for an unknown address.
    pub page: Option<PageId>,
    /// What is open on it: a tool, a call, a server.
    pub item: Option<String>,
    /// Filter tokens of its list.
    pub filter: String,
    /// The tab below an item; empty for the first.
    pub tab: String,
    /// Further parameters that the page declares, in the order of its declaration.
    pub params: Vec<(&'static str, String)>,
}

impl From<PageId> for Route {
    fn from(page: PageId) -> Self {
        Self { page: Some(page), ..Self::default() }
    }
}

impl Route {
    /// Reads a path and a query without its `?`.
    pub fn parse(path: &str, query: &str) -> Self {
        let path = path.trim_start_matches('/');
        let path = if path == "index.html" { "" } else { path };
        let Some(page) = Page::of_path(path) else { return Self::default() };
        let item = path.split_once('/').map(|(_, item)| decode(item)).filter(|item| !item.is_empty());
        let values = |name: &str| -> Vec<String> {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| decode(value)).collect()
        };
        let value = |name: &str| values(name).into_iter().next().unwrap_or_default();
        let mut route =
            Self { page: Some(page.id), item, filter: value("q"), tab: value("tab"), params: Vec::new() };
        for name in page.params {
            route.params.extend(
                values(name).into_iter().filter(|value| !value.is_empty()).map(|value| (*name, value)),
            );
        }
        route
    }

    /// Path and query.
    pub fn address(&self) -> String {
        let mut address = self.page.unwrap_or(PageId::Overview).page().address();
        if let Some(item) = &self.item {
            let _ = write!(address, "/{}", encode(item));
        }
        let own = [("q", &self.filter), ("tab", &self.tab)];
        for (name, value) in self.params.iter().map(|(name, value)| (*name, value)).chain(own) {
            if !value.is_empty() {
                let separator = if address.contains('?') { '&' } else { '?' };
                // Dots have a meaning in paths only.
                let _ = write!(address, "{separator}{name}={}", encode(value).replace("%2E", "."));
            }
        }
        address
    }

    /// An item of a page.
    pub fn item(page: PageId, item: impl Into<String>) -> Self {
        Self { item: Some(item.into()), ..page.into() }
    }

    /// The page of a tool.
    pub fn tool(id: &str) -> Self {
        Self::item(PageId::Tools, id)
    }

    /// The detail of a call.
    pub fn call(id: String) -> Self {
        Self::item(PageId::Calls, id)
    }

    /// A page with a filter.
    pub fn filtered(page: PageId, filter: impl Into<String>) -> Self {
        Self { filter: filter.into(), ..page.into() }
    }

    /// The graph with a tool in the middle.
    pub fn graph(tool_id: &str) -> Self {
        Self { params: vec![("focus", tool_id.to_owned())], ..PageId::Graph.into() }
    }

    /// Its item, if the page is this one.
    pub fn item_of(&self, page: PageId) -> Option<String> {
        self.item.clone().filter(|_| self.page == Some(page))
    }

    /// Its filter, if the page is this one; else the empty one.
    pub fn filter_of(&self, page: PageId) -> String {
        if self.page == Some(page) { self.filter.clone() } else { String::new() }
    }

    /// The item that is shown instead of its page's list.
    pub fn item_instead(&self) -> Option<&String> {
        let page = self.page?.page();
        self.item.as_ref().filter(|_| page.item == Item::Instead)
    }
}

/// Percent-encodes everything except characters without a meaning in addresses.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'*' | b':' => {
                encoded.push(char::from(byte));
            }
            // Dots too: browsers resolve a path segment of dots.
            byte => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (byte, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(decoded)) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use schemascope_api::PAGES;

    use super::*;

    fn round_trip(route: &Route) {
        let address = route.address();
        let (path, query) = address.split_once('?').unwrap_or((&address, ""));
        assert_eq!(&Route::parse(path, query), route, "{address}");
        assert!(address.is_ascii() && !address.contains("//"), "{address}");
    }

    #[test]
    fn every_address_parses_to_its_route() {
        let hostile = ["a/b", "..", "a?b#c", "100%", "%41", "a+b c", "<b>", "ü\u{202E}", "x&q=1", "\0"];
        for page in PAGES {
            round_trip(&page.id.into());
            for name in hostile.into_iter().filter(|_| page.item != Item::None) {
                round_trip(&Route::item(page.id, name));
                let (filter, tab) = (name.to_owned(), name.to_owned());
                round_trip(&Route { filter, tab, ..Route::item(page.id, name) });
            }
            for name in hostile {
                let params = page.params.iter().map(|param| (*param, name.to_owned())).collect();
                round_trip(&Route { params, ..Route::filtered(page.id, name) });
            }
        }
        round_trip(&Route::filtered(PageId::Tools, "tool:a b"));
        assert_eq!(Route::parse("/nonsense", ""), Route::default());
        assert_eq!(Route::parse("/settings/nonsense", ""), Route::default());
        assert_eq!(Route::parse("/index.html", ""), PageId::Overview.into());
        assert_eq!(Route::parse("/tools/", "q=a"), Route::filtered(PageId::Tools, "a"));
        assert_eq!(Route::parse("/graph", "min=.5&focus=a__b").address(), "/graph?focus=a__b&min=.5");
        assert_eq!(Route::parse("/tools", "focus=a__b"), PageId::Tools.into());
    }
}

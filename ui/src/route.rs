//! Places in the dashboard and their addresses, so that links, back and bookmarks work.
//!
//! Owns: the written form. Refuses to know: the browser's history.

use std::fmt::Write;

/// A place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// `/`
    Overview,
    /// `/tools?q=FILTER`
    Tools {
        /// Filter tokens.
        filter: String,
    },
    /// `/tools/ID?tab=TAB`
    Tool {
        /// `server__tool`.
        id: String,
        /// What is shown below the fields; empty for the first.
        tab: String,
    },
    /// `/review/ID`
    Review {
        /// The tool whose candidate is open.
        open: Option<String>,
    },
    /// `/calls/ID?q=FILTER`
    Calls {
        /// Filter tokens.
        filter: String,
        /// The call whose detail is open.
        open: Option<String>,
    },
    /// `/servers/NAME`
    Servers {
        /// The server whose log is open.
        open: Option<String>,
    },
    /// `/settings`
    Settings,
    /// Anything else.
    Unknown,
}

impl Route {
    /// Reads a path and a query (without `?`).
    pub fn parse(path: &str, query: &str) -> Self {
        let mut parts = path.trim_matches('/').splitn(2, '/');
        let page = parts.next().unwrap_or_default();
        let rest = parts.next().map(decode).filter(|rest| !rest.is_empty());
        let value = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| decode(value)).next().unwrap_or_default()
        };
        match (page, rest) {
            ("" | "index.html", None) => Self::Overview,
            ("tools", None) => Self::Tools { filter: value("q") },
            ("tools", Some(id)) => Self::Tool { id, tab: value("tab") },
            ("review", open) => Self::Review { open },
            ("calls", open) => Self::Calls { filter: value("q"), open },
            ("servers", open) => Self::Servers { open },
            ("settings", None) => Self::Settings,
            _ => Self::Unknown,
        }
    }

    /// Path and query.
    pub fn address(&self) -> String {
        let with = |path: String, name: &str, value: &str| match value {
            "" => path,
            value => format!("{path}?{name}={}", encode(value)),
        };
        let below = |page: &str, rest: Option<&str>| match rest {
            Some(rest) => format!("/{page}/{}", encode(rest)),
            None => format!("/{page}"),
        };
        match self {
            Self::Overview | Self::Unknown => "/".into(),
            Self::Tools { filter } => with("/tools".into(), "q", filter),
            Self::Tool { id, tab } => with(below("tools", Some(id)), "tab", tab),
            Self::Calls { filter, open } => with(below("calls", open.as_deref()), "q", filter),
            Self::Review { open } => below("review", open.as_deref()),
            Self::Servers { open } => below("servers", open.as_deref()),
            Self::Settings => "/settings".into(),
        }
    }

    /// The page of a tool.
    pub fn tool(id: &str) -> Self {
        Self::Tool { id: id.to_owned(), tab: String::new() }
    }

    /// The page of a call.
    pub fn call(id: String) -> Self {
        Self::Calls { filter: String::new(), open: Some(id) }
    }
}

/// Percent-encodes everything but what no address gives a meaning.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'*' | b':' => {
                encoded.push(char::from(byte));
            }
            // A path of dots alone would be taken for a step up.
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
    use super::*;

    fn round_trip(route: &Route) {
        let address = route.address();
        let (path, query) = address.split_once('?').unwrap_or((&address, ""));
        assert_eq!(&Route::parse(path, query), route, "{address}");
        assert!(address.is_ascii() && !address.contains("//"), "{address}");
    }

    #[test]
    fn addresses_lead_back() {
        let hostile = ["a/b", "..", "a?b#c", "100%", "%41", "a+b c", "<b>", "ü\u{202E}", "x&q=1", "\0"];
        for name in hostile.into_iter().map(str::to_owned) {
            round_trip(&Route::Tool { id: name.clone(), tab: name.clone() });
            round_trip(&Route::Calls { filter: name.clone(), open: Some(name.clone()) });
            round_trip(&Route::Servers { open: Some(name.clone()) });
            round_trip(&Route::Review { open: Some(name.clone()) });
            round_trip(&Route::Tools { filter: name });
        }
        round_trip(&Route::Overview);
        round_trip(&Route::Settings);
        round_trip(&Route::Servers { open: None });
        round_trip(&Route::Calls { filter: String::new(), open: None });
        assert_eq!(Route::parse("/nonsense", ""), Route::Unknown);
        assert_eq!(Route::parse("/tools/", "q=a"), Route::Tools { filter: "a".into() });
    }
}

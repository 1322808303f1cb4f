//! The outer parts of a document, and the values of arguments.
//!
//! Owns: how both are named. Refuses to know: counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::node::Type;
use crate::observe::{Circumstances, Seen};
use crate::path::{self, Step};
use crate::rank::looks_like_data;
use crate::scan::{Sink, Token, Unreadable, scan};

/// Levels below the root that are looked at.
const DEPTH: usize = 2;
/// Bytes of a value; longer ones are told by their type alone.
const MAX_VALUE: usize = 48;
/// Parts of one document, arguments of one call.
const MAX: usize = 256;

/// A path with the type of what is there: `items[]: object`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) depth: u8,
    pub(super) name: String,
}

/// Each part of a document once.
pub(super) fn parts(document: &[u8], circumstances: Circumstances<'_>) -> Result<BTreeSet<Part>, Unreadable> {
    let mut outline = Outline::new(circumstances, |path: &str, depth: usize, seen: Seen<'_>| Part {
        depth: depth as u8,
        name: format!("{path}: {}", seen.kind.name()),
    });
    scan(document, &mut outline)?;
    Ok(outline.found)
}

/// Each argument with its value as JSON, or its type where the value is long or no scalar. Of those in an
/// object, the name is a path.
pub(super) fn arguments(document: &[u8]) -> Result<BTreeMap<String, String>, Unreadable> {
    let mut outline = Outline::new(Circumstances::default(), |path: &str, _, seen: Seen<'_>| {
        (path.to_owned(), value(seen))
    });
    scan(document, &mut outline)?;
    Ok(outline.found.into_iter().filter(|(name, _)| !name.is_empty() && !name.ends_with("[]")).collect())
}

fn value(seen: Seen<'_>) -> String {
    let json = match seen.token {
        Token::Null => "null".to_owned(),
        Token::Boolean(value) => value.to_string(),
        Token::Integer(text) | Token::Number(text) => text.to_owned(),
        Token::String(text) => serde_json::Value::from(&*text.decoded()).to_string(),
        _ => format!("({})", seen.kind.name()),
    };
    if json.len() > MAX_VALUE { format!("({})", seen.kind.name()) } else { json }
}

struct Outline<'c, T, F> {
    circumstances: Circumstances<'c>,
    describe: F,
    path: String,
    /// The path's length at each open container, and whether that is an array.
    open: Vec<(usize, bool)>,
    skipped: usize,
    found: BTreeSet<T>,
}

impl<'c, T: Ord, F> Outline<'c, T, F> {
    fn new(circumstances: Circumstances<'c>, describe: F) -> Self {
        let (path, open, found) = (String::new(), Vec::new(), BTreeSet::new());
        Self { circumstances, describe, path, open, skipped: 0, found }
    }
}

impl<'d, T: Ord, F: FnMut(&str, usize, Seen<'d>) -> T> Sink<'d> for Outline<'_, T, F> {
    fn token(&mut self, token: &Token<'d>) {
        let begins = matches!(token, Token::BeginArray | Token::BeginObject);
        let ends = matches!(token, Token::EndArray | Token::EndObject);
        if self.skipped > 0 {
            self.skipped += usize::from(begins);
            self.skipped -= usize::from(ends);
            return;
        }
        if ends {
            self.open.pop();
            return;
        }
        match (*token, self.open.last()) {
            (Token::Key(text), Some((length, _))) => {
                self.path.truncate(*length);
                let key = text.decoded();
                // A key that is data names no part.
                let step = if looks_like_data(&key) { Step::Values } else { Step::Field(&key) };
                path::push(&mut self.path, step);
                return;
            }
            (_, Some((length, true))) => {
                self.path.truncate(*length);
                path::push(&mut self.path, Step::Items);
            }
            _ => {}
        }
        let seen = Seen::new(*token, false, self.circumstances);
        if self.found.len() < MAX {
            self.found.insert((self.describe)(&self.path, self.open.len(), seen));
        }
        if begins && self.open.len() < DEPTH {
            self.open.push((self.path.len(), seen.kind == Type::Array));
        } else if begins {
            self.skipped = 1;
        }
    }
}

//! The outer parts of a document, and the values of arguments, under the names that the counts use.

use std::collections::{BTreeMap, BTreeSet};

use crate::keys::looks_like_data;
use crate::node::Type;
use crate::observe::{Circumstances, Seen};
use crate::path::{self, Step};
use crate::scan::{Sink, Token, Unreadable, scan};

/// Number of levels below the root that are examined.
const MAX_DEPTH_EXAMINED: usize = 2;
/// Most bytes of a value; a longer one is represented by its type.
const MAX_VALUE_BYTES: usize = 48;
/// Most parts of one document, and most arguments of one call.
const MAX_PARTS: usize = 256;

/// Path with the type of the value there: `items[]: object`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) depth: u8,
    pub(super) name: String,
}

/// Creates a part from a path, its depth and the value there.
type PartOf = fn(&str, usize, Seen<'_>) -> Part;

/// Set of the parts of a document, filled while it is read.
pub(crate) struct Parts<'c>(Outline<'c, Part, PartOf>);

impl<'c> Parts<'c> {
    pub(crate) fn new(circumstances: Circumstances<'c>) -> Self {
        let part = |path: &str, depth: usize, seen: Seen<'_>| Part {
            depth: depth as u8,
            name: format!("{path}: {}", seen.kind.name()),
        };
        Self(Outline { kinds_only: true, ..Outline::new(circumstances, part) })
    }

    pub(super) fn found(self) -> BTreeSet<Part> {
        self.0.found
    }
}

impl<'d> Sink<'d> for Parts<'_> {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        self.0.token(token);
    }

    #[inline(always)]
    fn passes_over_keys(&self) -> bool {
        self.0.skipped > 0
    }
}

/// Returns each argument with its value as JSON, or with its type if the value is long or not a
/// scalar. A field of an object is named by its path.
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
    if json.len() > MAX_VALUE_BYTES { format!("({})", seen.kind.name()) } else { json }
}

struct Outline<'c, T, F> {
    circumstances: Circumstances<'c>,
    describe: F,
    path: String,
    open: Vec<Open>,
    skipped: usize,
    found: BTreeSet<T>,
    /// Whether only the kind of a value matters, so that one item of each kind is enough for an
    /// array.
    kinds_only: bool,
}

/// An open container.
struct Open {
    /// Length of its path, in bytes.
    path: usize,
    array: bool,
    /// Kinds of its items, one bit each.
    kinds: u16,
}

impl<'c, T: Ord, F> Outline<'c, T, F> {
    fn new(circumstances: Circumstances<'c>, describe: F) -> Self {
        let (path, open, found) = (String::new(), Vec::new(), BTreeSet::new());
        Self { circumstances, describe, path, open, skipped: 0, found, kinds_only: false }
    }
}

impl<'d, T: Ord, F: FnMut(&str, usize, Seen<'d>) -> T> Sink<'d> for Outline<'_, T, F> {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        if self.skipped == 0 {
            return self.visit(token);
        }
        match token {
            Token::BeginArray | Token::BeginObject => self.skipped += 1,
            Token::EndArray | Token::EndObject => self.skipped -= 1,
            _ => {}
        }
    }
}

impl<'d, T: Ord, F: FnMut(&str, usize, Seen<'d>) -> T> Outline<'_, T, F> {
    #[inline(never)]
    fn visit(&mut self, token: &Token<'d>) {
        match (*token, self.open.last()) {
            (Token::EndArray | Token::EndObject, _) => {
                self.open.pop();
                return;
            }
            (Token::Key(text), Some(inside)) => {
                self.path.truncate(inside.path);
                let key = text.decoded();
                // A key that is data does not name a part.
                let step = if looks_like_data(&key) { Step::Values } else { Step::Field(&key) };
                path::push(&mut self.path, step);
                return;
            }
            _ => {}
        }
        let begins = matches!(token, Token::BeginArray | Token::BeginObject);
        let seen = Seen::new(*token, false, self.circumstances);
        let bit = 1 << seen.kind as u16;
        let items = self.open.last_mut().filter(|inside| inside.array);
        let known = items.is_some_and(|inside| {
            let known = inside.kinds & bit != 0;
            inside.kinds |= bit;
            self.path.truncate(inside.path);
            path::push(&mut self.path, Step::Items);
            known
        });
        if !(known && self.kinds_only) && self.found.len() < MAX_PARTS {
            self.found.insert((self.describe)(&self.path, self.open.len(), seen));
        }
        if begins && self.open.len() < MAX_DEPTH_EXAMINED {
            let array = seen.kind == Type::Array;
            self.open.push(Open { path: self.path.len(), array, kinds: 0 });
        } else if begins {
            self.skipped = 1;
        }
    }
}

//! YAML documents, as far as programs write them: block mappings and sequences with scalars and small flow
//! collections.
//!
//! Comments, tags, anchors, aliases and repeated keys make a text no document. The reader is line by line and has no
//! aliases to expand, so its cost is linear. Flat documents without `---` are left to the reader of key and value
//! lines, because many texts look like them.

use serde_json::{Map, Value};

use crate::{MAX_DEPTH, MAX_KEY, scalar};

/// Fewest keys of a document.
const MIN_KEYS: usize = 2;

/// Returns the document as JSON.
pub(crate) fn read(text: &str) -> Option<String> {
    let (is_marked, body) = match text.strip_prefix("---") {
        Some(rest) => (true, rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"))?),
        None => (false, text),
    };
    let body = body.strip_suffix("\n...").unwrap_or(body);
    // Most texts end here: every document of the two kinds begins with a key or with an item that has one.
    let first = body.lines().find(|line| !line.trim().is_empty())?;
    split_key(first.trim_start_matches(['-', ' ']))?;
    let mut reader = Reader { lines: body.lines().collect(), at: 0, rest_of_line: None };
    let (indent, _) = reader.peek()?;
    let value = reader.block(indent, MAX_DEPTH)?;
    (reader.peek().is_none() && is_document(&value, is_marked)).then(|| value.to_string())
}

/// Whether a value proves that its text was meant as YAML.
fn is_document(value: &Value, is_marked: bool) -> bool {
    let is_record = |value: &Value| {
        value
            .as_object()
            .is_some_and(|members| members.len() >= MIN_KEYS && members.keys().all(|key| is_name(key)))
    };
    match value {
        Value::Object(members) => {
            let nests = members.values().any(|value| value.is_object() || value.is_array());
            is_record(value) && (nests || is_marked)
        }
        Value::Array(items) => !items.is_empty() && items.iter().all(is_record),
        _ => false,
    }
}

/// Whether a key is a name as programs write it, not words of a sentence.
fn is_name(key: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.$/".contains(c);
    key.len() <= 64
        && key.chars().all(is_part)
        && key.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c))
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Rest of the current line, after a dash, with its column.
    rest_of_line: Option<(usize, &'a str)>,
}

impl<'a> Reader<'a> {
    /// Indentation and text of the next line that is not blank.
    fn peek(&mut self) -> Option<(usize, &'a str)> {
        if self.rest_of_line.is_some() {
            return self.rest_of_line;
        }
        while self.lines.get(self.at)?.trim().is_empty() {
            self.at += 1;
        }
        let line = self.lines[self.at].trim_end();
        let text = line.trim_start_matches(' ');
        Some((line.len() - text.len(), text))
    }

    fn advance(&mut self) {
        self.rest_of_line = None;
        self.at += 1;
    }

    fn block(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let (_, text) = self.peek()?;
        if is_item(text) { self.sequence(indent, depth) } else { self.mapping(indent, depth) }
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        while let Some((at, text)) = self.peek() {
            if at < indent || (at == indent && is_item(text)) {
                break;
            }
            let (key, value) = (at == indent).then(|| split_key(text))??;
            self.advance();
            let value = if value.is_empty() {
                match self.peek() {
                    Some((next, _)) if next > indent => self.block(next, depth)?,
                    Some((next, text)) if next == indent && is_item(text) => {
                        self.sequence(next, depth.checked_sub(1)?)?
                    }
                    _ => Value::Null,
                }
            } else {
                self.inline(value, indent, depth)?
            };
            if members.insert(key, value).is_some() {
                return None;
            }
        }
        (!members.is_empty()).then_some(Value::Object(members))
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while let Some((at, text)) = self.peek() {
            if at < indent || (at == indent && !is_item(text)) {
                break;
            }
            (at == indent).then_some(())?;
            let rest = text[1..].trim_start_matches(' ');
            let column = indent + text.len() - rest.len();
            items.push(if rest.is_empty() {
                self.advance();
                match self.peek() {
                    Some((next, _)) if next > indent => self.block(next, depth)?,
                    _ => Value::Null,
                }
            } else if is_item(rest) || split_key(rest).is_some() {
                self.rest_of_line = Some((column, rest));
                self.block(column, depth)?
            } else {
                self.advance();
                self.inline(rest, indent, depth)?
            });
        }
        Some(Value::Array(items))
    }

    /// A value that begins on the line of its key or dash, which `indent` is the indentation of.
    fn inline(&mut self, text: &'a str, indent: usize, depth: usize) -> Option<Value> {
        match text.chars().next()? {
            '|' | '>' => self.block_scalar(text, indent),
            '[' | '{' => scalar::flow(text, depth),
            '\'' | '"' => self.quoted(text, indent),
            _ => self.plain(text, indent),
        }
    }

    fn plain(&mut self, text: &str, indent: usize) -> Option<Value> {
        scalar::is_plain(text).then_some(())?;
        let mut folded = text.to_owned();
        while let Some(line) = self.continuation(indent, &mut folded) {
            scalar::is_plain(line).then_some(())?;
            folded.push_str(line);
        }
        Some(if folded.len() > text.len() { folded.into() } else { scalar::plain(text) })
    }

    fn quoted(&mut self, text: &str, indent: usize) -> Option<Value> {
        let mut folded = text.to_owned();
        let quote = text.chars().next()?;
        // A cheap look at each line, so that the whole is parsed once.
        while !ends_quote(&folded, quote) {
            if quote == '"' && folded.ends_with('\\') && !folded.ends_with("\\\\") {
                folded.pop();
                let line = self.lines.get(self.at)?.trim();
                self.at += 1;
                folded.push_str(line);
            } else {
                let line = self.continuation(indent, &mut folded)?;
                folded.push_str(line);
            }
        }
        let (value, rest) = scalar::quoted(&folded)?;
        rest.trim().is_empty().then_some(Value::String(value))
    }

    /// The next line if it continues a scalar, after the fold: a space, or a line break for each blank line.
    fn continuation(&mut self, indent: usize, folded: &mut String) -> Option<&'a str> {
        let start = self.at;
        let Some((_, line)) = self.peek().filter(|(at, _)| *at > indent) else {
            self.at = start;
            return None;
        };
        match self.at - start {
            0 => folded.push(' '),
            blank => folded.extend(std::iter::repeat_n('\n', blank)),
        }
        self.advance();
        Some(line)
    }

    /// A literal (`|`) or folded (`>`) scalar.
    fn block_scalar(&mut self, header: &str, indent: usize) -> Option<Value> {
        let is_folded = header.starts_with('>');
        let chomp = match &header[1..] {
            chomp @ ("" | "-" | "+") => chomp,
            _ => return None,
        };
        let (inner, _) = self.peek().filter(|(at, _)| *at > indent)?;
        // `peek` skips leading blank lines, which such scalars do not begin with in practice.
        let mut text = String::new();
        let mut blank = 0;
        let mut was_deeper = true;
        while let Some(line) = self.lines.get(self.at) {
            if line.trim().is_empty() {
                blank += 1;
            } else {
                let at = line.len() - line.trim_start_matches(' ').len();
                if at <= indent {
                    break;
                }
                (at >= inner).then_some(())?;
                let is_deeper = at > inner || line[at..].starts_with('\t');
                let folds = is_folded && !was_deeper && !is_deeper;
                match (folds, blank) {
                    _ if text.is_empty() => {}
                    (true, 0) => text.push(' '),
                    (true, blank) => text.extend(std::iter::repeat_n('\n', blank)),
                    (false, blank) => text.extend(std::iter::repeat_n('\n', blank + 1)),
                }
                text.push_str(&line[inner..]);
                (blank, was_deeper) = (0, is_deeper);
            }
            self.at += 1;
        }
        match chomp {
            "-" => {}
            "+" => text.extend(std::iter::repeat_n('\n', blank + 1)),
            _ => text.push('\n'),
        }
        Some(Value::String(text))
    }
}

/// Whether the text ends with the closing quote of a scalar that it begins with.
fn ends_quote(text: &str, quote: char) -> bool {
    let inner = text.trim_end();
    let Some(inner) = inner.strip_suffix(quote).filter(|inner| !inner.is_empty()) else { return false };
    let mark = if quote == '"' { '\\' } else { '\'' };
    let marks = inner.len() - inner.trim_end_matches(mark).len();
    // An escaped quote does not close. The first quote of the text opens it and is no escape.
    let opening = usize::from(quote == '\'' && marks == inner.len());
    (marks - opening).is_multiple_of(2)
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Splits `key: value` or `key:`.
fn split_key(text: &str) -> Option<(String, &str)> {
    let (key, rest) = if text.starts_with(['\'', '"']) {
        let (key, rest) = scalar::quoted(text)?;
        (key, rest.strip_prefix(':').filter(|rest| rest.is_empty() || rest.starts_with(' '))?)
    } else {
        let (key, rest) = text.split_once(": ").or_else(|| Some((text.strip_suffix(':')?, "")))?;
        (scalar::is_plain(key) && !key.is_empty()).then(|| (key.trim_end().to_owned(), rest))?
    };
    (key.len() <= MAX_KEY).then_some((key, rest.trim()))
}

#[cfg(test)]
mod tests;

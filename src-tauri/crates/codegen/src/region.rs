//! The marked region of a wrapper's file: what Schemascope writes, between text that belongs to the user.
//!
//! The first line of a region carries a digest of what follows, so that a region which was edited is recognised
//! whatever happens to other files.

use sha2::{Digest, Sha256};

/// First and last line of a region in Python.
pub(crate) const HASH: [&str; 2] = ["# schemascope: begin", "# schemascope: end"];
/// First and last line of a region in TypeScript and Rust.
pub(crate) const SLASHES: [&str; 2] = ["// schemascope: begin", "// schemascope: end"];
/// What stands in the first line of a printed region.
pub(crate) const NOTE: &str = "(replaced when the tool's schema changes; text outside is kept)";
/// Hexadecimal digits of a digest.
const DIGITS: usize = 16;

/// A text around and in a marked region. The three parts in their order are the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region<'a> {
    before: &'a str,
    text: &'a str,
    after: &'a str,
    begin: &'static str,
}

impl<'a> Region<'a> {
    /// Finds the region of a text, whatever ends its lines. Only whole lines count, and a first line with a digest
    /// before one without, because text of the user may mention the marks.
    pub(crate) fn find(text: &'a str) -> Option<Self> {
        [HASH, SLASHES].into_iter().find_map(|[begin, end]| {
            let (mut start, mut has_digest) = (None, false);
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                let next = at + line.len();
                match start {
                    _ if !has_digest && is_first(line, begin) => {
                        start = Some(at);
                        has_digest = digest_in(line, begin).is_some();
                    }
                    Some(start) if line.trim_end() == end => {
                        let (before, rest) = text.split_at(start);
                        let (text, after) = rest.split_at(next - start);
                        return Some(Self { before, text, after, begin });
                    }
                    _ => {}
                }
                at = next;
            }
            None
        })
    }

    /// The region, with its marks.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the region is this one, whatever ends its lines.
    pub(crate) fn is(&self, region: &str) -> bool {
        self.text.trim_end().lines().eq(region.trim_end().lines())
    }

    /// Whether the region differs from what was written. Unknown for regions without a digest.
    pub(crate) fn is_edited(&self) -> bool {
        let (first, body) = self.text.split_once('\n').unwrap_or((self.text, ""));
        digest_in(first, self.begin).is_some_and(|digest| digest != digest_of(body))
    }

    /// Whether a text has nothing of the user: no edits, and nothing but blanks around the region.
    pub(crate) fn is_all_of(text: &'a str) -> bool {
        Self::find(text).is_some_and(|region| {
            !region.is_edited() && region.before.trim().is_empty() && region.after.trim().is_empty()
        })
    }

    /// The text with another region.
    pub(crate) fn replaced(&self, region: &str) -> String {
        format!("{}{region}{}", self.before, self.after)
    }
}

/// Whether a line is the first of a region: the mark, a digest and a note in parentheses; each of these may be absent.
fn is_first(line: &str, begin: &str) -> bool {
    let Some(rest) = line.trim_end().strip_prefix(begin) else { return false };
    let Some(rest) = rest.strip_prefix(' ') else { return rest.is_empty() };
    let (word, note) = rest.split_once(' ').unwrap_or((rest, ""));
    let note = if is_digest(word) { note } else { rest };
    note.is_empty() || note.starts_with('(') && note.ends_with(')')
}

/// The digest in the first line of a region.
fn digest_in<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.strip_prefix(begin)?.split_whitespace().next().filter(|word| is_digest(word))
}

fn is_digest(word: &str) -> bool {
    word.len() == DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A printed region with its digest in the first line, and the digest.
pub(crate) fn sealed(text: &str) -> (String, String) {
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let digest = digest_of(body);
    let begin = [HASH, SLASHES].into_iter().find(|[begin, _]| first.starts_with(begin));
    let first = begin.map_or_else(
        || first.to_owned(),
        |[begin, _]| format!("{begin} {digest}{}", first.get(begin.len()..).unwrap_or_default()),
    );
    (format!("{first}\n{body}"), digest)
}

fn digest_of(body: &str) -> String {
    let mut hash = Sha256::new();
    for line in body.trim_end().lines() {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "# schemascope: begin (note)\na = 1\n# schemascope: end\n";

    #[test]
    fn region_is_replaced_and_text_around_it_stays() {
        let (text, _) = sealed(PRINTED);
        assert!(text.ends_with(" (note)\na = 1\n# schemascope: end\n") && text != PRINTED, "{text}");
        let around = format!("# mine\r\n{text}\tmine too");
        let region = Region::find(&around).unwrap();
        assert!(region.is(&text) && !region.is_edited());
        assert_eq!(region.replaced("new\n"), "# mine\r\nnew\n\tmine too");
        assert_eq!(Region::find("# schemascope: begin\na = 1\n"), None);
    }

    #[test]
    fn edits_are_seen_and_other_line_ends_are_none() {
        let (text, _) = sealed(PRINTED);
        let is_edited = |text: &str| Region::find(text).unwrap().is_edited();
        assert!(is_edited(&text.replace("a = 1", "a = 2")));
        assert!(is_edited(&text.replace("a = 1", "# schemascope: begin\na = 1")));
        assert!(!is_edited(&text.replace('\n', "\r\n")));
        assert!(!is_edited(text.trim_end()), "the file need not end with a line end");
        assert!(!is_edited(PRINTED), "nothing is known of a region without digest");
    }

    #[test]
    fn lines_that_mention_the_marks_stay() {
        let (text, _) = sealed(PRINTED);
        for mine in [
            "# schemascope: begin is the first line of what is replaced\n",
            "# schemascope: begin\n",
            "# schemascope: end\n",
            "# schemascope: beginning\n",
        ] {
            for text in
                [format!("{mine}{text}# mine\n"), format!("{mine}{text}# mine\n").replace('\n', "\r\n")]
            {
                let region = Region::find(&text).unwrap();
                assert!(!region.is_edited());
                let ends = if text.contains('\r') { "\r\n" } else { "\n" };
                let mine = mine.replace('\n', ends);
                assert_eq!(region.replaced("new\n"), format!("{mine}new\n# mine{ends}"));
            }
        }
    }
}

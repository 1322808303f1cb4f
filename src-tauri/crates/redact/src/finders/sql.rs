//! Passwords in SQL statements: `INSERT INTO users (name, password) VALUES ('ann', 'x')`, `SET PASSWORD FOR ann = 'x'`.

use memchr::memmem;

use super::named::value::quoted_length;
use crate::edits::Span;
use crate::keys::is_sensitive_key;

/// Longest part of a statement in front of its values, in bytes.
const MAX_HEAD: usize = 4_096;
/// Longest value, in bytes.
const MAX_VALUE: usize = 4_096;

/// Finds the values of sensitive columns.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    for word in ["VALUES", "values", "Values"] {
        let mut done = 0;
        for at in memmem::find_iter(bytes, word) {
            if at >= done
                && let Some(columns) = columns(&text[..at])
            {
                done = values(bytes, at + word.len(), &columns, spans);
            }
        }
    }
    for word in ["SET PASSWORD", "set password", "Set Password"] {
        for at in memmem::find_iter(bytes, word) {
            let near = &bytes[at..bytes.len().min(at + 256)];
            let line = &near[..memchr::memchr(b';', near).unwrap_or(near.len())];
            let Some(equals) = memchr::memchr(b'=', line) else { continue };
            let Some(quote) = line[equals..].iter().position(|byte| matches!(byte, b'\'' | b'"')) else {
                continue;
            };
            let from = at + equals + quote + 1;
            let length =
                quoted_length(&bytes[from..bytes.len().min(from + MAX_VALUE)], bytes[from - 1], false);
            spans.extend((length > 0).then_some(from..from + length));
        }
    }
}

/// Which columns of a list at the end of a text are sensitive; `None` if none is, or there is no list.
fn columns(head: &str) -> Option<Vec<bool>> {
    let head = head.trim_end().strip_suffix(')')?;
    let near = crate::chars::boundary(head, head.len().saturating_sub(MAX_HEAD));
    let list = head.get(near..)?.rsplit_once('(')?.1;
    // What follows another list, as in `(a) VALUES (b)`, names nothing.
    if list.contains(')') {
        return None;
    }
    let names = list.split(',').map(|name| name.trim().trim_matches(['"', '`', '\'', '[', ']']));
    let columns: Vec<bool> = names.map(is_sensitive_key).collect();
    columns.contains(&true).then_some(columns)
}

/// Finds the values of sensitive columns in rows such as `('ann', 'x'), ('bob', 'y')`. Returns the end of the rows.
fn values(text: &[u8], from: usize, columns: &[bool], spans: &mut Vec<Span>) -> usize {
    let (mut at, mut column, mut depth) = (from, 0, 0_usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'(' => {
                column = if depth == 0 { 0 } else { column };
                depth += 1;
            }
            b')' if depth > 0 => depth -= 1,
            b',' if depth == 1 => column += 1,
            &quote @ (b'\'' | b'"') if depth > 0 => {
                let limit = text.len().min(at + 1 + MAX_VALUE);
                let length = quoted_length(&text[at + 1..limit], quote, false);
                if length > 0 && depth == 1 && columns.get(column) == Some(&true) {
                    spans.push(at + 1..at + 1 + length);
                }
                at += length + 1;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' => {}
            _ if depth > 0 => {}
            _ => break,
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        super::super::found_by(find, text)
    }

    #[test]
    fn values_of_sensitive_columns_are_found() {
        for (text, secrets) in [
            ("INSERT INTO u (n, password) VALUES ('a', 'Ins_1'), ('b','Ins_2');", vec!["Ins_1", "Ins_2"]),
            ("insert into `u` (`api_key`, id) values\n('Key_1', 7),\n(N'Key_2', 8)", vec!["Key_1", "Key_2"]),
            (
                "INSERT INTO u (at, n, password) VALUES (NOW(), CAST(2 AS INT), 'Ins_1'), (1, f('a', 2), 'Ins_2')",
                vec!["Ins_1", "Ins_2"],
            ),
            ("SET PASSWORD FOR 'ann'@'%' = 'Set_1';", vec!["Set_1"]),
        ] {
            assert_eq!(found(text), secrets, "{text}");
        }
        for text in [
            "INSERT INTO u (n, city) VALUES ('a', 'Rome1')",
            "VALUES ('x')",
            "(password) values",
            "f(password) VALUES x ('y')",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}

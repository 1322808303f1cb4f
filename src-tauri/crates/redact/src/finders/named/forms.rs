//! Secrets in fields of forms: in snapshots of pages, HTML, bodies of forms, and code that fills them in.

use super::value::quoted_length;
use crate::chars::boundary;
use crate::edits::Span;

/// Bytes before and behind a name in which the rest of its field is looked for.
const BEFORE: usize = 200;
const BEHIND: usize = 2_000;
/// Most bytes of a field's name behind the keyword, in code.
const LABEL: usize = 60;
/// Calls that type a text into a field.
const CALLS: &[&str] = &[
    "fill(",
    "type(",
    "pressSequentially(",
    "press_sequentially(",
    "send_keys(",
    "sendKeys(",
    "setValue(",
    "set_value(",
];

/// Finds the value of the field in whose name or type a keyword stands at `start..end`.
pub(super) fn field_value(text: &str, start: usize, end: usize) -> Option<Span> {
    let before = &text[boundary(text, start.saturating_sub(BEFORE))..start];
    let rest = &text[end..boundary(text, end + BEHIND)];
    let value = in_snapshot(before, rest)
        .or_else(|| in_input(text, start..end, before, rest))
        .or_else(|| in_body(before, rest))
        .or_else(|| in_call(before, rest))?;
    let at = value.as_ptr().addr() - text.as_ptr().addr();
    (!value.is_empty()).then_some(at..at + value.len())
}

/// `- textbox "Password" [ref=e12]: x`, or with the text in a line below it, or `textbox "Password" value="x"`.
fn in_snapshot<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    let role = &before[..before.rfind('"')?];
    ["textbox ", "searchbox ", "combobox "].iter().find(|field| role.ends_with(**field))?;
    let line = role.rsplit('\n').next()?;
    let margin = line.len() - line.trim_start_matches(' ').len();
    let (rest, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut states = rest[rest.find('"')? + 1..].trim_start_matches([' ', '\'']);
    while let Some((_, after)) = states.strip_prefix('[').and_then(|state| state.split_once(']')) {
        states = after.trim_start_matches([' ', '\'']);
    }
    if let Some((_, value)) = states.split_once("value=\"") {
        return value.get(..quoted_length(value.as_bytes(), b'"', false));
    }
    let value = unquoted(states.strip_prefix(':')?.trim());
    if !value.is_empty() {
        return Some(value);
    }
    let is_deeper = |line: &&str| line.len() - line.trim_start_matches(' ').len() > margin;
    let mut lines = below.lines().take(8).take_while(is_deeper);
    let value = lines.find_map(|line| line.trim_start().strip_prefix("- text:"))?;
    Some(unquoted(value.trim()))
}

/// `<input type="password" value="x">`.
fn in_input<'t>(text: &'t str, name: Span, before: &str, rest: &str) -> Option<&'t str> {
    let head = &before[before.rfind('<')?..];
    let is_input = head.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("<input"));
    if !is_input || head.contains('>') {
        return None;
    }
    let tag = &text[name.start - head.len()..name.end + rest.find('>')?];
    if ["submit", "button", "checkbox", "radio", "reset\""].iter().any(|kind| tag.contains(kind)) {
        return None;
    }
    let at = tag.match_indices("value=").find(|(at, _)| tag[..*at].ends_with([' ', '\n', '\t']))?.0
        + "value=".len();
    let value = tag[at..].trim_start_matches('\\');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = quote.map_or(value, |quote| value.strip_prefix(quote).unwrap_or(value));
    let ends = |c: char| quote.map_or(c.is_whitespace() || c == '/', |quote| c == quote);
    Some(value[..value.find(ends).unwrap_or(value.len())].trim_end_matches('\\'))
}

/// `Content-Disposition: form-data; name="password"`, an empty line, and the value.
fn in_body<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    if !before.trim_end_matches('"').ends_with("form-data; name=") {
        return None;
    }
    let blank = ["\r\n\r\n", "\n\n"].iter().find_map(|blank| rest.find(blank).map(|at| at + blank.len()))?;
    rest.get(blank..)?.lines().next()
}

/// `getByLabel('Password').fill('x')`, `fill('#password', 'x')`, `querySelector('#password').value = 'x'`.
fn in_call<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    let at = rest.bytes().take(LABEL).position(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'\n'))?;
    let after = rest[at + 1..].trim_start_matches([' ', ')', ']', '}']);
    let value = match after.strip_prefix('.') {
        Some(call) => {
            let call = call.strip_prefix("first().").unwrap_or(call);
            let assigned = || call.strip_prefix("value")?.trim_start().strip_prefix('=').map(str::trim_start);
            CALLS.iter().find_map(|name| call.strip_prefix(name)).or_else(assigned)?
        }
        None => {
            let line = before.rsplit('\n').next()?;
            let types = CALLS.iter().any(|name| line.rfind(name).is_some_and(|at| line.len() - at < 100));
            after.strip_prefix(',').filter(|_| types)?.trim_start()
        }
    };
    let quote = value.bytes().next().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let value = &value[1..];
    value.get(..quoted_length(value.as_bytes(), quote, false))
}

fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_values() {
        let value = |text: &str| {
            let start = text.find("assword")? - 1;
            field_value(text, start, start + 8).map(|span| text[span].to_owned())
        };
        for text in [
            "- textbox \"Password\" [active] [ref=e12]: s3cretX",
            "  - textbox \"Your password (8 or more)\": s3cretX\n- button \"Go\"",
            "- textbox \"Password *\" [ref=e12]: \"s3cretX\"",
            "- 'textbox \"Password: new\" [ref=e1]': s3cretX",
            "- textbox \"Password\" [ref=e1]:\n  - /placeholder: Enter it\n  - text: s3cretX\n- text: more",
            "uid=1_5 textbox \"Password\" required value=\"s3cretX\"",
            "<input type=\"password\" name=\"pw\" value=\"s3cretX\">",
            "<INPUT value='s3cretX' type='password'/>",
            "<input type=\\\"password\\\" value=\\\"s3cretX\\\">",
            "<input type=password value=s3cretX />",
            "Content-Disposition: form-data; name=\"password\"\r\n\r\ns3cretX\r\n--b--",
            "await page.getByRole('textbox', { name: 'Password' }).fill('s3cretX');",
            "page.get_by_label(\"Password\").first().fill(\"s3cretX\")",
            "driver.find_element(By.ID, 'password').send_keys('s3cretX')",
            "await page.fill('#password', 's3cretX')",
            "document.querySelector('#password').value = 's3cretX'",
        ] {
            assert_eq!(value(text).as_deref(), Some("s3cretX"), "{text}");
        }
        let quote = r"page.getByLabel('Password').fill('it\'s s3cret')";
        assert_eq!(value(quote).as_deref(), Some(r"it\'s s3cret"));
        let long = format!("<input type=\"password\" value=\"s3cretX\">{}", "é".repeat(BEHIND));
        assert_eq!(value(&long).as_deref(), Some("s3cretX"));
        for text in [
            "- button \"Forgot password\" [ref=e1]: s3cretX",
            "- textbox \"Password\" [ref=e1]:\n- text: s3cretX",
            "<input type=\"submit\" name=\"password\" value=\"s3cretX\">",
            "<label for=\"password\">x</label><input value=\"s3cretX\">",
            "expect(page.getByLabel('Password')).toHaveText('s3cretX')",
            "translate('password', 's3cretX')",
            "if (query('#password').value == 's3cretX') go()",
            "form-data; name=\"password\"",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}

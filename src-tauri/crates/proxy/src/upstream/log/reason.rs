//! Choosing the line of a log that says why a program ended, among frames of a trace and decoration.

/// Mark of output that is not a message.
const NOT_A_MESSAGE: &str = "(not a message) ";

/// Beginnings of lines that runtimes print after the reason.
const EPILOGUES: &[&str] = &[
    "Node.js v",
    "note: run with",
    "note: Some details",
    "exit status ",
    "npm error A complete log",
    "npm ERR! A complete log",
];

/// Returns the last line that says something; where none does, the last one that contains a word.
pub(super) fn find<'a>(lines: impl DoubleEndedIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let lines = lines.rev().map(undecorated);
    let said = lines.clone().find(|line| says_something(line));
    said.or_else(|| lines.map(str::trim).find(|line| has_word(line)))
}

/// Returns the text that an upstream wrote to stdout, unless it is about the protocol.
pub(super) fn output(note: &str) -> Option<&str> {
    note.strip_prefix(NOT_A_MESSAGE).filter(|text| !text.trim_start().starts_with(['{', '[']))
}

/// A line without the frame that Python draws around the parts of an exception group.
fn undecorated(line: &str) -> &str {
    let inside = line.trim_start().strip_prefix('|');
    inside.map_or(line, |inside| inside.strip_prefix(' ').unwrap_or(inside)).trim_end()
}

/// Whether a line is a statement: not indented, of more than one word, and no heading, list item or call of a trace.
fn says_something(line: &str) -> bool {
    let is_inner = line.starts_with([' ', '\t', '-', '+', '}', '{', ']', '^', '~']);
    let is_frame = line.ends_with(')') && line.split_once('(').is_some_and(|(name, _)| !name.contains(' '));
    let is_heading = line.ends_with(':');
    let is_epilogue = EPILOGUES.iter().any(|known| line.starts_with(known));
    let has_words = line.split_whitespace().filter(|word| has_word(word)).nth(1).is_some();
    has_words && !is_inner && !is_frame && !is_heading && !is_epilogue
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_returns_the_statement_of_each_runtime() {
        for (log, expected) in [
            ("starting\nlistening on port 80\nbye, see you", "bye, see you"),
            (
                "  + Exception Group Traceback (most recent call last):\n  |   File \"s.py\", line 9, in <module>\n  \
                 | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  \
                 +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    \
                 |   File \"s.py\", line 5, in main\n    |     raise ValueError(\"no key\")\n    \
                 | ValueError: no key\n    +------------------------------------",
                "ValueError: no key",
            ),
            (
                "Traceback (most recent call last):\n  File \"s.py\", line 1, in <module>\n    import nothing\n\
                 ModuleNotFoundError: No module named 'nothing'",
                "ModuleNotFoundError: No module named 'nothing'",
            ),
            (
                "pydantic_core.ValidationError: 1 validation error for Settings\napi_key\n  Field required \
                 [type=missing]\n    For further information visit https://errors.pydantic.dev/2.9/v/missing",
                "pydantic_core.ValidationError: 1 validation error for Settings",
            ),
            (
                "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n\
                 - /srv/x.js\n    at Module._load (node:internal:1:2) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v22.1.0",
                "Error: Cannot find module 'x'",
            ),
            (
                "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` to display a backtrace",
                "no key",
            ),
            (
                "panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/x.go:4 +0x18\nexit status 2",
                "panic: no key",
            ),
            ("boom\n+-----\n=====", "boom"),
        ] {
            assert_eq!(find(log.lines()), Some(expected), "{log}");
        }
        assert_eq!(find("+---\n  ^^^\n---".lines()), None);
        assert_eq!(find("".lines()), None);
    }

    #[test]
    fn output_leaves_out_what_is_about_the_protocol() {
        assert_eq!(output("(not a message) no key"), Some("no key"));
        assert_eq!(output("(not a message) {\"jsonrpc\":\"2.0\"}"), None);
        assert_eq!(output("(answer to an unknown or cancelled request) 7"), None);
    }
}

//! The user guide, as the program shows it. The pages are in `assets/guide`.

mod page;
mod render;

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use console::Term;

use crate::output;
pub use page::{TOPICS, Topic, find};

/// Shows a page, and a line after it. On a terminal, lines are wrapped, headings and code are styled, and a page that is
/// longer than the screen is shown in a pager.
pub fn show(topic: &Topic, hint: Option<&str>) -> io::Result<()> {
    let mut text = topic.text.trim_end().to_owned();
    if let Some(hint) = hint {
        text = format!("{text}\n\n{hint}");
    }
    if !io::stdout().is_terminal() {
        return output::styled(&text);
    }
    let (rows, columns) = Term::stdout().size();
    let look = render::Look { width: columns.into(), is_styled: console::colors_enabled() };
    let text = render::page(&text, look);
    if text.lines().count() >= rows.into() && page_through(&text).is_ok() {
        return Ok(());
    }
    output::styled(&text)
}

/// Shows a text in the user's pager.
fn page_through(text: &str) -> io::Result<()> {
    let pager = std::env::var("PAGER").unwrap_or_default();
    let mut words = pager.split_whitespace();
    let mut command = match words.next() {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        None => {
            let mut command = Command::new("less");
            command.arg("-FRX");
            command
        }
    };
    // Without these, a bare `less` in PAGER would show the codes of colours.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A reader that leaves the pager early closes the pipe.
        let _ = stdin.write_all(text.as_bytes());
    }
    child.wait().map(|_| ())
}

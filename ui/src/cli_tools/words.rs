//! Words about command-line tools.

use schemascope_api::{CliOrigin, CliState, CliToolRow};

use crate::app::App;
use crate::numbers::{count, number_of};
use crate::text::visible;

/// Longest name in a message, in characters.
const MAX_NAME: usize = 60;

/// A state in words, and the class of its dot.
pub fn state(state: CliState) -> (&'static str, &'static str) {
    match state {
        CliState::Ready => ("ready", "dot good"),
        CliState::Reading => ("reading its help", "dot warn"),
        CliState::Disabled => ("disabled", "dot"),
        CliState::Failed => ("failed", "dot bad"),
    }
}

/// Where an entry comes from, unless it is the file: a word and a sentence.
pub fn origin(origin: CliOrigin) -> Option<(&'static str, &'static str)> {
    match origin {
        CliOrigin::File => None,
        CliOrigin::CommandLine => {
            Some(("command line", "Added for this run with --cli; start Schemascope without it to remove it"))
        }
        CliOrigin::Approved => Some(("this run", "Approved until Schemascope ends")),
    }
}

/// The name of a command-line tool in a message.
pub fn name(alias: &str) -> String {
    visible(alias, MAX_NAME)
}

/// Reports what was done about an entry and what came of it, and has lists loaded again:
/// `ask-sort added: 1 tool, 27 options offered, 1 withheld`.
pub fn report(app: App, row: &CliToolRow, done: &str) {
    match row.state {
        CliState::Failed => {
            let reason = visible(row.reason.as_deref().unwrap_or("the reason is unknown"), 400);
            app.report_error(format!("{done}, but it cannot be used: {reason}"));
        }
        CliState::Ready => {
            let tools = number_of(row.tools.len(), "tool", "tools");
            let offered = number_of(row.offered, "option", "options");
            app.notify(format!(
                "{done}: {tools}, {offered} offered, {} withheld",
                count(row.withheld as u64)
            ));
        }
        CliState::Reading | CliState::Disabled => app.notify(done),
    }
    app.decided.update(|decided| *decided += 1);
}

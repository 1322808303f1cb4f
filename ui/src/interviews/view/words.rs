//! Words about interviews.

use crate::text::visible;

/// Longest name in a message, in characters.
const MAX_NAME: usize = 80;

/// A state of a pursuit as a word, and the class of its tag.
pub fn state(state: &str) -> (&'static str, &'static str) {
    match state {
        "working" => ("in progress", "accent"),
        "complete" => ("complete", ""),
        "exhausted" => ("budget exhausted", "warn"),
        "abandoned" => ("abandoned", ""),
        _ => ("unknown", ""),
    }
}

/// The name of a project or a Discovery Schema in a message.
pub fn name(text: &str) -> String {
    visible(text, MAX_NAME)
}

/// A budget, or what was used of it.
pub fn budget(amount: f64) -> String {
    format!("{amount:.2}")
}

//! The page "Interviews" and its dialogs.

mod actions;
mod aggregate;
mod choosing;
mod conduct;
mod conflicts;
mod conversation;
mod delete;
mod dialog;
mod form;
mod interview;
mod known;
mod library;
mod next;
mod page;
mod question;
mod row;
mod start;
mod transcript;
mod words;
mod write;

pub use dialog::{InterviewAsking, InterviewDialog};
pub use page::Interviews;

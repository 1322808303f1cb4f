//! What is known of an open object or array during the walk over a document.

use super::blocks::Blocks;
use super::columns::{Above, Columns, Secrecy};
use super::command::Command;
use crate::edits::Span;

/// An open object or array.
pub(super) struct Container {
    pub(super) is_object: bool,
    /// Everything inside is secret.
    pub(super) secret: bool,
    /// A schema of something secret: the values that it lists are secret.
    pub(super) is_secret_schema: bool,
    /// In a schema: the keys are names of fields.
    pub(super) names_fields: bool,
    /// In a schema: a value of what it describes, such as a default.
    pub(super) is_value: bool,
    /// The texts of the blocks in this array, if it holds content blocks.
    pub(super) blocks: Option<Blocks>,
    /// In an array: the last item was an option such as `--password`.
    pub(super) after_option: bool,
    /// In an object: whether its `name` is one of a secret.
    pub(super) named: Option<Secrecy>,
    /// In an object: the span of its `value`.
    pub(super) value: Option<Span>,
    /// In an object: whether it names a field of a page that is for a secret, and the span of its `text`.
    pub(super) is_secret_field: bool,
    pub(super) typed: Option<Span>,
    /// In an array: items are names and values in turn.
    pub(super) has_pairs: bool,
    pub(super) columns: Columns,
    pub(super) command: Command,
}

impl Container {
    /// The values that their siblings call secrets, and how certain that is.
    pub(super) fn named_values(&mut self) -> impl Iterator<Item = (Secrecy, Span)> + use<> {
        let typed = self.typed.take().filter(|_| self.is_secret_field).map(|span| (Secrecy::Certain, span));
        typed.into_iter().chain(self.named.zip(self.value.take()))
    }

    /// The parts that a container inside needs.
    pub(super) fn above(&mut self) -> Above<'_> {
        Above { columns: &mut self.columns, is_object: self.is_object }
    }
}

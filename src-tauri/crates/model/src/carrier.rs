//! What carries an observation, and counts of it.

use serde::{Deserialize, Serialize};

use crate::TextForm;

/// Part of a result that carried the observed value. Unrelated to HTTP transports. The name is that
/// of the JSON field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// Value of `structuredContent`.
    Structured,
    /// Text that parses as JSON.
    JsonInText,
    /// Text that is a Python literal.
    Python,
    /// JSON block in a short Markdown text.
    MarkdownJson,
    /// Table in a short Markdown text.
    MarkdownTable,
    /// Text that is a YAML document.
    Yaml,
    /// Text of lines `key: value`.
    KeyValue,
    /// The text itself, which is Markdown.
    Markdown,
    /// The text itself.
    Text,
}

impl Carrier {
    /// Returns whether the value was read from text that is not JSON. Clients get such structure only after a
    /// version was promoted.
    pub fn is_read_from_text(self) -> bool {
        matches!(self, Self::Python | Self::MarkdownJson | Self::MarkdownTable | Self::Yaml | Self::KeyValue)
    }
}

/// How many observations were carried how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carriers {
    /// In `structuredContent`.
    pub structured: u64,
    /// As JSON in text.
    pub json_in_text: u64,
    /// As text.
    pub text: u64,
    /// As a Python literal.
    #[serde(default)]
    pub python: u64,
    /// As a JSON block in Markdown.
    #[serde(default)]
    pub markdown_json: u64,
    /// As a table in Markdown.
    #[serde(default)]
    pub markdown_table: u64,
    /// As a YAML document.
    #[serde(default)]
    pub yaml: u64,
    /// As lines `key: value` whose keys recur.
    #[serde(default)]
    pub key_value: u64,
    /// As lines `key: value` whose keys had not recurred often enough. They are no observations.
    #[serde(default)]
    pub unproven: u64,
    /// As Markdown text.
    #[serde(default)]
    pub markdown: u64,
}

impl Carriers {
    /// Counts one result.
    pub fn count(&mut self, carrier: Carrier) {
        *match carrier {
            Carrier::Structured => &mut self.structured,
            Carrier::JsonInText => &mut self.json_in_text,
            Carrier::Python => &mut self.python,
            Carrier::MarkdownJson => &mut self.markdown_json,
            Carrier::MarkdownTable => &mut self.markdown_table,
            Carrier::Yaml => &mut self.yaml,
            Carrier::KeyValue => &mut self.key_value,
            Carrier::Markdown => &mut self.markdown,
            Carrier::Text => &mut self.text,
        } += 1;
    }

    /// Adds the counts of another machine.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.all_mut().into_iter().zip(other.all()) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Number of results.
    pub fn total(&self) -> u64 {
        self.all().into_iter().fold(0, u64::saturating_add)
    }

    /// Observations whose structure was read from a text.
    pub fn read_from_text(&self) -> u64 {
        let others = Self { structured: 0, ..*self };
        others.readable()
    }

    /// Observations that have structure.
    pub fn readable(&self) -> u64 {
        let without = Self { text: 0, unproven: 0, markdown: 0, ..*self };
        without.total()
    }

    /// The most frequent form of the results, if all of them are text without structure.
    pub fn text_form(&self) -> Option<TextForm> {
        let forms = [
            (self.text, TextForm::Plain),
            (self.unproven, TextForm::KeyValue),
            (self.markdown, TextForm::Markdown),
        ];
        // Of equal counts the last one wins.
        let (count, form) = forms.into_iter().max_by_key(|(count, _)| *count)?;
        (count > 0 && self.readable() == 0).then_some(form)
    }

    fn all(&self) -> [u64; 10] {
        let mut counts = *self;
        counts.all_mut().map(|count| *count)
    }

    fn all_mut(&mut self) -> [&mut u64; 10] {
        let Self {
            structured,
            json_in_text,
            text,
            python,
            markdown_json,
            markdown_table,
            yaml,
            key_value,
            unproven,
            markdown,
        } = self;
        [
            structured,
            json_in_text,
            text,
            python,
            markdown_json,
            markdown_table,
            yaml,
            key_value,
            unproven,
            markdown,
        ]
    }
}

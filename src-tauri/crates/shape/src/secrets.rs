//! The question whether something is a secret.
//!
//! Data stored before a rule existed has to be cleaned by it later: shapes, schemas, evidence.
//! Through this trait they do not depend on the rules.

/// Detection and removal of secrets.
pub trait Secrets {
    /// Returns whether any value under this key is a secret.
    fn key(&self, key: &str) -> bool;
    /// Returns the text without its secrets, or `None` if it has none.
    fn text(&self, text: &str) -> Option<String>;
    /// Returns the JSON without its secrets, also by key, or `None` if it has none.
    fn json(&self, json: &str) -> Option<String>;
    /// Returns a tool's definition without its secrets. Its keys are only names of arguments.
    fn definition(&self, json: &str) -> Option<String>;
}

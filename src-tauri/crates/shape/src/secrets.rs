//! Asking whether something is a secret.
//!
//! What was stored before a rule was known has to forget by it later: shapes, schemas, evidence. They ask
//! this, and stay free of the rules. Owns: the question. Refuses to know: the answer (see the engine's
//! redaction).

/// Tells secrets, and what may stand in their place.
pub trait Secrets {
    /// Whether the value under this key is a secret, whatever it is.
    fn key(&self, key: &str) -> bool;
    /// The text without its secrets; none if it has none.
    fn text(&self, text: &str) -> Option<String>;
    /// The JSON without its secrets, keys that tell looked at as well; none if it has none.
    fn json(&self, json: &str) -> Option<String>;
    /// A tool's definition without its secrets: its keys only name what arguments are called.
    fn definition(&self, json: &str) -> Option<String>;
}

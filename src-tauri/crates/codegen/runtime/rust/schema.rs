//! The schema of a type: the checks of arguments and results.

use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

use super::call::Sent;
use super::document::{Document, Origin};
use super::error::Error;
use super::validator::{show, Validator};

/// A schema in the form that Schemascope compiles it to, read when it is first used.
#[derive(Debug)]
pub struct Schema {
    name: &'static str,
    text: &'static str,
    is_strict: bool,
    validator: OnceLock<Validator>,
}

impl Schema {
    /// The schema of a type. If it `is_strict`, results that do not fit are errors.
    pub const fn new(name: &'static str, text: &'static str, is_strict: bool) -> Self {
        Self { name, text, is_strict, validator: OnceLock::new() }
    }

    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| Validator::new(self.text))
    }

    /// The JSON of arguments.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if they do not fit.
    pub fn check(&self, arguments: &impl Serialize) -> Result<Value, Error> {
        let value = serde_json::to_value(arguments)
            .map_err(|why| Error::InvalidValue { name: self.name.to_owned(), path: show(&[]), rule: why.to_string() })?;
        match self.validator().misfits(&value).into_iter().next() {
            Some(misfit) => Err(Error::InvalidValue {
                name: self.name.to_owned(),
                path: show(&misfit.path),
                rule: misfit.rule,
            }),
            None => Ok(value),
        }
    }

    /// Reads a JSON value.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if it does not fit and the schema is strict.
    pub fn parse(&'static self, value: Value) -> Result<Document, Error> {
        self.document(value, None, true)
    }

    /// Reads what a call returned.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn read(&'static self, sent: Sent) -> Result<Document, Error> {
        self.document(sent.value, Some(sent.text), sent.is_exact)
    }

    fn document(&'static self, value: Value, text: Option<String>, is_exact: bool) -> Result<Document, Error> {
        let misfits = self.validator().misfits(&value);
        if let Some(misfit) = misfits.first() {
            let (path, rule) = (show(&misfit.path), misfit.rule.clone());
            if self.is_strict {
                return Err(Error::InvalidValue { name: self.name.to_owned(), path, rule });
            }
            eprintln!("warning: {}: {path} breaks the inferred schema: {rule}", self.name);
        }
        let origin = Origin { name: self.name.to_owned(), schema: Some(self), misfits };
        Ok(Document { value, text, is_exact, origin })
    }
}

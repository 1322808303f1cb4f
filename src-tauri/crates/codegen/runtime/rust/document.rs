//! A result as it was sent, with what is known of it.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::error::Error;
use super::validator::Misfit;
use super::view::{Read, View};
use super::Schema;

/// A JSON value with accessors.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) value: Value,
    pub(super) text: Option<String>,
    pub(super) is_exact: bool,
    pub(super) origin: Origin,
}

/// What the views of one value share.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) name: String,
    pub(super) schema: Option<&'static Schema>,
    pub(super) misfits: Vec<Misfit>,
}

impl Document {
    /// A value of which nothing is known.
    pub(super) fn anything(name: &str, value: Value) -> Self {
        let origin = Origin { name: name.to_owned(), schema: None, misfits: Vec::new() };
        Self { value, text: None, is_exact: true, origin }
    }

    /// The whole value.
    pub fn view(&self) -> View<'_> {
        View::whole(&self.value, &self.origin)
    }

    /// The value of a key as it was sent, null included; `None` only if the key is absent.
    pub fn get(&self, key: &str) -> Option<View<'_>> {
        self.view().get(key)
    }

    /// Whether the key is present, with null or any other value.
    pub fn has(&self, key: &str) -> bool {
        self.view().has(key)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is absent.
    pub fn require(&self, key: &str) -> Result<View<'_>, Error> {
        self.view().require(key)
    }

    /// The JSON value.
    ///
    /// # Errors
    /// [`Error::InexactNumber`] if a number in it has more than 64 bits.
    pub fn raw(&self) -> Result<&Value, Error> {
        match self.is_exact {
            true => Ok(&self.value),
            false => Err(Error::InexactNumber { name: self.origin.name.clone() }),
        }
    }

    /// The JSON text, of results of calls.
    pub fn raw_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether the value fits the schema.
    pub fn fits(&self) -> bool {
        self.origin.misfits.is_empty()
    }

    /// The value as a type.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is of another type.
    pub fn read<'a, T: Read<'a>>(&'a self) -> Result<T, Error> {
        self.view().read()
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

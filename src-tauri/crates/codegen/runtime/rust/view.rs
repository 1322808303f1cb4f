//! Views of JSON values: accessors that name the path of what is missing.

use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::document::Origin;
use super::error::Error;
use super::number;
use super::validator::{show, Part};

/// A value inside a result.
#[derive(Clone)]
pub struct View<'a> {
    value: &'a Value,
    path: Vec<Part>,
    origin: &'a Origin,
}

/// A type of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// Keys with values.
    Object,
}

/// A type that a view can be read as.
pub trait Read<'a>: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is of another type.
    fn read(view: View<'a>) -> Result<Self, Error>;
}

impl<'a> View<'a> {
    pub(super) fn whole(value: &'a Value, origin: &'a Origin) -> Self {
        Self { value, path: Vec::new(), origin }
    }

    /// The value of a key as it was sent, null included; `None` only if the key is absent.
    pub fn get(&self, key: &str) -> Option<View<'a>> {
        let value = self.value.as_object()?.get(key)?;
        Some(self.inner(value, Part::Key(key.to_owned())))
    }

    /// Whether the key is present, with null or any other value.
    pub fn has(&self, key: &str) -> bool {
        self.value.as_object().is_some_and(|members| members.contains_key(key))
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is absent.
    pub fn require(&self, key: &str) -> Result<View<'a>, Error> {
        self.get(key).ok_or_else(|| self.missing(&self.with(Part::Key(key.to_owned())), "is absent".to_owned()))
    }

    /// The JSON value.
    pub fn raw(&self) -> &'a Value {
        self.value
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// The items; none if it is no list.
    pub fn items(&self) -> impl Iterator<Item = View<'a>> + '_ {
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().map(|(at, item)| self.inner(item, Part::Index(at)))
    }

    /// Whether the value fits the schema.
    pub fn fits(&self) -> bool {
        !self.origin.misfits.iter().any(|misfit| misfit.path.starts_with(&self.path))
    }

    /// Type of the value.
    pub fn kind(&self) -> Kind {
        match self.value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    /// The value as a type.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is of another type, or does not fit the schema.
    pub fn read<T: Read<'a>>(self) -> Result<T, Error> {
        match self.origin.misfits.iter().find(|misfit| misfit.path == self.path) {
            Some(misfit) => Err(self.missing(&self.path, format!("breaks the schema: {}", misfit.rule))),
            None => T::read(self),
        }
    }

    /// A field that every object has.
    ///
    /// # Errors
    /// [`Error::MissingField`] if it is absent, or its value does not fit.
    pub fn field<T: Read<'a>>(&self, key: &str) -> Result<T, Error> {
        match self.optional(key)? {
            Some(value) => Ok(value),
            None => self.require(key)?.read(),
        }
    }

    /// A field that may be absent.
    ///
    /// # Errors
    /// [`Error::MissingField`] if its value does not fit.
    pub fn optional<T: Read<'a>>(&self, key: &str) -> Result<Option<T>, Error> {
        if let Some(value) = self.get(key) {
            return value.read().map(Some);
        }
        let path = self.with(Part::Key(key.to_owned()));
        match self.origin.misfits.iter().find(|misfit| misfit.path == path) {
            Some(misfit) => Err(self.missing(&path, format!("is absent: {}", misfit.rule))),
            None => Ok(None),
        }
    }

    /// The view, if it is of a kind.
    ///
    /// # Errors
    /// [`Error::MissingField`] otherwise.
    pub fn expect(self, kind: Kind) -> Result<Self, Error> {
        if self.kind() == kind { Ok(self) } else { Err(self.unexpected(&format!("{kind:?}").to_lowercase())) }
    }

    /// The error of a value that is of another type.
    pub fn unexpected(&self, expected: &str) -> Error {
        let found = format!("{:?}", self.kind()).to_lowercase();
        self.missing(&self.path, format!("is of type {found}, not {expected}"))
    }

    /// Whether the value fits a part of the schema.
    pub fn is(&self, node: usize) -> bool {
        self.origin.schema.is_none_or(|schema| schema.validator().passes(node, self.value))
    }

    fn inner(&self, value: &'a Value, part: Part) -> View<'a> {
        View { value, path: self.with(part), origin: self.origin }
    }

    fn with(&self, part: Part) -> Vec<Part> {
        let mut path = self.path.clone();
        path.push(part);
        path
    }

    fn missing(&self, path: &[Part], why: String) -> Error {
        Error::MissingField { name: self.origin.name.clone(), path: show(path), why }
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.value)
    }
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'a> Read<'a> for View<'a> {
    fn read(view: View<'a>) -> Result<Self, Error> {
        Ok(view)
    }
}

impl<'a> Read<'a> for &'a str {
    fn read(view: View<'a>) -> Result<Self, Error> {
        view.value.as_str().ok_or_else(|| view.unexpected("string"))
    }
}

impl<'a> Read<'a> for bool {
    fn read(view: View<'a>) -> Result<Self, Error> {
        view.value.as_bool().ok_or_else(|| view.unexpected("boolean"))
    }
}

impl<'a> Read<'a> for i64 {
    fn read(view: View<'a>) -> Result<Self, Error> {
        let integer = match view.value {
            Value::Number(number) => number::as_i64(number),
            _ => None,
        };
        integer.ok_or_else(|| view.unexpected("integer of 64 bits"))
    }
}

impl<'a> Read<'a> for f64 {
    fn read(view: View<'a>) -> Result<Self, Error> {
        view.value.as_f64().ok_or_else(|| view.unexpected("number"))
    }
}

impl<'a> Read<'a> for () {
    fn read(view: View<'a>) -> Result<Self, Error> {
        view.expect(Kind::Null).map(|_| ())
    }
}

/// Null is `None`.
impl<'a, T: Read<'a>> Read<'a> for Option<T> {
    fn read(view: View<'a>) -> Result<Self, Error> {
        if view.value.is_null() { Ok(None) } else { T::read(view).map(Some) }
    }
}

/// A list whose items have one type. Each is read when it is used.
#[derive(Debug, Clone)]
pub struct List<'a, T> {
    view: View<'a>,
    items: &'a [Value],
    kind: PhantomData<T>,
}

impl<'a, T: Read<'a>> List<'a, T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// An item; `None` beyond the last.
    pub fn get(&self, at: usize) -> Option<Result<T, Error>> {
        Some(self.view.inner(self.items.get(at)?, Part::Index(at)).read())
    }

    /// The items, or the error of the first that is of another type.
    ///
    /// # Errors
    /// [`Error::MissingField`] names it.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.iter().collect()
    }

    /// The items.
    pub fn iter(&self) -> impl Iterator<Item = Result<T, Error>> + '_ {
        self.items.iter().enumerate().map(|(at, item)| self.view.inner(item, Part::Index(at)).read())
    }
}

impl<'a, T: Read<'a>> Read<'a> for List<'a, T> {
    fn read(view: View<'a>) -> Result<Self, Error> {
        match view.value.as_array() {
            Some(items) => Ok(Self { items, view, kind: PhantomData }),
            None => Err(view.unexpected("array")),
        }
    }
}

impl<'a, T: Read<'a>> IntoIterator for List<'a, T> {
    type Item = Result<T, Error>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl<T> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

/// An object whose values have one type. Each is read when it is used.
#[derive(Debug, Clone)]
pub struct Map<'a, T> {
    view: View<'a>,
    kind: PhantomData<T>,
}

impl<'a, T: Read<'a>> Map<'a, T> {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.view.value.as_object().map_or(0, serde_json::Map::len)
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key; `None` if it is absent.
    pub fn get(&self, key: &str) -> Option<Result<T, Error>> {
        self.view.get(key).map(View::read)
    }

    /// The keys with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Result<T, Error>)> + '_ {
        let members = self.view.value.as_object().into_iter().flatten();
        members.map(|(key, value)| {
            (key.as_str(), self.view.inner(value, Part::Key(key.clone())).read())
        })
    }
}

impl<'a, T: Read<'a>> Read<'a> for Map<'a, T> {
    fn read(view: View<'a>) -> Result<Self, Error> {
        Ok(Self { view: view.expect(Kind::Object)?, kind: PhantomData })
    }
}

impl<T> Serialize for Map<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view.serialize(serializer)
    }
}

macro_rules! tuples {
    ($($name:ident $at:tt),+) => {
        /// A list of a fixed length.
        impl<'a, $($name: Read<'a>),+> Read<'a> for ($($name,)+) {
            fn read(view: View<'a>) -> Result<Self, Error> {
                let list: List<'a, View<'a>> = List::read(view)?;
                Ok(($(match list.items.get($at) {
                    Some(item) => list.view.inner(item, Part::Index($at)).read::<$name>()?,
                    None => return Err(list.view.unexpected("a longer array")),
                },)+))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

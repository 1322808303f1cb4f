//! What the wrappers that Schemascope writes are made of: calls, views of JSON values, and checks against schemas.

mod argument;
mod call;
mod document;
mod error;
mod number;
mod schema;
mod validator;
mod view;

pub use argument::Argument;
pub use call::{call_mcp_tool, call_tool, read_result, Sent, TIMEOUT};
pub use document::Document;
pub use error::Error;
pub use schema::Schema;
pub use view::{Kind, List, Map, Read, View};

/// A result: an owned JSON value with accessors.
macro_rules! result {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name($crate::schemascope_runtime::Document);

        impl ::std::ops::Deref for $name {
            type Target = $crate::schemascope_runtime::Document;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.0, serializer)
            }
        }
    };
}

/// An object inside a result: a view with accessors.
macro_rules! object {
    ($name:ident) => {
        /// An object of a result.
        #[derive(Debug, Clone)]
        pub struct $name<'a>($crate::schemascope_runtime::View<'a>);

        impl<'a> $crate::schemascope_runtime::Read<'a> for $name<'a> {
            fn read(
                view: $crate::schemascope_runtime::View<'a>,
            ) -> Result<Self, $crate::schemascope_runtime::Error> {
                Ok(Self(view))
            }
        }

        impl<'a> ::std::ops::Deref for $name<'a> {
            type Target = $crate::schemascope_runtime::View<'a>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::serde::Serialize for $name<'_> {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.0, serializer)
            }
        }
    };
}

/// Arguments, or an object inside them: a JSON object that is built key by key.
macro_rules! arguments {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(::serde_json::Map<String, ::serde_json::Value>);

        impl $name {
            /// The arguments that a JSON object has. They are checked when a tool is called.
            pub fn from_map(members: ::serde_json::Map<String, ::serde_json::Value>) -> Self {
                Self(members)
            }

            /// Sets the value of a key, under its name in JSON.
            pub fn set(mut self, key: &str, value: impl $crate::schemascope_runtime::Argument) -> Self {
                self.0.insert(key.to_owned(), value.json());
                self
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl $crate::schemascope_runtime::Argument for $name {
            fn json(self) -> ::serde_json::Value {
                ::serde_json::Value::Object(self.0)
            }
        }
    };
}

pub(crate) use {arguments, object, result};

//! Values that can be arguments.

use std::collections::BTreeMap;

use serde_json::Value;

/// A value that becomes JSON in the arguments of a call.
pub trait Argument {
    /// The JSON value.
    fn json(self) -> Value;
}

macro_rules! plain {
    ($($kind:ty),*) => {
        $(impl Argument for $kind {
            fn json(self) -> Value {
                Value::from(self)
            }
        })*
    };
}

plain!(bool, i32, i64, u32, u64, f64, String, &str);

impl Argument for Value {
    fn json(self) -> Value {
        self
    }
}

impl Argument for () {
    fn json(self) -> Value {
        Value::Null
    }
}

/// `None` is null.
impl<T: Argument> Argument for Option<T> {
    fn json(self) -> Value {
        self.map_or(Value::Null, Argument::json)
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn json(self) -> Value {
        self.into_iter().map(Argument::json).collect()
    }
}

impl<T: Argument> Argument for BTreeMap<String, T> {
    fn json(self) -> Value {
        Value::Object(self.into_iter().map(|(key, value)| (key, value.json())).collect())
    }
}

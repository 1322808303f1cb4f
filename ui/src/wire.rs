//! Reading the engine's JSON.
//!
//! Serde compiles code to read structs from objects and from arrays, for every type. The engine sends objects
//! only; requesting a map where a type requests a struct leaves the other half out, which saves a tenth of the
//! dashboard's size.

use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads a value from the whole of a text.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    let mut text = serde_json::Deserializer::from_str(json);
    let value = T::deserialize(Objects(&mut text))?;
    text.end()?;
    Ok(value)
}

/// Wrapper around Serde's types that reads structs from objects only, at every depth.
struct Objects<T>(T);

/// Methods that need no change.
macro_rules! as_it_is {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$name(visitor)
        })*
    };
}

/// Methods whose contents are wrapped.
macro_rules! and_inside {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$name(Objects(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    as_it_is! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    and_inside! { deserialize_option deserialize_seq deserialize_map }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Objects(visitor))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(len, Objects(visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple_struct(name, len, Objects(visitor))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    // Raw JSON is requested as a newtype.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Objects<V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(out)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inside: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Objects(inside))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Objects(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Objects(entries))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inside: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Objects(inside))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use schemascope_api::RawSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        name: String,
        #[serde(default)]
        at: Option<f64>,
        pair: (u64, bool),
        inner: Vec<Inner>,
        by_name: BTreeMap<String, Inner>,
        raw: Option<RawSchema>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        kind: Kind,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Other(u8),
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let json = r#"{"name":"a\n","unknown":[{}],"pair":[1,true],"inner":[{"kind":"one"},{"kind":{"other":2}}],
            "by_name":{"x":{"kind":"one"}},"raw":{"a": 1.10}}"#;
        let read: Outer = read(json).unwrap();
        assert_eq!(read, serde_json::from_str(json).unwrap());
        assert_eq!(read.raw.unwrap().0.get(), r#"{"a": 1.10}"#);
    }

    #[test]
    fn rejects_other_json() {
        for json in ["", "{", "[\"a\"]", "{\"kind\":\"two\"}", "{}", "{\"kind\":\"one\"} {}"] {
            assert!(read::<Inner>(json).is_err(), "{json}");
        }
        // Structs are not read from arrays.
        assert!(serde_json::from_str::<Inner>("[\"one\"]").is_ok());
        assert!(read::<Inner>("[\"one\"]").is_err());
    }
}

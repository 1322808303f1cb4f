//! JSON-RPC as bytes.
//!
//! Owns: reading an envelope without touching what is in it, finding the few values a proxy must see,
//! and writing messages. Refuses to know: sessions, upstreams, transports.

pub(crate) mod error;
pub(crate) mod headers;
pub(crate) mod message;
pub(crate) mod meta;
pub(crate) mod params;
pub(crate) mod version;

pub(crate) use error::RpcError;
pub(crate) use message::Body;
pub(crate) use meta::Who;
pub(crate) use version::Era;

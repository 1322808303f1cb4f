//! JSON-RPC messages as bytes: reading envelopes and the few values that a proxy needs, and writing messages. All
//! other bytes pass unchanged.

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

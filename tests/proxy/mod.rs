//! The proxy as agents use it: endpoints, both protocol eras, upstreams of every kind.

mod adapter;
mod built_in;
mod changes;
mod cli_tools;
mod client_model;
mod conformance;
mod eras;
mod fidelity;
mod http;
mod interviews;
mod isolation;
mod over_http;
mod real;
mod sdks;
mod sharing;
mod stdio;
mod tasks;
mod upstreams;
mod wrong;

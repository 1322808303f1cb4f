//! The dashboard: what the window and the browser show.
//!
//! [`picture`] is the state, a fold of the engine's frames; pages draw it and send commands through one
//! door (`door`). What needs no page (texts, numbers, routes, the fold) is tested on the machine itself;
//! the rest exists in wasm only and is tested in a browser.
//!
//! Architecture invariant: depends on `api` alone, so that work here never rebuilds the engine. Values from
//! upstreams are text, never markup.
#![cfg_attr(
    target_arch = "wasm32",
    allow(clippy::needless_pass_by_value, reason = "components take their properties by value")
)]

pub mod evidence;
pub mod json;
pub mod numbers;
pub mod order;
pub mod picture;
pub mod route;
pub mod text;
pub mod tree;
pub mod wire;

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod cells;
#[cfg(target_arch = "wasm32")]
mod charts;
#[cfg(target_arch = "wasm32")]
mod door;
#[cfg(target_arch = "wasm32")]
mod drift;
#[cfg(target_arch = "wasm32")]
mod live;
#[cfg(target_arch = "wasm32")]
mod pages;
#[cfg(target_arch = "wasm32")]
mod parts;
#[cfg(target_arch = "wasm32")]
mod versions;

#[cfg(target_arch = "wasm32")]
pub use app::start;

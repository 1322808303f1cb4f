//! The dashboard, as shown in the window and in browsers.
//!
//! [`picture`] holds the state, a fold of the engine's frames. Pages draw it and send commands through `door`.
//! Modules that need no page (texts, numbers, routes, the fold) are tested natively; the others exist in wasm only
//! and are tested in a browser.
//!
//! Architecture invariant: depends on `api` and `figures` alone, so that changes here never rebuild the engine. Values from
//! servers are text, never markup.
#![cfg_attr(
    target_arch = "wasm32",
    allow(clippy::needless_pass_by_value, reason = "components take their properties by value")
)]

pub mod cli_entry;
pub mod evidence;
pub mod graph;
pub mod interviews;
pub mod json;
pub mod layout;
pub mod markdown;
pub mod order;
pub mod picture;
pub mod recent;
pub mod route;
pub mod text;
pub mod tree;
pub mod wire;

pub use schemascope_figures::numbers;

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod cells;
#[cfg(target_arch = "wasm32")]
mod charts;
#[cfg(target_arch = "wasm32")]
mod cli_tools;
#[cfg(target_arch = "wasm32")]
mod door;
#[cfg(target_arch = "wasm32")]
mod drift;
#[cfg(target_arch = "wasm32")]
mod export;
#[cfg(target_arch = "wasm32")]
mod failing;
#[cfg(target_arch = "wasm32")]
mod live;
#[cfg(target_arch = "wasm32")]
mod loaded;
#[cfg(target_arch = "wasm32")]
mod needs;
#[cfg(target_arch = "wasm32")]
mod pages;
#[cfg(target_arch = "wasm32")]
mod parts;
#[cfg(target_arch = "wasm32")]
mod saving;
#[cfg(target_arch = "wasm32")]
mod throttle;
#[cfg(target_arch = "wasm32")]
mod versions;

#[cfg(target_arch = "wasm32")]
pub use app::start;

//! The picture of the graph, as plain data: which tools and edges are shown, where they are drawn, and in what words.
//!
//! [`scene`] chooses what is shown, [`drawing`] and [`overview`] decide how it looks, [`layout`] where it is. Equal
//! data give an equal picture: no function here reads a clock, a size of the window or a source of chance.

pub mod drawing;
pub mod export;
pub mod hit;
pub mod labels;
pub mod layers;
pub mod layout;
pub mod lit;
pub mod order;
pub mod overview;
pub mod place;
pub mod plan;
pub mod route;
pub mod rows;
pub mod scene;
pub mod tokens;
pub mod walk;
pub mod words;

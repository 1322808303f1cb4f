//! Numbers as text and charts as SVG: the dashboard and the report show the same figures in the same way.

pub mod charts;
pub mod numbers;

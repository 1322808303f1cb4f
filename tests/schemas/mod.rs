//! Inferred schemas and drift, from calls to the terminal.

mod attention;
mod drift;
mod inferred;

//! Prints wrappers in TypeScript.

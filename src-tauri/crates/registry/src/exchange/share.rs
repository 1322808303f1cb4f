//! What one machine knows of a tool, as far as it merges, and what several know together.
//!
//! A machine's share is all it ever counted, so a later one takes the place of an earlier one: reading the same
//! bundle twice counts nothing twice. Owns: shares, which of two is later, and their sum. Refuses to know: files.

use schemascope_model::Timestamp;
use schemascope_shape::{HashKey, InvalidState, Shape};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::schema::DeclaredSchema;
use crate::tool::{Carriers, Declaration, Tool};

/// How far a machine had counted. Counts only grow, so the larger of two is the later one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Calls of all tools.
    pub calls: u64,
    /// The latest call or listing.
    pub latest: Option<Timestamp>,
}

/// What one machine counted of one tool. All of it is additive.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Share {
    calls: u64,
    failures: u64,
    unanswered: u64,
    carriers: Carriers,
    /// How observations fit the schema that the upstream declares.
    declared_fits: u64,
    declared_violates: u64,
    last_called: Option<Timestamp>,
    last_observed: Option<Timestamp>,
    /// A shape without its hash key.
    shape: Box<RawValue>,
}

impl Share {
    /// Of a tool, with the values its shape keeps or with hashes in their place.
    pub fn of(tool: &Tool, with_values: bool) -> Self {
        let shape = if with_values { tool.shape.to_shared() } else { tool.shape.veiled().to_shared() };
        let shape = String::from_utf8(shape).unwrap_or_default();
        let fit = declared(tool.declaration.as_ref())
            .map(|declared| tool.fits.of(&declared.digest))
            .unwrap_or_default();
        Self {
            calls: tool.calls,
            failures: tool.failures,
            unanswered: tool.unanswered,
            carriers: tool.carriers,
            declared_fits: fit.fits,
            declared_violates: fit.violates,
            last_called: tool.last_called,
            last_observed: tool.last_observed,
            shape: RawValue::from_string(shape).unwrap_or_default(),
        }
    }

    /// The same with hashes in place of the values.
    pub fn veiled(&self, key: HashKey) -> Result<Self, InvalidState> {
        let shape = String::from_utf8(self.shape(key)?.veiled().to_shared()).unwrap_or_default();
        Ok(Self { shape: RawValue::from_string(shape).unwrap_or_default(), ..self.clone() })
    }

    /// Calls, however they ended.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Its shape.
    pub fn shape(&self, key: HashKey) -> Result<Shape, InvalidState> {
        Shape::from_shared(self.shape.get().as_bytes(), key)
    }
}

fn declared(declaration: Option<&Declaration>) -> Option<&DeclaredSchema> {
    declaration.and_then(Declaration::output_schema)
}

/// What several machines know of one tool together.
#[derive(Debug, Clone)]
pub struct Team {
    key: HashKey,
    tool: Tool,
}

impl Team {
    /// Of nothing yet.
    pub fn with_key(key: HashKey) -> Self {
        Self { key, tool: Tool { shape: Shape::with_key(key), ..Tool::default() } }
    }

    /// What is declared of the tool: the latest listing counts, whoever has it.
    pub fn declare(&mut self, declaration: Option<&Declaration>) {
        let Some(new) = declaration else { return };
        let rank = |declaration: &Declaration| (declaration.at, declaration.definition.get().to_owned());
        if self.tool.declaration.as_ref().is_none_or(|known| rank(known) < rank(new)) {
            self.tool.declaration = Some(new.clone());
        }
    }

    /// Adds what a machine counted. On an error nothing was added.
    pub fn add(&mut self, share: &Share) -> Result<(), InvalidState> {
        let shape = share.shape(self.key)?;
        let tool = &mut self.tool;
        // Its key is the one just given.
        let _ = tool.shape.merge(&shape);
        tool.calls = tool.calls.saturating_add(share.calls);
        tool.failures = tool.failures.saturating_add(share.failures);
        tool.unanswered = tool.unanswered.saturating_add(share.unanswered);
        let (mine, theirs) = (&mut tool.carriers, share.carriers);
        mine.structured = mine.structured.saturating_add(theirs.structured);
        mine.json_in_text = mine.json_in_text.saturating_add(theirs.json_in_text);
        mine.text = mine.text.saturating_add(theirs.text);
        // Kept under a name of its own until it is known what is declared.
        tool.fits.add_counts(FITS, share.declared_fits, share.declared_violates);
        tool.last_called = tool.last_called.max(share.last_called);
        tool.last_observed = tool.last_observed.max(share.last_observed);
        Ok(())
    }

    /// The sum.
    pub fn tool(mut self) -> Tool {
        let fit = self.tool.fits.of(FITS);
        let digest = declared(self.tool.declaration.as_ref()).map(|declared| declared.digest.clone());
        if let Some(digest) = digest {
            self.tool.fits.add_counts(&digest, fit.fits, fit.violates);
        }
        self.tool
    }
}

const FITS: &str = "declared";

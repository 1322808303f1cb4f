//! The tools and payloads of the fixture upstream `payload`.

/// A tool of the fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload {
    /// Its name there.
    pub tool: &'static str,
    /// What the table calls it.
    pub name: &'static str,
}

/// Variants of each payload; the caller says which one it wants.
pub const VARIANTS: usize = 16;

/// All payloads.
pub const ALL: [Payload; 5] = [
    Payload { tool: "payload_100", name: "100 B text" },
    Payload { tool: "payload_20k", name: "20 KB text" },
    Payload { tool: "structured_20k", name: "20 KB structured" },
    Payload { tool: "structured_100k", name: "100 KB structured" },
    Payload { tool: "json_text_20k", name: "20 KB JSON in text" },
];

/// Where the one stands in [`ALL`] for which the goal is higher.
pub const LARGE: usize = 3;

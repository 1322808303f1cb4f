//! Calls as servers answer them: 300 bytes to 2 KB, fifty tools, one in a thousand fails.

use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use schemascope_model::{CallRecord, Carrier, IdSource, Origin, Outcome, Timestamp, ToolId};
use serde_json::value::RawValue;

const TOOLS: usize = 50;
/// A tool that is called once in this many calls.
const RARE: u64 = 100_000;
/// When the first one was made.
const BEGINNING: u64 = 1_700_000_000_000;
/// Milliseconds between two.
const APART: u64 = 250;

/// Makes calls, always the same ones.
pub struct Calls {
    ids: IdSource,
    random: Random,
    made: u64,
}

impl Calls {
    pub fn new() -> Self {
        Self { ids: IdSource::new(1, 0), random: Random::new(1, "store"), made: 0 }
    }

    /// When the next one is made.
    pub fn now(made: u64) -> Timestamp {
        Timestamp::from_millis(BEGINNING + made * APART)
    }

    pub fn next(&mut self) -> CallRecord {
        let random = &mut self.random;
        let at = Self::now(self.made);
        self.made += 1;
        let rare = self.made.is_multiple_of(RARE);
        let tool_id = if rare { rare_tool() } else { tool(random.below(TOOLS)) };
        let fails = random.chance(0.001);
        let items: Vec<String> = (0..1 + random.below(7))
            .map(|n| {
                let (name, note) = (text("person", random), text("sentence", random));
                let (hash, amount) = (text("hex", random), text("amount", random));
                format!(
                    r#"{{"id":{n},"name":"{name}","note":"{note}","hash":"{hash}","amount":{amount},"open":{}}}"#,
                    random.chance(0.5)
                )
            })
            .collect();
        let structured = format!(r#"{{"items":[{}],"total":{}}}"#, items.join(","), items.len());
        let result = format!(r#"{{"content":[],"structuredContent":{structured},"isError":{fails}}}"#);
        let outcome = if fails { Outcome::ToolError } else { Outcome::Ok };
        CallRecord {
            session: Some("4a1f".into()),
            protocol_version: Some("2025-11-25".into()),
            upstream_us: Some(1_000 + random.bits() % 20_000),
            total_us: Some(2_000 + random.bits() % 20_000),
            arguments_bytes: 20,
            result_bytes: result.len() as u64,
            carrier: Some(Carrier::Structured),
            arguments: RawValue::from_string(format!(r#"{{"page":{}}}"#, random.below(100))).ok(),
            result: RawValue::from_string(result).ok(),
            ..CallRecord::new(self.ids.at(at), at, tool_id, outcome, Origin::Proxy)
        }
    }
}

/// One of the tools.
pub fn tool(number: usize) -> ToolId {
    named(&format!("tool_{number}"))
}

/// The one that is hardly called.
pub fn rare_tool() -> ToolId {
    named("rare")
}

fn named(name: &str) -> ToolId {
    #[expect(clippy::expect_used, reason = "these names are valid")]
    ToolId::new("bench", name).expect("a valid name")
}

//! The whole ladder: every row, and what must hold whatever comes.

mod matrix;
mod properties;
mod telling;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::*;

fn schema(value: Value) -> Schema {
    Schema { digest: value.to_string().into(), schema: Arc::new(value) }
}

fn judge(effective: &Effective) -> Judge {
    effective.schema().map(|schema| Judge::new(&schema.schema)).unwrap_or_default()
}

/// All ways to hold this true.
fn all_origins(value: &Value) -> [Effective; 4] {
    let schema = schema(value.clone());
    [
        Effective::Declared(schema.clone()),
        Effective::Promoted(schema.clone()),
        Effective::Pinned(schema.clone()),
        Effective::Enforced(schema),
    ]
}

fn adapted(result: &str, effective: &Effective, modern: bool, mode: Mode) -> Adapted {
    let judge = judge(effective);
    let told = Told { effective, judge: &judge, suspended: false, modern };
    adapt(&Bytes::copy_from_slice(result.as_bytes()), &told, mode)
}

/// The `outputSchema` a client sees of a tool whose upstream declares `declared`.
fn advertised(
    declared: Option<&Value>,
    effective: &Effective,
    modern: bool,
    suspended: bool,
) -> Option<Value> {
    let judge = judge(effective);
    let told = Told { effective, judge: &judge, suspended, modern };
    let mut definition = serde_json::json!({"name": "t", "inputSchema": {"type": "object"}});
    if let Some(declared) = declared {
        definition["outputSchema"] = declared.clone();
    }
    let definition: Value =
        serde_json::from_slice(&advertise(&definition.to_string().into(), &told)).unwrap();
    definition.get("outputSchema").cloned()
}

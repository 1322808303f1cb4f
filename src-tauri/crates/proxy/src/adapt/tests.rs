//! The whole ladder: every row of its table, and properties that hold for any input.

mod advertising;
mod matrix;
mod properties;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::*;

fn schema(value: Value) -> Schema {
    Schema { digest: value.to_string().into(), schema: Arc::new(value), inferred: false }
}

fn judge(effective: &Effective) -> Judge {
    effective.schema().map(|schema| Judge::new(&schema.schema)).unwrap_or_default()
}

/// This schema as effective schema of every origin.
fn all_origins(value: &Value) -> [Effective; 4] {
    let schema = schema(value.clone());
    [
        Effective::Declared(schema.clone()),
        Effective::Promoted(schema.clone()),
        Effective::Pinned(schema.clone()),
        Effective::Enforced(schema),
    ]
}

fn adapted(result: &str, effective: &Effective, modern: bool, mode: Mode) -> Adaptation {
    let judge = judge(effective);
    let context = ToolContext { effective, judge: &judge, suspended: false, modern };
    adapt(&Bytes::copy_from_slice(result.as_bytes()), &context, mode)
}

/// The `outputSchema` that a client gets of a tool whose upstream declares `declared`.
fn advertised(
    declared: Option<&Value>,
    effective: &Effective,
    modern: bool,
    suspended: bool,
) -> Option<Value> {
    let judge = judge(effective);
    let context = ToolContext { effective, judge: &judge, suspended, modern };
    let mut definition = serde_json::json!({"name": "t", "inputSchema": {"type": "object"}});
    if let Some(declared) = declared {
        definition["outputSchema"] = declared.clone();
    }
    let definition: Value =
        serde_json::from_slice(&advertise(&definition.to_string().into(), &context)).unwrap();
    definition.get("outputSchema").cloned()
}

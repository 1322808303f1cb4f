//! The output schema that clients would get if a decision were taken.

use serde_json::Value;

use super::effective::Effective;
use super::{Judge, ToolContext, advertise};

/// The `outputSchema` that clients of the session era get on `/mcp`; `None` if they get none.
pub fn advertised(effective: &Effective) -> Option<Value> {
    let own = effective.schema()?;
    let judge = Judge::new(&own.schema);
    let context = ToolContext { effective, judge: &judge, suspended: false, modern: false };
    Some(advertise::output_schema(&context).unwrap_or_else(|| own.schema.as_ref().clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::adapt::Schema;

    #[test]
    fn advertised_is_the_schema_of_lists() {
        let schema =
            Schema { digest: "d".into(), schema: Arc::new(json!({"type": "object"})), inferred: false };
        let is = |effective: Effective| advertised(&effective);
        assert_eq!(is(Effective::None), None);
        assert_eq!(is(Effective::Declared(schema.clone())), Some(json!({"type": "object"})));
        assert_eq!(is(Effective::Enforced(schema.clone())), Some(json!({"type": "object"})));
        let tolerant = json!({"type": "object", "anyOf": [{"type": "object"}, {"type": "object"}]});
        assert_eq!(is(Effective::Promoted(schema)), Some(tolerant));
    }
}

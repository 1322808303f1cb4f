//! What clients would be told of a tool's output, for who thinks about deciding it.
//!
//! Owns: nothing but the question. Refuses to know: how it is answered (see [`super::advertise`]).

use serde_json::Value;

use super::effective::Effective;
use super::{Judge, Told, advertise};

/// The `outputSchema` clients with sessions are told on `/mcp`; none for none.
pub fn advertised(effective: &Effective) -> Option<Value> {
    let own = effective.schema()?;
    let judge = Judge::new(&own.schema);
    let told = Told { effective, judge: &judge, suspended: false, modern: false };
    Some(advertise::output_schema(&told).unwrap_or_else(|| own.schema.as_ref().clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::adapt::Schema;

    #[test]
    fn it_is_what_lists_say() {
        let schema = Schema { digest: "d".into(), schema: Arc::new(json!({"type": "object"})) };
        let is = |effective: Effective| advertised(&effective);
        assert_eq!(is(Effective::None), None);
        assert_eq!(is(Effective::Declared(schema.clone())), Some(json!({"type": "object"})));
        assert_eq!(is(Effective::Enforced(schema.clone())), Some(json!({"type": "object"})));
        let tolerant = json!({"type": "object", "anyOf": [{"type": "object"}, {"type": "object"}]});
        assert_eq!(is(Effective::Promoted(schema)), Some(tolerant));
    }
}

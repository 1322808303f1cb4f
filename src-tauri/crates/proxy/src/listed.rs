//! The schemas under which a session listed its tools.
//!
//! Clients validate results by the schemas that they listed last, and many do not list them again when they are
//! notified of a change. Until they do, their results keep the form that those schemas allow.

use std::collections::HashMap;
use std::sync::Arc;

use schemascope_model::ToolId;

use crate::adapt::Effective;

/// Effective schemas of the tools of a list, without tools that had none. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListedSchemas(Arc<HashMap<ToolId, Effective>>);

impl ListedSchemas {
    /// Schemas of a list. Takes those of `latest` if they are the same, because most clients list the same.
    pub(crate) fn new(tools: impl Iterator<Item = (ToolId, Effective)>, latest: &Self) -> Self {
        let listed: HashMap<_, _> = tools.filter(|(_, effective)| effective.schema().is_some()).collect();
        let is_same = |(tool, effective): (&ToolId, &Effective)| {
            latest.0.get(tool).is_some_and(|before| before.is_same(effective))
        };
        if listed.len() == latest.0.len() && listed.iter().all(is_same) {
            return latest.clone();
        }
        Self(Arc::new(listed))
    }

    /// The schema to adapt a result to, if it is not the one that is effective now.
    pub(crate) fn instead_of(&self, tool: &ToolId, now: &Effective) -> Option<Effective> {
        let listed = self.0.get(tool)?;
        match (listed, now) {
            // Errors satisfy every client.
            (_, Effective::Enforced(_)) => None,
            // Results that violate it are errors no longer.
            (Effective::Enforced(schema), _) => Some(Effective::Pinned(schema.clone())),
            // Promoted schemas are advertised in a form that any object satisfies; this is not.
            (Effective::Declared(_), now) => now.is_promoted().then(|| listed.clone()),
            // Without a schema, text gets no structure.
            (_, now) => now.schema().is_none().then(|| listed.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::adapt::Schema;

    fn schema(digest: &str) -> Schema {
        Schema { digest: digest.into(), schema: Arc::new(json!({})), inferred: true }
    }

    #[test]
    fn earlier_schema_counts_where_the_client_would_reject_results_of_the_new_one() {
        let tool: ToolId = "s__t".parse().unwrap();
        let [none, declared, promoted, enforced]: [Effective; 4] = [
            Effective::None,
            Effective::Declared(schema("d")),
            Effective::Promoted(schema("p")),
            Effective::Enforced(schema("p")),
        ];
        let pinned = Effective::Pinned(schema("q"));
        for (listed, now, expect) in [
            (&none, &promoted, false),
            (&declared, &promoted, true),
            (&declared, &pinned, true),
            (&declared, &none, false),
            (&declared, &enforced, false),
            (&promoted, &none, true),
            (&promoted, &declared, false),
            (&promoted, &pinned, false),
            (&enforced, &promoted, true),
            (&enforced, &none, true),
        ] {
            let listing =
                ListedSchemas::new([(tool.clone(), listed.clone())].into_iter(), &ListedSchemas::default());
            assert_eq!(listing.instead_of(&tool, now).is_some(), expect, "{listed:?} {now:?}");
        }
        let other: ToolId = "s__other".parse().unwrap();
        let list = |effective: &Effective| [(tool.clone(), effective.clone())].into_iter();
        let first = ListedSchemas::new(list(&promoted), &ListedSchemas::default());
        assert!(first.instead_of(&other, &none).is_none());
        assert!(Arc::ptr_eq(&ListedSchemas::new(list(&promoted), &first).0, &first.0));
        assert!(!Arc::ptr_eq(&ListedSchemas::new(list(&pinned), &first).0, &first.0));
    }
}

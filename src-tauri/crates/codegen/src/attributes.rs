//! What a change of schema does to the attributes of a tool's result type, as scripts use them.

use crate::names::pascal;
use crate::python;
use crate::tool::Tool;

/// Most attributes in one list.
const MAX_LISTED: usize = 200;

/// Attributes of the Python wrapper, as `ListOrdersResult.orders`, with their types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributeChanges {
    /// New ones.
    pub added: Vec<(String, String)>,
    /// Those that are no longer there.
    pub removed: Vec<(String, String)>,
    /// Those whose type changes, with the old and the new one.
    pub retyped: Vec<(String, String, String)>,
}

/// Compares the result types of two states of one tool. At most 200 attributes of each kind are listed.
pub fn attribute_changes(old: &Tool, new: &Tool) -> AttributeChanges {
    let title = pascal(new.id.tool());
    let (old, mut new) = (python::result_attributes(old, &title), python::result_attributes(new, &title));
    let mut changes = AttributeChanges::default();
    for (name, kind) in old {
        match new.remove(&name) {
            None => changes.removed.push((name, kind)),
            Some(then) if then != kind => changes.retyped.push((name, kind, then)),
            Some(_) => {}
        }
    }
    changes.added.extend(new);
    changes.added.truncate(MAX_LISTED);
    changes.removed.truncate(MAX_LISTED);
    changes.retyped.truncate(MAX_LISTED);
    changes
}

#[cfg(test)]
mod tests {
    use schemascope_model::{Quality, Source, Strategy, ToolId};
    use serde_json::{Value, json};

    use super::*;

    fn tool(output: Value) -> Tool {
        Tool {
            id: ToolId::new("shop", "get_order").unwrap(),
            description: String::new(),
            strategy: Strategy::Inferred,
            source: Source::Inferred,
            quality: Quality::High,
            observation_count: 3,
            version: None,
            input_schema: json!({"type": "object"}),
            output_schema: Some(output),
            is_text: false,
            is_gone: false,
        }
    }

    #[test]
    fn changes_name_the_attribute_and_its_types() {
        let schema = |customer: Value, more: Value| {
            let mut properties = json!({"id": {"type": "string"}, "customer": customer});
            properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"type": "object", "properties": properties, "required": ["id", "customer"]})
        };
        let old = tool(schema(json!({"type": "string"}), json!({"note": {"type": "string"}})));
        let name =
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let new = tool(schema(name, json!({"total": {"type": "integer"}})));
        let pair = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
        let changes = attribute_changes(&old, &new);
        assert_eq!(
            changes.added,
            [pair("GetOrderResult.total", "int | None"), pair("GetOrderResultCustomer.name", "str")]
        );
        assert_eq!(changes.removed, [pair("GetOrderResult.note", "str | None")]);
        let retyped =
            ("GetOrderResult.customer".to_owned(), "str".to_owned(), "GetOrderResultCustomer".to_owned());
        assert_eq!(changes.retyped, [retyped]);
        assert_eq!(attribute_changes(&new, &new), AttributeChanges::default());
    }
}

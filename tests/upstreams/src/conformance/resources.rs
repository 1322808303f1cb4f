//! The resources: two that never change, one to watch, and one for every id.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::content::PIXEL;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
/// The resource that is updated by a tool.
pub const WATCHED: &str = "test://watched-resource";

/// All resources that have one address.
pub fn all(more: bool) -> Vec<Resource> {
    let resource = |uri: &str, name: &str, description: &str, mime_type: &str| {
        Resource::new(uri, name).with_description(description).with_mime_type(mime_type)
    };
    let mut all = vec![
        resource(TEXT, "Static text", "A text that never changes", "text/plain"),
        resource(BINARY, "Static binary", "A picture that never changes", "image/png"),
        resource(WATCHED, "Watched", "A text to subscribe to", "text/plain"),
    ];
    if more {
        all.push(resource(
            "test://sometimes",
            "Sometimes",
            "A text that is there only at times",
            "text/plain",
        ));
    }
    all
}

/// All resources that have one address for every id.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("test://template/{id}/data", "Data by id")
            .with_description("What is known of an id")
            .with_mime_type("application/json"),
    ]
}

/// What a resource holds.
///
/// # Errors
///
/// Where there is none of this URI.
pub fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri),
        BINARY => ResourceContents::blob(PIXEL, uri).with_mime_type("image/png"),
        "test://sometimes" => ResourceContents::text("At times.", uri),
        WATCHED => ResourceContents::text("This is worth watching.", uri),
        _ => {
            let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let Some(id) = id else {
                return Err(ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri}))));
            };
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

//! Contents of answers: the smallest picture and sound there are, and tools that answer the same
//! whatever they are asked.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// One red pixel, a PNG in base64.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// No sound at all, a WAV in base64.
pub const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// A result of one text.
pub fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The answer of a tool that has only one.
pub fn constant(tool: &str) -> Option<CallToolResult> {
    let blocks = match tool {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![ContentBlock::image(PIXEL, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(SILENCE, "audio/wav")],
        "test_embedded_resource" => vec![ContentBlock::resource(ResourceContents::text(
            "This is an embedded resource content.",
            "test://embedded-resource",
        ))],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PIXEL, "image/png"),
            ContentBlock::resource(
                ResourceContents::text(r#"{"test":"data","value":123}"#, "test://mixed-content-resource")
                    .with_mime_type("application/json"),
            ),
        ],
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Some(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        "json_schema_2020_12_tool" | "test_header_parameter" | "test_sometimes" => {
            vec![ContentBlock::text("It is the definition of this tool that matters.")]
        }
        _ => return None,
    };
    Some(CallToolResult::success(blocks))
}

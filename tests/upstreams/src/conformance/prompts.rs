//! The prompts, and completion of their arguments.

use rmcp::model::{
    ContentBlock, ErrorData, GetPromptResponse, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, ResourceContents, Role,
};
use serde_json::{Value, json};

use crate::ask::{Asked, Asker};
use crate::content::PIXEL;
use crate::inquiries::{field, questions, told};

fn prompt(name: &str, description: &str, arguments: &[&str]) -> Prompt {
    let arguments = arguments.iter().map(|name| {
        PromptArgument::new(*name).with_description(format!("The argument {name}")).with_required(true)
    });
    Prompt::new(name, Some(description), Some(arguments.collect()))
}

/// All prompts; one of them is there only at times.
pub fn all(more: bool) -> Vec<Prompt> {
    let mut all = vec![
        prompt("test_simple_prompt", "A prompt without arguments", &[]),
        prompt("test_prompt_with_arguments", "A prompt with two arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", "A prompt with a resource in it", &["resourceUri"]),
        prompt("test_prompt_with_image", "A prompt with a picture in it", &[]),
        prompt("test_input_required_result_prompt", "A prompt that asks first", &[]),
    ];
    if more {
        all.push(prompt("test_sometimes", "A prompt that is there only at times", &[]));
    }
    all
}

/// One prompt, filled in.
///
/// # Errors
///
/// Where there is no such prompt, and what [`Asker`] says.
pub async fn get(
    name: &str,
    arguments: &JsonObject,
    asker: &Asker<'_>,
) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = |text: &str| PromptMessage::new_text(Role::User, text);
    let messages = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (arg1, arg2) = (argument("arg1"), argument("arg2"));
            vec![text(&format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource =
                ResourceContents::text("Embedded resource content for testing.", argument("resourceUri"));
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(resource)),
                text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PIXEL, "image/png")),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let asked = field("What context should the prompt use?", "context", "string");
            match asker.ask(questions(json!({"user_context": asked}))?, None).await? {
                Asked::Answered(answers) => vec![text(&told(&answers))],
                Asked::Open(open) => return Ok(open.into()),
            }
        }
        "test_sometimes" => vec![text("At times.")],
        _ => return Err(ErrorData::invalid_params(format!("no prompt is called {name}"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}

/// What an argument can be that begins like this.
pub fn completions(begin: &str) -> Vec<String> {
    let known = ["paris", "park", "party", "test", "testing"];
    known.iter().filter(|word| word.starts_with(begin)).map(|word| (*word).to_owned()).collect()
}

//! Instructions that an entry gives to a program which takes a prompt.

use schemascope_helptext::Tool;
use serde_json::{Map, Value};

/// Options made for instructions, best first.
const OPTIONS: &[&str] = &["--append-system-prompt", "--system-prompt", "--system", "--instructions"];
/// Names of arguments and options that take a prompt.
const PROMPTS: &[&str] = &["prompt", "query", "message", "question", "input", "text", "task"];

/// Where a tool takes instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The option of this property.
    Option(String),
    /// In front of the prompt in this property.
    Prompt(String),
    /// Nowhere; they have no effect.
    Nowhere,
}

/// Finds where a tool takes instructions.
pub(crate) fn place(tool: &Tool) -> Place {
    let offered =
        || tool.options().iter().filter(|option| option.withheld.is_none() && option.part.value_count > 0);
    let made = OPTIONS
        .iter()
        .find_map(|flag| offered().find(|option| option.part.flags.iter().any(|own| own == flag)));
    if let Some(option) = made {
        return Place::Option(option.property.clone());
    }
    let is_prompt = |property: &str| PROMPTS.contains(&property.to_lowercase().as_str());
    let positionals = || tool.positionals().iter().filter(|positional| positional.withheld.is_none());
    let named =
        positionals().map(|positional| &positional.property).chain(offered().map(|option| &option.property));
    match named.into_iter().find(|property| is_prompt(property)) {
        Some(property) => Place::Prompt(property.clone()),
        None => Place::Nowhere,
    }
}

/// Puts instructions into the arguments of a call. What the caller gave for the same option stays.
pub(crate) fn instruct(place: &Place, instructions: &str, arguments: &mut Map<String, Value>) {
    match place {
        Place::Option(property) => {
            arguments.entry(property.clone()).or_insert_with(|| instructions.into());
        }
        Place::Prompt(property) => match arguments.get_mut(property) {
            Some(Value::String(prompt)) => *prompt = format!("{instructions}\n\n{prompt}"),
            Some(Value::Array(words)) => words.insert(0, instructions.into()),
            _ => {}
        },
        Place::Nowhere => {}
    }
}

#[cfg(test)]
mod tests {
    use schemascope_helptext::{Policy, read};
    use serde_json::json;

    use super::*;

    #[test]
    fn instructions_go_to_their_option_or_in_front_of_the_prompt() {
        let tool = |text: &str| Tool::new(read(text, "x"), &Policy::default());
        let with = tool("Usage: x [OPTIONS] [PROMPT]\n\nOptions:\n  --system-prompt <TEXT>  Instructions\n");
        let plain = tool("Usage: x [OPTIONS] PROMPT\n\nOptions:\n  --fast  Be fast\n");
        let none = tool("Usage: x [OPTIONS] FILE\n\nOptions:\n  --fast  Be fast\n");
        assert_eq!(place(&with), Place::Option("system_prompt".into()));
        assert_eq!(place(&none), Place::Nowhere);
        let place = place(&plain);
        let mut arguments = json!({"prompt": "hello"}).as_object().cloned().unwrap();
        instruct(&place, "Be brief.", &mut arguments);
        assert_eq!(arguments["prompt"], "Be brief.\n\nhello");
    }
}

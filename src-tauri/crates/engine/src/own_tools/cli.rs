//! The group `cli`: asking a person for a command-line tool.

use std::future::ready;

use schemascope_model::Timestamp;
use schemascope_proxy::CallerSession;
use serde_json::{Value, json};

use super::{Answering, Arguments, Group, OwnTool, Sources};
use crate::cli_tools::Wish;

pub(super) const TOOLS: &[OwnTool] = &[OwnTool {
    name: "register_cli_tool",
    group: Group::Cli,
    definition,
    call: |sources, arguments, context| -> Answering<'_> {
        Box::pin(ready(register(sources, arguments, context.caller)))
    },
}];

fn definition() -> Value {
    json!({
        "title": "Register a command-line tool",
        "description": "Asks the user for permission to use a command-line program as a tool. The program must be in PATH; nothing is run before the user approves it. The answer is that approval is awaited. Once it is given, the tool appears in the tool list under its alias.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "Name of the program, without path and arguments, for example jq"},
                "alias": {"type": "string", "description": "Name of the server that the tool becomes; ask-COMMAND by default"},
                "description": {"type": "string", "description": "What the tool is for"},
                "systemPrompt": {"type": "string", "description": "Instructions for a program that takes a prompt"},
                "persist": {"type": "boolean", "description": "Whether the tool is kept after a restart", "default": false},
            },
            "required": ["command"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "alias": {"type": "string"},
                "state": {"type": "string", "enum": ["awaiting approval"]},
                "message": {"type": "string"},
            },
            "required": ["alias", "state", "message"],
            "additionalProperties": false,
        },
        "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
    })
}

fn register(sources: &Sources, mut arguments: Arguments, caller: CallerSession) -> Result<Value, String> {
    let wish = Wish {
        command: arguments.text("command")?,
        alias: arguments.optional_text("alias")?,
        description: arguments.optional_text("description")?,
        system_prompt: arguments.optional_text("systemPrompt")?,
        persist: arguments.flag("persist")?,
        client: caller.client.map(|client| client.name.to_string()),
    };
    arguments.end()?;
    let request = (sources.request_cli)(wish, Timestamp::now())?;
    Ok(json!({
        "alias": request.alias,
        "state": "awaiting approval",
        "message": format!(
            "The user has to approve {} first, in Schemascope under Review or with `schemascope cli approve {}`. \
             The tool then appears in the tool list.",
            request.command, request.alias
        ),
    }))
}

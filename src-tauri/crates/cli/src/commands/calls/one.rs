//! One recorded call with its arguments and its result.

use std::process::ExitCode;

use anyhow::{Result, bail};
use schemascope_api::{BrowseCalls, GetCall};
use schemascope_engine::Front;
use schemascope_model::{CallId, CallRecord, Fit};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::args::Args;
use crate::output;

/// Fewest digits that are taken for the beginning of an id: those of the time.
const MIN_DIGITS: usize = 12;

/// Whether a word can only be the id of a call, or its beginning.
pub fn is_id(word: &str) -> bool {
    (MIN_DIGITS..=32).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Prints the call with this id, or with the only id that begins like this.
pub async fn show(digits: &str, args: &Args, front: &Front) -> Result<ExitCode> {
    let id = match digits.parse() {
        Ok(id) => id,
        Err(_) => resolve(digits, front).await?,
    };
    let call = front.call(GetCall { id }).await?;
    if args.json {
        output::json_text(&serde_json::to_string(&call)?)?;
    } else {
        print(&call)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn resolve(digits: &str, front: &Front) -> Result<CallId> {
    let digits = digits.to_lowercase();
    let page = BrowseCalls { before: CallId::last_with(&digits), limit: 2, ..BrowseCalls::default() };
    let rows = front.call(page).await?.rows;
    let ids: Vec<CallId> =
        rows.iter().map(|row| row.id).filter(|id| id.to_string().starts_with(&digits)).collect();
    match ids.as_slice() {
        [] => bail!("there is no call {digits}; `schemascope calls` lists them with their ids"),
        [id] => Ok(*id),
        [one, other, ..] => bail!("several calls begin with {digits}, among them {one} and {other}"),
    }
}

fn print(call: &CallRecord) -> Result<()> {
    let field = |name: &str, value: &str| output::line(&format!("{name:<10}{}", output::harmless(value)));
    field("call", &call.id.to_string())?;
    field("tool", &call.tool_id.to_string())?;
    field("outcome", &format!("{}{}", call.outcome, call.fit.as_ref().map_or_else(String::new, fit)))?;
    field("time", &output::time(call.at))?;
    if let Some(total) = call.total_us {
        let server =
            call.upstream_us.map(|upstream| format!(" ({} in the server)", output::duration(upstream)));
        field("duration", &format!("{}{}", output::duration(total), server.unwrap_or_default()))?;
    }
    field("size", &output::bytes(call.result_bytes))?;
    if let Some(client) = &call.client {
        field("client", &format!("{} {}", client.name, client.version))?;
    }
    if call.redacted > 0 {
        field(
            "redacted",
            &format!("{}, before the call was stored", output::counted(call.redacted, "value")),
        )?;
    }
    if call.bodies_left_out {
        output::note(
            "Arguments and result are missing: the recorder was overloaded when the call was made, or they can no \
             longer be read.",
        );
    }
    body("arguments", call.arguments.as_deref().map(RawValue::get))?;
    if let Some(result) = &call.result {
        print_result(result)?;
    }
    body("error", call.error.as_deref().map(RawValue::get))
}

fn fit(fit: &Fit) -> String {
    match (fit.fits, &fit.rule) {
        (true, _) => ", fits the schema that was effective".to_owned(),
        (false, None) => ", does not fit the schema that was effective".to_owned(),
        (false, Some(rule)) => format!(", does not fit the schema that was effective ({rule})"),
    }
}

/// Prints structured content, or else the text blocks. Other blocks are only named.
fn print_result(result: &RawValue) -> Result<()> {
    #[derive(Deserialize)]
    struct Outer<'a> {
        #[serde(default, borrow, rename = "structuredContent")]
        structured: Option<&'a RawValue>,
        #[serde(default)]
        content: Vec<Block>,
    }
    #[derive(Deserialize)]
    struct Block {
        #[serde(rename = "type")]
        kind: Option<String>,
        text: Option<String>,
    }
    let outer: Option<Outer<'_>> = serde_json::from_str(result.get()).ok();
    let Some(outer) = outer.filter(|outer| outer.structured.is_some() || !outer.content.is_empty()) else {
        return body("result", Some(result.get()));
    };
    body("result", outer.structured.map(RawValue::get))?;
    for block in outer.content {
        match (block.text, block.kind) {
            (Some(_), _) if outer.structured.is_some() => {}
            (Some(text), _) => body("result", Some(&text))?,
            (None, kind) => {
                let kind = output::harmless(kind.as_deref().unwrap_or("unknown"));
                output::note(&format!("({kind} block; --json shows it)"));
            }
        }
    }
    Ok(())
}

/// Prints a part of a call below its name: JSON indented, and text as it is.
fn body(name: &str, text: Option<&str>) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    output::line(&format!("\n{name}"))?;
    match serde_json::from_str::<&RawValue>(text) {
        Ok(json) => output::json_text(&output::indented(json))?,
        Err(_) => output::line(text)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_filters_are_no_ids() {
        for word in ["shop", "server:shop", "facade", "deadbeef", "-01a229e88e94", "01a229e88e94x", ""] {
            assert!(!is_id(word), "{word}");
        }
        for word in ["01a229e88e94", "01A229E88E942B743F2E", "01a229e88e942b743f2e000000000001"] {
            assert!(is_id(word), "{word}");
        }
    }
}

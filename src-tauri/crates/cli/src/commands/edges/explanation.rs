//! Why two tools are joined, as text.

use anyhow::Result;
use schemascope_api::{EdgeExplanation, shown_confidence};

use super::path;
use crate::output;

/// Longest value shown.
const MAX_VALUE: usize = 60;

pub(super) fn print(reply: &EdgeExplanation) -> Result<()> {
    let EdgeExplanation { edge, fields } = reply;
    let head = format!("{} → {}  confidence {}", edge.from, edge.to, shown_confidence(edge.confidence));
    output::line(&output::harmless(&head))?;
    for (field, reasons) in edge.fields.iter().zip(fields) {
        let broken = if field.broken { ", lost" } else { "" };
        let head = format!(
            "\n{} → {}  confidence {}{broken}",
            path(&reasons.output),
            path(&reasons.input),
            shown_confidence(field.confidence)
        );
        output::line(&head)?;
        for (sign, sentences) in [("+", &reasons.supporting), ("-", &reasons.opposing)] {
            for sentence in sentences {
                output::line(&output::harmless(&format!("  {sign} {sentence}")))?;
            }
        }
        if let Some(chance) = reasons.chance {
            output::line(&format!(
                "  fields of other things agreed in {:.0} % of the calls",
                chance * 100.0
            ))?;
        }
        for call in &reasons.calls {
            let value = match &call.value {
                Some(value) => shortened(&value.to_string()),
                None => "(not stored)".to_owned(),
            };
            let line = format!("  {}  {} → {}  {value}", output::time(call.at), call.from, call.to);
            output::line(&output::harmless(&line))?;
        }
    }
    Ok(())
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_VALUE {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_VALUE).collect();
    format!("{start}…")
}

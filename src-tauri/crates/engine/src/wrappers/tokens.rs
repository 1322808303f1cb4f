//! What code that calls the tools costs a language model, counted with its tokenizer.

use std::collections::BTreeSet;

use schemascope_api::{TokenCounts, Tokens, ToolTokens};
use schemascope_codegen::{Language, Manifest, Task, folder, task};
use schemascope_model::Quality;
use tiktoken_rs::{CoreBPE, o200k_base};

use super::{KnownTools, tool};

/// The encoding of OpenAI's models since GPT-4o.
const ENCODING: &str = "o200k_base";

/// Counts the tokens of every tool with an observation. Blocks, about a second for 500 tools.
pub(crate) fn tokens(known: &KnownTools) -> Tokens {
    // The vocabulary takes tens of megabytes, so it is not kept.
    let Ok(encoding) = o200k_base() else { return Tokens::default() };
    let count = |text: &str| count(&encoding, text);
    let mut definitions = Vec::new();
    let mut tools = Vec::new();
    for (id, observed) in known.tools(|_| true) {
        if observed.shape.observations() == 0 {
            continue;
        }
        let Ok(tool) = tool(known.wrapper_tool(&id, &observed, Quality::Low)) else { continue };
        let definition = observed.declaration.map(|declaration| declaration.definition.get().to_owned());
        definitions.push(definition.unwrap_or_default());
        tools.push(tool);
    }
    let python = BTreeSet::from([Language::Python]);
    let (files, manifest) = folder(&tools, &known.names(), &python, &Manifest::default(), |_| None);
    let text = |path: &str| files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let mut rows = Vec::new();
    for (tool, definition) in tools.iter().zip(&definitions) {
        let tool_id = tool.id.to_string();
        let Some(entry) = manifest.tools.iter().find(|entry| entry.tool_id == tool_id) else { continue };
        let Task { defensive, helper, model } = task(tool, entry);
        let counts = TokenCounts {
            defensive: count(&defensive.text()),
            helper: count(&helper.text()),
            model: count(&model.text()),
            definition: count(definition),
            wrapper: count(text(&entry.file)),
        };
        rows.push(ToolTokens { tool_id, is_text: tool.is_text, counts });
    }
    let indexes = files.iter().filter(|file| file.path.ends_with("/__init__.pyi"));
    Tokens {
        encoding: ENCODING.to_owned(),
        median: median(&rows),
        worst: rows
            .iter()
            .max_by(|one, other| saving(&one.counts).total_cmp(&saving(&other.counts)))
            .cloned(),
        definitions: definitions.iter().map(|definition| count(definition)).sum(),
        indexes: indexes.map(|file| count(&file.text)).sum(),
        tools: rows,
    }
}

fn count(encoding: &CoreBPE, text: &str) -> u64 {
    encoding.encode_ordinary(text).len() as u64
}

/// Tokens with the model for each token of defensive code.
fn saving(counts: &TokenCounts) -> f64 {
    counts.model as f64 / counts.defensive.max(1) as f64
}

/// Median of each count; of two middle ones, the larger.
fn median(rows: &[ToolTokens]) -> Option<TokenCounts> {
    let of = |part: fn(&TokenCounts) -> u64| {
        let mut counts: Vec<u64> = rows.iter().map(|row| part(&row.counts)).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied()
    };
    Some(TokenCounts {
        defensive: of(|counts| counts.defensive)?,
        helper: of(|counts| counts.helper)?,
        model: of(|counts| counts.model)?,
        definition: of(|counts| counts.definition)?,
        wrapper: of(|counts| counts.wrapper)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_encoding_and_the_median_is_by_column() {
        let encoding = o200k_base().unwrap();
        let count = |text: &str| count(&encoding, text);
        // As OpenAI's tokenizer counts them.
        assert_eq!((count("hello world"), count("tiktoken is great!"), count("")), (2, 6, 0));
        let row = |defensive: u64, model: u64| ToolTokens {
            tool_id: "a__b".to_owned(),
            is_text: false,
            counts: TokenCounts { defensive, model, ..TokenCounts::default() },
        };
        let median = median(&[row(3, 1), row(1, 2), row(2, 9)]).unwrap();
        assert_eq!((median.defensive, median.model), (2, 2));
    }
}

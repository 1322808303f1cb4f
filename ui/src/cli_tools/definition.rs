//! What a program's help says: description, usage, options and arguments.

use leptos::prelude::*;
use schemascope_api::CliDefinition;
use serde_json::Value;

use super::parameters::{Allowed, parameters, summary};
use crate::parts::{Foreign, Views};

/// Most characters of a description, and of a line of usage or a note.
const MAX_DESCRIPTION: usize = 1_000;
const MAX_LINE: usize = 300;
/// Most lines of usage.
const MAX_USAGE: usize = 6;

/// Draws it. With `allowed`, parameters that run programs can be allowed.
pub fn definition(known: &CliDefinition, allowed: Option<Allowed>) -> AnyView {
    let description = known.definition.get("description").and_then(Value::as_str).unwrap_or_default();
    let about = (!description.is_empty())
        .then(|| view! { <p><Foreign text=description.to_owned() limit=MAX_DESCRIPTION /></p> }.into_any());
    let usage = texts(&known.definition, "usage")
        .into_iter()
        .take(MAX_USAGE)
        .map(|line| view! { <p class="mono dim"><Foreign text=line limit=MAX_LINE /></p> }.into_any());
    view! {
        <div class="cli-definition">
            {about}{usage.views()}
            <p class="dim">{summary(&known.parameters)}</p>
            {(!known.parameters.is_empty()).then(|| parameters(&known.parameters, allowed))}
        </div>
    }
    .into_any()
}

/// What was left out of a definition, and why.
pub fn notes(known: &CliDefinition) -> Vec<String> {
    texts(&known.definition, "notes")
}

/// Sentences as a list; nothing if there are none.
pub fn sentences(texts: &[String]) -> Option<AnyView> {
    let line = |text: &String| view! { <li><Foreign text=text.clone() limit=MAX_LINE /></li> }.into_any();
    (!texts.is_empty())
        .then(|| view! { <ul class="cli-sentences">{texts.iter().map(line).views()}</ul> }.into_any())
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

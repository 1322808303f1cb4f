//! Written form of paths: `orders[].customer`, `meta{}` for a map's values, `["odd key"]`.

/// One step of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    Items,
    /// The values of a map.
    Values,
}

/// Appends a step.
pub(crate) fn push(path: &mut String, step: Step<'_>) {
    match step {
        Step::Field(key) => {
            let name = name(key);
            if !path.is_empty() && !name.starts_with('[') {
                path.push('.');
            }
            path.push_str(&name);
        }
        Step::Items => path.push_str("[]"),
        Step::Values => path.push_str("{}"),
    }
}

/// Returns a key as part of a path. Keys other than plain words are quoted as JSON.
pub(crate) fn name(key: &str) -> String {
    let plain = key.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
    if plain { key.to_owned() } else { format!("[{}]", serde_json::Value::from(key)) }
}

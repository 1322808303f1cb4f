//! Environment variables in an entry: `${NAME}`, `${env:NAME}`, `${NAME:-default}`.
//!
//! MCP clients that read the same file replace them by their values, so that the file need not contain secrets. `$${`
//! stands for `${` itself.

use serde_json::Value;

/// Replaces the variables in all texts of an entry. An error is a reason for the user.
pub(super) fn fill(entry: &mut Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    match entry {
        Value::String(text) if text.contains("${") => *text = filled(text, variable)?,
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, variable))?,
        Value::Object(members) => members.values_mut().try_for_each(|member| fill(member, variable))?,
        _ => {}
    }
    Ok(())
}

fn filled(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            done.push_str(&rest[..at]);
            done.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        done.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        let end =
            inside.find('}').ok_or("has a \"${\" without \"}\"; write $${ for the characters themselves")?;
        done.push_str(&value(&inside[..end], variable)?);
        rest = &inside[end + 1..];
    }
    done.push_str(rest);
    Ok(done)
}

fn value(written: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (name, default) = match written.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (written, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
    if !is_name {
        return Err(format!(
            "refers to ${{{written}}}, which is not an environment variable; write its value, or $${{ for the characters themselves"
        ));
    }
    let set = variable(name).filter(|value| default.is_none() || !value.is_empty());
    set.or_else(|| default.map(str::to_owned)).ok_or_else(|| {
        format!(
            "needs the variable {name}, which is not set where Schemascope runs; set it, or write ${{{name}:-default}}"
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(text: &str) -> Result<String, String> {
        let mut entry = json!({"args": [text]});
        fill(&mut entry, &|name| match name {
            "HOME" => Some("/home/me".into()),
            "EMPTY" => Some(String::new()),
            _ => None,
        })?;
        Ok(entry["args"][0].as_str().unwrap().to_owned())
    }

    #[test]
    fn fill_replaces_variables() {
        for (text, filled) in [
            ("${HOME}/a", "/home/me/a"),
            ("a${env:HOME}b${HOME}", "a/home/meb/home/me"),
            ("[${EMPTY}] ${EMPTY:-x} ${GONE:-y:-z} ${GONE:-}", "[] x y:-z "),
            ("$HOME $(HOME) {HOME} $${HOME} $$${HOME}", "$HOME $(HOME) {HOME} ${HOME} $${HOME}"),
            ("é${HOME}é", "é/home/meé"),
        ] {
            assert_eq!(with(text).unwrap(), filled, "{text}");
        }
    }

    #[test]
    fn fill_rejects_missing_and_malformed_variables() {
        assert!(with("${GONE}").unwrap_err().contains("needs the variable GONE"));
        assert!(with("${input:token}").unwrap_err().contains("${input:token}"));
        assert!(with("${}").is_err() && with("${HOME").unwrap_err().contains("without \"}\""));
    }
}

//! Variables of the environment in an entry: `${NAME}`, `${env:NAME}`, `${NAME:-what to take without it}`.
//!
//! Clients of MCP that read the same file put values in their place, so that no secret need stand in it. `$${` is
//! `${` itself. Owns: that notation. Refuses to know: the environment, and what entries mean.

use serde_json::Value;

/// Puts values in the place of variables, in all texts of an entry. Why it cannot, in words.
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
            inside.find('}').ok_or("has a \"${\" without its \"}\"; write $${ where it is meant as it is")?;
        done.push_str(&value(&inside[..end], variable)?);
        rest = &inside[end + 1..];
    }
    done.push_str(rest);
    Ok(done)
}

fn value(written: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (name, otherwise) = match written.split_once(":-") {
        Some((name, otherwise)) => (name, Some(otherwise)),
        None => (written, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
    if !is_name {
        return Err(format!(
            "asks for ${{{written}}}, which is no variable of the environment; write its value, or $${{ where it is meant as it is"
        ));
    }
    let set = variable(name).filter(|value| otherwise.is_none() || !value.is_empty());
    set.or_else(|| otherwise.map(str::to_owned)).ok_or_else(|| {
        format!(
            "needs the variable {name}, which is not set where Schemascope runs; set it, or write ${{{name}:-what to take without it}}"
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
    fn variables_are_put_in() {
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
    fn what_cannot_be_is_told() {
        assert!(with("${GONE}").unwrap_err().contains("needs the variable GONE"));
        assert!(with("${input:token}").unwrap_err().contains("${input:token}"));
        assert!(with("${}").is_err() && with("${HOME").unwrap_err().contains("without its"));
    }
}

//! Values in a sentence about the name of the value: `WHEN is 'always' or 'never'`.

use super::{list::closed, of_name};

/// `WHEN is 'always', 'never', or 'auto'`, where the value is called `WHEN`, or `<when> can be`.
pub(super) fn of_named(description: &str, name: &str) -> Vec<String> {
    let bracketed = format!("<{name}>");
    let name = if name.is_empty() || name.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-')) {
        name
    } else {
        &bracketed
    };
    if name.is_empty() || !description.contains(name) {
        return Vec::new();
    }
    // iproute2: `FAMILY := {inet|inet6}`; `[,FAMILY]` behind it makes lists.
    let definition =
        description.split_once(&format!("{name} := {{")).and_then(|(_, rest)| rest.split_once('}'));
    if let Some((values, behind)) = definition {
        return if behind.starts_with('[') { Vec::new() } else { of_name(&format!("{{{values}}}")) };
    }
    for verb in
        [" is one of ", " is either ", " is ", " are ", " can be ", " may be ", " must be ", ": ", "="]
    {
        let Some((_, list)) = description.split_once(&format!("{name}{verb}")) else { continue };
        let items = closed(list, verb == "=");
        if items.len() > 1 {
            return items;
        }
        let items = with_flags(list);
        if items.len() > 2 {
            return items;
        }
    }
    // `METHOD='replace'`, each where it is explained.
    let mut items = Vec::new();
    for (_, rest) in description
        .match_indices(&format!("{name}='"))
        .filter_map(|(at, found)| description.split_at_checked(at + found.len()))
    {
        let item = rest.split('\'').next().unwrap_or_default();
        if !item.is_empty() && !item.contains(' ') && !items.iter().any(|known| known == item) {
            items.push(item.to_owned());
        }
    }
    items
}

/// `general-numeric -g, human-numeric -h`: each value with the flag that means the same.
pub(super) fn with_flags(list: &str) -> Vec<String> {
    let word = |part: &str| {
        let (word, flag) = part.trim().trim_end_matches('.').split_once(" -")?;
        let is_flag = flag.chars().count() == 1 && !word.contains(' ');
        is_flag.then(|| word.to_owned())
    };
    list.split(',').map(word).collect::<Option<Vec<_>>>().unwrap_or_default()
}

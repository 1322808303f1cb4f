//! Values in a sentence about the name of the value: `WHEN is 'always' or 'never'`.

use super::{list::closed, of_name};

/// `WHEN is 'always', 'never', or 'auto'`, where the value is called `WHEN`, or `<when> can be`.
pub(super) fn of_named(description: &str, name: &str) -> Vec<String> {
    let is_once = description.matches(&format!("{name}=")).count() < 2;
    let in_parentheses = ["({name} = ", "({name}=", "(<{name}> = "]
        .iter()
        .filter(|_| is_once)
        .find_map(|before| description.split_once(&before.replace("{name}", name)))
        .map(|(_, list)| closed(&slashes_as_bars(list), false));
    if let Some(items) = in_parentheses.filter(|items| items.len() > 1) {
        return items;
    }
    let told = behind_own_name(description, name);
    if told.len() > 1 {
        return told;
    }
    // od: `RADIX is one of [doxn]`.
    let letters =
        description.split_once(&format!("{name} is one of [")).and_then(|(_, rest)| rest.split_once(']'));
    let is_set = |letters: &str| letters.len() > 1 && letters.bytes().all(|byte| byte.is_ascii_lowercase());
    if let Some((letters, _)) = letters.filter(|(letters, _)| !name.is_empty() && is_set(letters)) {
        return letters.chars().map(String::from).collect();
    }
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
    // `METHOD={none(default),prepend,separate}`.
    let braces = description.split_once(&format!("{name}={{")).and_then(|(_, rest)| rest.split_once('}'));
    if let Some((values, _)) = braces {
        return of_name(&format!("{{{}}}", values.replace("(default)", "")));
    }
    // elfutils: `WHEN defaults to 'always' or can be 'auto' or 'never'`.
    let description = &description
        .replace(" or can be ", ", ")
        .replace(" and can also be ", ", ")
        .replace(" defaults to ", " is ");
    for verb in [
        " is one of: ",
        " is one of ",
        " is either ",
        " must be one of ",
        " can be one of ",
        " may be one of ",
        " is: ",
        " is ",
        " are ",
        " can be ",
        " may be ",
        " must be ",
        ": ",
        "=",
    ] {
        let before = format!("{name}{verb}");
        // `WORD is a or b: like -a; WORD is c or d: like -c`.
        let mut items: Vec<String> = Vec::new();
        for (at, _) in description.match_indices(&before) {
            let list = description.get(at + before.len()..).unwrap_or_default();
            for item in closed(list, verb == "=") {
                if !items.contains(&item) {
                    items.push(item);
                }
            }
        }
        if items.len() > 1 {
            return items;
        }
        let Some((_, list)) = description.split_once(&before) else { continue };
        let items = with_flags(list);
        if items.len() > 2 {
            return items;
        }
    }
    Vec::new()
}

/// `styles: shallow, deep`, where the value is called `style`; `precision:  one of s, ms`.
fn behind_own_name(description: &str, name: &str) -> Vec<String> {
    if name.len() < 3 {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let lower = description.to_ascii_lowercase();
    for mark in [format!("{name}s:"), format!("{name}:")] {
        for (at, _) in lower.match_indices(&mark) {
            let begins = !lower.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
            let list = description.get(at + mark.len()..).unwrap_or_default().trim_start();
            let items = closed(list.strip_prefix("one of ").unwrap_or(list), false);
            if begins && items.len() > 1 {
                return items;
            }
        }
    }
    Vec::new()
}

/// `STRING=euc/jis/sjis)` with bars for slashes. It may be wrapped behind a slash.
fn slashes_as_bars(list: &str) -> String {
    let end = list.find(')').unwrap_or(list.len());
    let (list, rest) = list.split_at(end);
    let list = list.replace("/ ", "/");
    if list.contains([' ', ',', '|']) {
        format!("{list}{rest}")
    } else {
        format!("{}{rest}", list.replace('/', "|"))
    }
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

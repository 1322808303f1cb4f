//! Suggestions for mistyped names.

/// Largest number of suggestions.
const SUGGESTIONS: usize = 3;
/// Longest name that is compared, in bytes.
const MAX_NAME: usize = 256;
/// Shortest name that is similar to all that contain it.
const LEAST_CONTAINED: usize = 3;

/// The known names most similar to a mistyped one, most similar first. A name that contains the other one counts as
/// similar.
pub fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    if wrong.len() > MAX_NAME {
        return Vec::new();
    }
    let wrong = wrong.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (distance(&wrong, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.len().max(wrong.len()) / 2)
        .collect();
    near.sort();
    near.truncate(SUGGESTIONS);
    near.into_iter().map(|(_, name)| name).collect()
}

/// `; did you mean a or b?`, or an empty text if no name is similar.
pub(crate) fn suggestion<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(wrong, known).as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("; did you mean {}?", names.join(" or "))
        }
    }
}

/// A name as it is; in quotes and escaped if it has characters that are not those of a name.
fn quoted(name: &str) -> String {
    if name.chars().all(|c| c.is_alphanumeric() || c.is_ascii_graphic()) {
        return name.to_owned();
    }
    format!("{name:?}")
}

fn distance(a: &str, b: &str) -> usize {
    let is_within = |short: &str, long: &str| {
        (short.len() >= LEAST_CONTAINED || short.len() * 2 >= long.len())
            && !short.is_empty()
            && long.contains(short)
    };
    if is_within(a, b) || is_within(b, a) { 1 } else { strsim::levenshtein(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested_most_similar_first() {
        let known = ["shop__list_orders", "shop__get_order", "git__git_status"];
        assert_eq!(
            suggestion("shop__list_order", known.into_iter()),
            "; did you mean shop__list_orders or shop__get_order?"
        );
        assert_eq!(suggestion("git_status", known.into_iter()), "; did you mean git__git_status?");
        let foreign = "s__get\n\u{1b}[31m\u{202e}";
        let written = suggestion("s__get", [foreign].into_iter());
        assert_eq!(written, "; did you mean \"s__get\\n\\u{1b}[31m\\u{202e}\"?");
        assert_eq!(suggestion("zzzzzzzzzzzzzzzzzzzzz", known.into_iter()), "");
        // A short word is in many others by accident.
        assert_eq!(
            suggestion("nonsense", ["no", "on", "nonsense_id"].into_iter()),
            "; did you mean nonsense_id?"
        );
        assert_eq!(suggestion(&"s".repeat(300), known.into_iter()), "");
    }
}

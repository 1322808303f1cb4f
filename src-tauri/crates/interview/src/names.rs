//! Suggestions for mistyped names.

/// Largest number of suggestions.
const SUGGESTIONS: usize = 3;
/// Longest name that is compared, in bytes.
const MAX_COMPARED: usize = 200;

/// Returns `; did you mean a or b?`, or an empty text if no known name is similar.
pub(crate) fn suggestion(wrong: &str, known: &[&str]) -> String {
    let near = nearest(wrong, known);
    if near.is_empty() {
        return String::new();
    }
    let names: Vec<String> = near.iter().map(|name| crate::limits::quoted(name)).collect();
    format!("; did you mean {}?", names.join(" or "))
}

/// Returns the known names most similar to a mistyped one, most similar first.
pub(crate) fn nearest(wrong: &str, known: &[&str]) -> Vec<String> {
    if wrong.len() > MAX_COMPARED {
        return Vec::new();
    }
    let wrong = wrong.to_lowercase();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in known.iter().filter(|name| name.len() <= MAX_COMPARED) {
        let distance = distance(&wrong, &name.to_lowercase());
        if distance <= name.len().max(wrong.len()) / 2 {
            near.push((distance, *name));
        }
    }
    near.sort_unstable();
    near.truncate(SUGGESTIONS);
    near.into_iter().map(|(_, name)| name.to_owned()).collect()
}

fn distance(wrong: &str, known: &str) -> usize {
    let contains = !wrong.is_empty() && (wrong.contains(known) || known.contains(wrong));
    if contains { 1 } else { strsim::levenshtein(wrong, known) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_names_similar_ids_first() {
        let known = ["process/flow-shop", "process/job-shop", "data/orm"];
        assert!(suggestion("flow-shop", &known).starts_with("; did you mean \"process/flow-shop\""));
        assert_eq!(suggestion("zzzzzzzzzzzzzzzzzzzzzzzz", &known), "");
        assert_eq!(suggestion(&"x".repeat(10_000), &known), "");
    }
}

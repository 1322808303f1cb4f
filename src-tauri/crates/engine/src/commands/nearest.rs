//! Which known name somebody may have meant.

/// Names suggested at most.
const SUGGESTIONS: usize = 3;

/// " Did you mean a, b?" or what else may help; empty when there is nothing to suggest.
pub(super) fn suggestion<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    let wrong = wrong.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (distance(&wrong, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.len().max(wrong.len()) / 2)
        .collect();
    near.sort();
    let names: Vec<&str> = near.iter().take(SUGGESTIONS).map(|(_, name)| *name).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// Levenshtein's distance; a name inside the other counts as near.
fn distance(a: &str, b: &str) -> usize {
    if !a.is_empty() && (a.contains(b) || b.contains(a)) {
        return 1;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let known = ["shop__list_orders", "shop__get_order", "git__git_status"];
        assert_eq!(
            suggestion("shop__list_order", known.into_iter()),
            "; did you mean shop__list_orders or shop__get_order?"
        );
        assert_eq!(suggestion("git_status", known.into_iter()), "; did you mean git__git_status?");
        assert_eq!(suggestion("zzzzzzzzzzzzzzzzzzzzz", known.into_iter()), "");
    }
}

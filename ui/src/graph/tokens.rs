//! Single terms of a filter, as controls beside it set them.

/// The value of a term; none if the filter does not have it.
pub fn token<'a>(filter: &'a str, key: &str) -> Option<&'a str> {
    filter.split_whitespace().find_map(|term| term.strip_prefix(key)?.strip_prefix(':'))
}

/// The filter with a term set to a value, or without it.
pub fn with_token(filter: &str, key: &str, value: Option<&str>) -> String {
    let is_other = |term: &&str| term.strip_prefix(key).is_none_or(|rest| !rest.starts_with(':'));
    let mut terms: Vec<String> = filter.split_whitespace().filter(is_other).map(str::to_owned).collect();
    // A term ends at a blank; a pattern stands for it.
    terms.extend(value.map(|value| format!("{key}:{}", value.replace(char::is_whitespace, "*"))));
    terms.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_set_and_removed() {
        assert_eq!(token("a state:seen server:x", "state"), Some("seen"));
        assert_eq!(token("a state:seen", "stat"), None);
        assert_eq!(with_token("a state:seen b", "state", Some("broken")), "a b state:broken");
        assert_eq!(with_token("a state:seen b", "state", None), "a b");
        assert_eq!(with_token("", "server", Some("my shop")), "server:my*shop");
    }
}

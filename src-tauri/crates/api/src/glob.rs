//! Patterns for names: `*` is any text, `?` one character. Case does not matter.

/// Whether a name matches a pattern. Takes at most time proportional to both lengths: it returns to the last `*`
/// only.
pub fn glob(pattern: &str, name: &str) -> bool {
    let chars = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (pattern, name) = (chars(pattern), chars(name));
    let (mut p, mut n) = (0, 0);
    // The last `*`, and the end of what it matches so far.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, end)) = star else { return false };
                star = Some((at, end + 1));
                (p, n) = (at + 1, end + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_matches_any_text_and_question_mark_one_character() {
        for (pattern, name, matches) in [
            ("git__*", "git__git_log", true),
            ("GIT*", "git__git_log", true),
            ("*_l?g", "git__git_log", true),
            ("caf?", "café", true),
            ("git", "git__git_log", false),
            ("*a*b", "xxaxxab", true),
            ("a*b*c", "abcb", false),
            ("*", "", true),
            ("?", "", false),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern, name), matches, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_do_not_explode() {
        assert!(!glob(&format!("{}b", "a*".repeat(50)), &"a".repeat(1_000)));
    }
}

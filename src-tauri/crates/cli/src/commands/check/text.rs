//! Findings for people.

use super::formats::{Shown, plain, sentence, word};
use crate::output::{count, counted};

/// Tools that were not observed and are named.
const NAMED: usize = 10;

pub fn write(shown: &Shown<'_>) -> String {
    let checks = shown.checks;
    let mut text = String::new();
    for finding in &checks.findings {
        text += &format!("{:<8}  {}\n", word(finding.class), one_line(&sentence(finding)));
    }
    if checks.findings_left_out > 0 {
        text += &format!("and {} more\n", count(checks.findings_left_out));
    }
    let failing = checks.findings.iter().filter(|finding| shown.fails(finding)).count();
    text += &format!(
        "{} of {} checked: {}\n",
        counted(checks.observation_count, "observation"),
        counted(checks.tools_checked, "tool"),
        match (failing, checks.tools_checked) {
            (0, 0) => "no tool of the baseline was seen".to_owned(),
            (0, _) => "as the baseline says".to_owned(),
            (failing, _) => counted(failing as u64, "finding"),
        }
    );
    if !checks.not_observed.is_empty() {
        let named =
            checks.not_observed.iter().take(NAMED).map(|id| one_line(id)).collect::<Vec<_>>().join(", ");
        let more = checks.not_observed.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text += &format!("not observed: {named}{more}\n");
    }
    text
}

fn one_line(text: &str) -> String {
    plain(text).replace(['\n', '\t'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::{hostile, shown};
    use super::*;

    #[test]
    fn a_finding_is_a_line() {
        let checks = hostile();
        let text = write(&shown(&checks));
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.contains("breaking  s__a x") && text.contains("2 findings"), "{text}");
    }
}

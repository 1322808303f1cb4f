//! Findings for people.

use super::formats::{Findings, plain, senders, sentence, word};
use crate::output::{count, counted};

/// Number of tools that were not observed and are listed.
const NAMED: usize = 10;

pub fn write(shown: &Findings<'_>) -> String {
    let checks = shown.checks;
    let mut text = String::new();
    if !checks.findings.is_empty() {
        text += "readers   senders   finding\n";
    }
    for finding in &checks.findings {
        let sentence = one_line(&sentence(finding));
        text += &format!("{:<8}  {:<8}  {sentence}\n", word(finding.class), senders(finding));
    }
    if checks.findings_left_out > 0 {
        text += &format!("and {} more\n", count(checks.findings_left_out));
    }
    let failing = checks.findings.iter().filter(|finding| shown.fails(finding)).count();
    let all = checks.findings.len() as u64 + checks.findings_left_out;
    let found = match (failing as u64, all) {
        (0, 0) if checks.tools_checked == 0 => "no tool in the baseline was observed".to_owned(),
        (0, 0) => "no differences from the baseline".to_owned(),
        (failing, all) if failing == all => counted(all, "finding"),
        (0, all) => format!("{}, of which none fails the check", counted(all, "finding")),
        (failing, all) => format!("{}, of which {} fail the check", counted(all, "finding"), count(failing)),
    };
    text += &format!(
        "{} of {} checked: {found}\n",
        counted(checks.observation_count, "result"),
        counted(checks.tools_checked, "tool"),
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
    fn each_finding_is_one_line() {
        let checks = hostile();
        let text = write(&shown(&checks));
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.starts_with("readers   senders   finding\nbreaking  -         s__a x"), "{text}");
        assert!(
            text.contains("\nsafe      risky     s__a: fine\n")
                && text.contains("checked: 3 findings, of which 2 fail the check\n"),
            "{text}"
        );
    }
}

//! What all forms of findings share.

use schemascope_engine::{CheckClass, Checks, Finding};

use crate::args::FailOn;

/// Findings with what is said about them as a whole.
pub struct Shown<'a> {
    pub checks: &'a Checks,
    /// The baseline's path, as it was given.
    pub baseline: &'a str,
    /// Its text.
    pub bundle: &'a str,
    pub fail_on: FailOn,
}

impl Shown<'_> {
    /// The line of the baseline that a tool stands in, from 1: its first one under `tools`.
    pub fn line_of(&self, tool_id: &str) -> usize {
        let tools = self.bundle.find("\n  \"tools\": {").unwrap_or(0);
        let name = format!("\n    {}: {{", serde_json::Value::from(tool_id));
        let at = self.bundle.get(tools..).and_then(|rest| rest.find(&name)).map_or(0, |at| tools + at + 1);
        self.bundle.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
    }

    /// Whether a finding makes the check fail.
    pub fn fails(&self, finding: &Finding) -> bool {
        super::fails(finding.class, self.fail_on)
    }
}

/// A class in a word.
pub fn word(class: CheckClass) -> &'static str {
    match class {
        CheckClass::Breaking => "breaking",
        CheckClass::Risky => "risky",
        CheckClass::Safe => "safe",
    }
}

/// A finding in one line: where, and what.
pub fn sentence(finding: &Finding) -> String {
    let place = if finding.path.is_empty() { String::new() } else { format!(" {}", finding.path) };
    format!("{}{place}: {}", finding.tool_id, finding.message)
}

/// Text without characters that forms of files do not allow, or that steer whoever shows it.
pub fn plain(text: &str) -> String {
    crate::output::harmless(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Findings whose texts try to break out of every form.
    pub fn hostile() -> Checks {
        let finding = |class, tool: &str, path: &str, message: &str| Finding {
            tool_id: tool.into(),
            class,
            path: path.into(),
            rule: "violation.type".into(),
            message: message.into(),
            observation_count: Some(3),
        };
        Checks {
            findings: vec![
                finding(CheckClass::Breaking, "s__a", "x\n::set-output name=a::b", "50% \r\n::error::x, y:z"),
                finding(CheckClass::Risky, "s__<b>]]>", "\"'&\u{0}\u{1b}[31m\u{ffff}", "</testcase>\u{202e}"),
                finding(CheckClass::Safe, "s__a", "", "fine"),
            ],
            tools_checked: 2,
            tools_passed: 0,
            observation_count: 7,
            not_observed: vec!["s__c".into()],
            findings_left_out: 0,
        }
    }

    pub fn shown(checks: &Checks) -> Shown<'_> {
        let bundle = "{\n  \"nodes\": {},\n  \"tools\": {\n    \"s__a\": {\n    }\n  }\n}";
        Shown { checks, baseline: "dir/base line.json", bundle, fail_on: FailOn::Risky }
    }

    #[test]
    fn tools_have_a_line_in_the_baseline() {
        let checks = hostile();
        assert_eq!((shown(&checks).line_of("s__a"), shown(&checks).line_of("s__zzz")), (4, 1));
    }
}

//! What all formats of findings share.

use schemascope_engine::{CheckClass, Checks, Finding};
use schemascope_model::LostEdge;

/// Findings that fail the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    /// A result that the baseline does not allow, or a declared schema that breaks readers
    Breaking,
    /// The same, and possible breaks: a format that is gone, a usual field that is missing, a result that cannot be
    /// validated
    Risky,
    /// Any difference, also new tools and new fields
    Any,
}

/// Whether a finding of this class fails the check.
pub fn fails(class: CheckClass, fail_on: FailOn) -> bool {
    match fail_on {
        FailOn::Breaking => class == CheckClass::Breaking,
        FailOn::Risky => class >= CheckClass::Risky,
        FailOn::Any => true,
    }
}

/// Findings with the context they are written with.
pub struct Findings<'a> {
    pub checks: &'a Checks,
    /// Path of the baseline, as it was given.
    pub baseline: &'a str,
    /// Text of the baseline.
    pub bundle: &'a str,
    pub fail_on: FailOn,
}

impl Findings<'_> {
    /// Line of the baseline in which a tool is, from 1.
    pub fn line_of(&self, tool_id: &str) -> usize {
        let tools = self.bundle.find("\n  \"tools\": {").unwrap_or(0);
        let name = format!("\n    {}: {{", serde_json::Value::from(tool_id));
        let at = self.bundle.get(tools..).and_then(|rest| rest.find(&name)).map_or(0, |at| tools + at + 1);
        self.bundle.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
    }

    /// Whether a finding makes the check fail.
    pub fn fails(&self, finding: &Finding) -> bool {
        fails(finding.class, self.fail_on)
    }
}

/// The class as a word.
pub fn word(class: CheckClass) -> &'static str {
    match class {
        CheckClass::Breaking => "breaking",
        CheckClass::Risky => "risky",
        CheckClass::Safe => "safe",
    }
}

/// The class for senders as a word; `-` if no schemas were compared.
pub fn senders(finding: &Finding) -> &'static str {
    finding.senders.map_or("-", word)
}

/// The class of a finding for readers and, if it is known, for senders.
pub fn effect(finding: &Finding) -> String {
    match finding.senders {
        Some(senders) => format!("{} for readers, {} for senders", word(finding.class), word(senders)),
        None => word(finding.class).to_owned(),
    }
}

/// A finding in one line: place and message.
pub fn sentence(finding: &Finding) -> String {
    let place = if finding.path.is_empty() { String::new() } else { format!(" {}", finding.path) };
    let breaks = match LostEdge::sentence(&finding.breaks) {
        edges if edges.is_empty() => edges,
        edges => format!("; {edges}"),
    };
    format!("{}{place}: {}{breaks}", finding.tool_id, finding.message)
}

/// Text without characters that file formats do not allow or that control a terminal.
pub fn plain(text: &str) -> String {
    crate::output::harmless_lines(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Findings whose texts try to break out of every format.
    pub fn hostile() -> Checks {
        let finding = |class, tool: &str, path: &str, message: &str| Finding {
            tool_id: tool.into(),
            class,
            senders: (class == CheckClass::Safe).then_some(CheckClass::Risky),
            path: path.into(),
            rule: "violation.type".into(),
            message: message.into(),
            observation_count: Some(3),
            breaks: match class {
                CheckClass::Breaking => {
                    let inputs = vec!["id\n::error::".to_owned()];
                    vec![LostEdge { to: "s__\u{1b}b</testcase>".into(), inputs, flows: 4 }]
                }
                _ => Vec::new(),
            },
        };
        Checks {
            findings: vec![
                finding(CheckClass::Breaking, "s__a", "x\n::set-output name=a::b", "50% \r\n::error::x, y:z"),
                finding(CheckClass::Risky, "s__<b>]]>", "\"'&\u{0}\u{1b}[31m\u{ffff}", "</testcase>\u{202e}"),
                finding(CheckClass::Safe, "s__a", "", "fine"),
            ],
            tools_checked: 2,
            tools_passed: 2,
            passed: vec!["s__d".into(), "s__e".into()],
            observation_count: 7,
            not_observed: vec!["s__c".into()],
            findings_left_out: 0,
        }
    }

    pub fn shown(checks: &Checks) -> Findings<'_> {
        let bundle = "{\n  \"nodes\": {},\n  \"tools\": {\n    \"s__a\": {\n    }\n  }\n}";
        Findings { checks, baseline: "dir/base line.json", bundle, fail_on: FailOn::Risky }
    }

    #[test]
    fn line_of_finds_tools_in_the_baseline() {
        let checks = hostile();
        assert_eq!((shown(&checks).line_of("s__a"), shown(&checks).line_of("s__zzz")), (4, 1));
    }
}

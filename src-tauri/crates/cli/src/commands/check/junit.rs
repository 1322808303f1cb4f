//! Findings as JUnit XML: one test case for each tool.

use std::collections::BTreeMap;

use schemascope_engine::Finding;

use super::formats::{Findings, effect, plain, sentence};

pub fn write(shown: &Findings<'_>) -> String {
    let checks = shown.checks;
    let mut tools: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &checks.findings {
        tools.entry(&finding.tool_id).or_default().push(finding);
    }
    let failed = tools.values().filter(|found| found.iter().any(|finding| shown.fails(finding))).count();
    // A tool has one test case: a tool that was not observed may have findings, too.
    let not_observed = || checks.not_observed.iter().filter(|tool| !tools.contains_key(tool.as_str()));
    let skipped = not_observed().count();
    let tests = tools.len() + skipped + checks.passed.len();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let numbers =
        format!("tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"");
    xml += &format!("<testsuites name=\"schemascope check\" {numbers}>\n");
    xml += &format!("  <testsuite name=\"{}\" {numbers}>\n", escaped(shown.baseline));
    for (tool, found) in &tools {
        xml += &case(shown, tool, found);
    }
    for tool in &checks.passed {
        xml += &format!("    <testcase classname=\"schemascope\" name=\"{}\" time=\"0\"/>\n", escaped(tool));
    }
    for tool in not_observed() {
        xml += &format!("    <testcase classname=\"schemascope\" name=\"{}\" time=\"0\">\n", escaped(tool));
        xml += "      <skipped message=\"not observed\"/>\n    </testcase>\n";
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

fn case(shown: &Findings<'_>, tool: &str, found: &[&Finding]) -> String {
    let mut xml = format!("    <testcase classname=\"schemascope\" name=\"{}\" time=\"0\">\n", escaped(tool));
    let lines = |fails: bool| -> Vec<String> {
        let these = found.iter().filter(|finding| shown.fails(finding) == fails);
        these.map(|finding| format!("{}: {}", effect(finding), sentence(finding))).collect()
    };
    // JUnit readers show one failure per test case.
    let failures = lines(true);
    if let Some(first) = failures.first() {
        let (message, all) = (escaped(first), escaped(&failures.join("\n")));
        xml += &format!("      <failure type=\"schema\" message=\"{message}\">{all}</failure>\n");
    }
    let others = lines(false);
    if !others.is_empty() {
        xml += &format!("      <system-out>{}</system-out>\n", escaped(&others.join("\n")));
    }
    xml + "    </testcase>\n"
}

/// Escapes text for attributes and elements. Control characters are removed, because XML 1.0 cannot represent them.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in plain(text).chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&apos;",
            '\n' => escaped += "&#10;",
            '\t' => escaped += "&#9;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::{hostile, shown};
    use super::*;

    #[test]
    fn text_of_findings_is_escaped() {
        let checks = hostile();
        let xml = write(&shown(&checks));
        assert_eq!(xml.matches("<testcase ").count(), 5, "{xml}");
        assert_eq!(xml.matches("</testcase>").count(), 3, "{xml}");
        assert!(xml.contains("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\""), "{xml}");
        let allowed =
            |letter: char| letter == '\n' || letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}');
        assert!(xml.chars().all(allowed) && !xml.contains("<b>"));
    }
}

//! Findings as workflow commands of GitHub Actions.

use schemascope_engine::CheckClass;

use super::formats::{Findings, plain, sentence};

pub fn write(shown: &Findings<'_>) -> String {
    let mut text = String::new();
    for finding in &shown.checks.findings {
        let command = match finding.class {
            _ if shown.fails(finding) => "error",
            CheckClass::Breaking | CheckClass::Risky => "warning",
            CheckClass::Safe => "notice",
        };
        let (file, line) = (property(shown.baseline), shown.line_of(&finding.tool_id));
        let title = property(&format!("{} ({})", finding.tool_id, finding.rule));
        text += &format!("::{command} file={file},line={line},title={title}::{}\n", data(&sentence(finding)));
    }
    text
}

/// The message, after the second `::`.
fn data(text: &str) -> String {
    let text = text.replace('\r', "\n");
    plain(&text).replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property, in which `:` and `,` would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::{hostile, shown};
    use super::*;

    #[test]
    fn text_of_findings_is_escaped() {
        let checks = hostile();
        let text = write(&shown(&checks));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(
            lines[0],
            "::error file=dir/base line.json,line=4,title=s__a (violation.type)::s__a x%0A::set-output name=a::b: 50%25 %0A%0A::error::x, y:z; \
             breaks the edge to s__\u{fffd}b</testcase> (id%0A::error::, 4 calls)"
        );
        assert!(lines[1].starts_with("::error ") && lines[2].starts_with("::notice "), "{text}");
        assert!(!text.contains(['\r', '\u{1b}', '\u{0}']));
    }
}

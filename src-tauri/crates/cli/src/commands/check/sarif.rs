//! Findings as SARIF 2.1.0 (OASIS), one run.

use std::collections::BTreeMap;

use schemascope_engine::{CheckClass, Finding};
use serde_json::{Value, json};

use super::formats::{Findings, effect, plain, senders, sentence, word};

pub fn write(shown: &Findings<'_>) -> Value {
    let rules: BTreeMap<&str, usize> = {
        let names: BTreeMap<&str, ()> =
            shown.checks.findings.iter().map(|finding| (finding.rule.as_str(), ())).collect();
        names.into_keys().enumerate().map(|(at, name)| (name, at)).collect()
    };
    let results: Vec<Value> =
        shown.checks.findings.iter().map(|finding| result(shown, finding, &rules)).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "schemascope",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.keys().map(|name| rule(name)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(name: &str) -> Value {
    let about = match name.split('.').next().unwrap_or_default() {
        "violation" => "Results that the baseline's schema does not allow",
        "change" => "Results whose structure differs from the baseline",
        "declared" => "The upstream declares an output schema that differs from the baseline",
        "presence" => "A field that was usually present is missing",
        "not_judged" => "Results that could not be validated",
        "failed" => "Calls that ended with an error",
        _ => "A tool that is not in the baseline",
    };
    json!({"id": plain(name), "shortDescription": {"text": about}})
}

fn result(shown: &Findings<'_>, finding: &Finding, rules: &BTreeMap<&str, usize>) -> Value {
    let level = match finding.class {
        _ if shown.fails(finding) => "error",
        CheckClass::Breaking | CheckClass::Risky => "warning",
        CheckClass::Safe => "note",
    };
    let place = if finding.path.is_empty() { String::new() } else { format!(" {}", finding.path) };
    json!({
        "ruleId": plain(&finding.rule),
        "ruleIndex": rules.get(finding.rule.as_str()),
        "level": level,
        "message": {"text": plain(&format!("{} ({})", sentence(finding), effect(finding)))},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(shown.baseline)},
                "region": {"startLine": shown.line_of(&finding.tool_id)},
            },
            "logicalLocations": [{
                "fullyQualifiedName": plain(&format!("{}{place}", finding.tool_id)),
                "kind": "member",
            }],
        }],
        "partialFingerprints": {
            "finding/v1": plain(&format!("{} {} {}", finding.tool_id, finding.rule, finding.path)),
        },
        "properties": {
            "class": word(finding.class),
            "readers": word(finding.class),
            "senders": senders(finding),
            "observation_count": finding.observation_count,
            "breaks": finding.breaks.iter().map(|edge| plain(&edge.to)).collect::<Vec<_>>(),
        },
    })
}

/// A path as a relative URI reference; other bytes than plain letters are percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::{hostile, shown};
    use super::*;

    #[test]
    fn results_refer_to_rules_and_places() {
        let checks = hostile();
        let log = write(&shown(&checks));
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 3);
        let first = &run["results"][0];
        let rule = first["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], first["ruleId"]);
        let place = &first["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "dir/base%20line.json");
        assert_eq!(place["region"]["startLine"], 4);
        assert_eq!((&first["level"], &run["results"][2]["level"]), (&json!("error"), &json!("note")));
        let of = |at: usize| &run["results"][at]["properties"];
        assert_eq!((&of(0)["readers"], &of(0)["senders"]), (&json!("breaking"), &json!("-")));
        assert_eq!((&of(2)["readers"], &of(2)["senders"]), (&json!("safe"), &json!("risky")));
        let text = run["results"][2]["message"]["text"].as_str().unwrap();
        assert!(text.ends_with("(safe for readers, risky for senders)"), "{text}");
        assert_eq!(of(2)["breaks"], json!([]));
        let first = first["message"]["text"].as_str().unwrap();
        assert!(first.contains("; breaks the edge to s__"), "{first}");
        assert!(!log.to_string().contains("\\u001b"));
    }
}

//! Compares what tools return with a baseline, and orders and classifies the findings: breaking, risky or safe.
//!
//! Breaking findings need proof: an observation that the baseline's schema does not allow. So two calls of a tool are
//! enough to find a field that changed its type, and a thousand harmless ones raise nothing. A format that
//! disappeared, or a field that was usually present and is missing now, is risky, and so is a failed call that was
//! made for the check, because its result is unknown. Every other difference is safe.

use std::collections::{BTreeMap, BTreeSet};

pub use schemascope_compare::Class;
use schemascope_compare::{Change, ChangeKind, compare};
use schemascope_judge::{Conformance, Judge};
use schemascope_model::{CallRecord, LostEdge, Outcome, ToolId, Violation};
use schemascope_shape::{Policy, Shape, schema_without_values, wilson};
use serde::Serialize;
use serde_json::Value;

use crate::exchange::{Bundle, BundledTool};
use crate::items::in_list;
use crate::observation::{Observation, observe};
use crate::versions::Impact;

/// Tools that are not in the baseline and are listed.
const MAX_NEW: usize = 1_000;
/// Findings of one tool.
const MAX_FINDINGS: usize = 200;
/// Share of the objects, at least and by the lower end of its 95 % interval, that make a field one to miss.
const MOSTLY: f64 = 0.5;
/// The chance that a field that is still there was not seen, below which it is missed.
const CHANCE: f64 = 0.001;

/// What tools return now, beside what a baseline says of them.
pub struct Checking {
    tools: BTreeMap<ToolId, Checked>,
    new: BTreeMap<ToolId, u64>,
    /// Calls of tools that there was no room to list.
    new_left_out: u64,
}

struct Checked {
    baseline: Option<Value>,
    of: &'static str,
    /// Whether its upstream listed it when the baseline was made.
    listed: bool,
    presence: BTreeMap<String, (u64, u64)>,
    declared: Option<Value>,
    judge: Option<Judge>,
    impact: Impact,
    shape: Shape,
    unreadable: u64,
    /// Calls made for the check that ended with an error, and of how many.
    failed: u64,
    made: u64,
}

/// Something that is not as the baseline says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The tool.
    pub tool_id: String,
    /// How bad it is for those who read what the tool returns.
    pub class: Class,
    /// Where: `orders[].customer`; empty for the whole.
    pub path: String,
    /// What kind of finding it is: `violation.type`, `change.field_added`, `presence`, `not_judged`, `failed`,
    /// `new_tool`, `tool_removed`.
    pub rule: String,
    /// In words.
    pub message: String,
    /// Observations that show it, where it is about some.
    pub observation_count: Option<u64>,
    /// Severity for senders of what the tool returns; `None` if no schemas were compared.
    pub senders: Option<Class>,
    /// Edges that it breaks, the most used first. Left empty where edges are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<LostEdge>,
}

impl Finding {
    /// The output that the tool does not give any more, if the finding says that.
    pub fn lost_output(&self) -> Option<&str> {
        let says = ["violation.type", "presence", "field_removed", "type_changed"];
        let what =
            self.rule.strip_prefix("change.").or(self.rule.strip_prefix("declared.")).unwrap_or(&self.rule);
        let is_lost = self.class >= Class::Risky && says.contains(&what);
        Some(&*self.path).filter(|path| is_lost && !path.is_empty())
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checks {
    /// The worst first, then by tool and place.
    pub findings: Vec<Finding>,
    /// Tools of the baseline that were observed.
    pub tools_checked: u64,
    /// Number of them that nothing was found about.
    pub tools_passed: u64,
    /// Those that nothing was found about.
    pub passed: Vec<String>,
    /// Their observations.
    pub observation_count: u64,
    /// Tools of the baseline that have a schema and were not observed.
    pub not_observed: Vec<String>,
    /// Findings there was no room for; the worst of a tool stay.
    pub findings_left_out: u64,
}

impl Checking {
    /// Compares with a bundle: with the version in effect of each tool, else the declared, else the inferred schema.
    pub fn against(bundle: &Bundle) -> Self {
        let tools = bundle.tools.iter().map(|(id, tool)| (id.clone(), Checked::against(tool)));
        Self { tools: tools.collect(), new: BTreeMap::new(), new_left_out: 0 }
    }

    /// Takes a call. Only results that teach something count.
    pub fn add(&mut self, call: &CallRecord) {
        if call.outcome != Outcome::Ok {
            return;
        }
        let Some(result) = call.result.as_deref() else { return };
        let observation = observe(result);
        let Some(tool) = self.tools.get_mut(&call.tool_id) else {
            if observation.is_none() {
                return;
            }
            if self.new.len() < MAX_NEW || self.new.contains_key(&call.tool_id) {
                *self.new.entry(call.tool_id.clone()).or_default() += 1;
            } else {
                self.new_left_out += 1;
            }
            return;
        };
        let fits = |one: &Observation<'_>| {
            let judge = tool.judge.as_ref();
            judge.is_some_and(|judge| one.check(|json| judge.check_stored(json)).0 == Conformance::Fits)
        };
        // One item, or none, of a list whose items are sent apart.
        let listed = in_list(observation.as_ref(), Some(result), || true)
            .filter(|listed| !observation.as_ref().is_some_and(fits) && fits(listed));
        let Some(observation) = listed.as_ref().or(observation.as_ref()) else { return };
        let judged = tool.judge.as_ref().map(|judge| observation.check(|json| judge.check_stored(json)));
        let (conformance, json) = judged.unzip();
        if tool.shape.observe(json.unwrap_or(&observation.json).as_bytes()).is_err() {
            tool.unreadable += 1;
            return;
        }
        if let Some(conformance) = conformance {
            tool.impact.add(call.id, call.at, conformance);
        }
    }

    /// Counts a call that was made for the check. The user named it and expects a result.
    pub fn made(&mut self, id: &ToolId, failed: bool) {
        if let Some(tool) = self.tools.get_mut(id) {
            tool.made += 1;
            tool.failed += u64::from(failed);
        }
    }

    /// What an upstream declares now of a tool of the baseline: none where it declares no output schema.
    pub fn declare(&mut self, id: &ToolId, schema: Option<Value>) -> Option<Vec<Finding>> {
        let tool = self.tools.get_mut(id)?;
        let before = tool.declared.clone();
        let (before, now) = match (before, schema) {
            (None, None) => return Some(Vec::new()),
            (before, now) => (before.unwrap_or(Value::Bool(true)), now.unwrap_or(Value::Bool(true))),
        };
        let compared = compare(&before, &now);
        Some(
            compared
                .changes
                .into_iter()
                .map(|change| Finding {
                    tool_id: id.to_string(),
                    class: change.output,
                    senders: Some(change.input),
                    path: change.path,
                    rule: format!("declared.{}", word(change.what)),
                    message: format!("declared: {}", change.sentence),
                    observation_count: None,
                    breaks: Vec::new(),
                })
                .collect(),
        )
    }

    /// What it means that an upstream no longer lists a tool that the baseline lists.
    pub fn removed(&self, id: &ToolId) -> Option<Finding> {
        let was_listed = self.tools.get(id)?.listed;
        was_listed.then(|| Finding {
            tool_id: id.to_string(),
            class: Class::Breaking,
            senders: None,
            path: String::new(),
            rule: "tool_removed".into(),
            message: "its server no longer lists this tool".into(),
            observation_count: None,
            breaks: Vec::new(),
        })
    }

    /// What is not as the baseline says; `more` are findings made elsewhere.
    pub fn finish(self, more: Vec<Finding>) -> Checks {
        let mut checks = Checks {
            findings: more,
            tools_checked: 0,
            tools_passed: 0,
            passed: Vec::new(),
            observation_count: 0,
            not_observed: Vec::new(),
            findings_left_out: 0,
        };
        let named: BTreeSet<String> = checks.findings.iter().map(|finding| finding.tool_id.clone()).collect();
        for (id, tool) in &self.tools {
            let observations = tool.shape.observations();
            if tool.failed > 0 {
                checks.findings.push(tool.failure(id));
            }
            if observations + tool.unreadable == 0 {
                if tool.baseline.is_some() {
                    checks.not_observed.push(id.to_string());
                }
                continue;
            }
            checks.tools_checked += 1;
            checks.observation_count += observations;
            let mut findings = tool.findings(id);
            let passed = findings.is_empty() && tool.failed == 0 && !named.contains(&id.to_string());
            if passed {
                checks.tools_passed += 1;
                checks.passed.push(id.to_string());
            }
            findings.sort_by(order);
            checks.findings_left_out += findings.len().saturating_sub(MAX_FINDINGS) as u64;
            findings.truncate(MAX_FINDINGS);
            checks.findings.append(&mut findings);
        }
        checks.findings.extend(self.new.iter().map(|(id, count)| Finding {
            tool_id: id.to_string(),
            class: Class::Safe,
            senders: None,
            path: String::new(),
            rule: "new_tool".into(),
            message: "the baseline does not know this tool".into(),
            observation_count: Some(*count),
            breaks: Vec::new(),
        }));
        checks.findings_left_out += self.new_left_out;
        checks.findings.sort_by(order);
        checks.findings.dedup();
        checks
    }
}

fn order(a: &Finding, b: &Finding) -> std::cmp::Ordering {
    b.class.cmp(&a.class).then_with(|| a.cmp(b))
}

/// Says no more than what was seen: what is always there is required, nothing else is allowed.
fn tight() -> Policy {
    Policy {
        required_after: 1,
        required_rejects: f64::MAX,
        mistakes: f64::MAX,
        documents: 1,
        closed_after: 1,
        closed_unseen: 1.0,
        enum_after: u64::MAX,
        pattern_after: u64::MAX,
        tuple_after: u64::MAX,
        format_after: 1,
        null_after: 1,
        null_field_after: 1,
        ..Policy::default()
    }
}

/// What a baseline without a decision or a declaration is called.
const INFERRED: &str = "the inferred schema";

impl Checked {
    fn against(tool: &BundledTool) -> Self {
        let read = |raw: &serde_json::value::RawValue| schemascope_json::value(raw.get()).ok();
        let in_force = tool.in_force.as_ref().and_then(|in_force| read(&in_force.schema));
        let declaration = tool.declaration();
        let declared =
            declaration.as_ref().and_then(|one| one.output_schema()).map(|one| (*one.schema).clone());
        let inferred = tool.inferred.as_deref().and_then(read);
        let (baseline, of) = match (in_force, declared.clone(), inferred) {
            (Some(schema), ..) => (Some(schema), "the schema in effect"),
            (None, Some(schema), _) => (Some(schema), "the declared schema"),
            (None, None, Some(schema)) => (Some(schema), INFERRED),
            (None, None, None) => (None, ""),
        };
        Self {
            judge: baseline.as_ref().map(Judge::new),
            baseline,
            of,
            listed: tool.definition.is_some(),
            presence: tool.presence.clone(),
            declared,
            impact: Impact::default(),
            shape: Shape::default(),
            unreadable: 0,
            failed: 0,
            made: 0,
        }
    }

    /// Says that calls failed. Their errors may quote values.
    fn failure(&self, id: &ToolId) -> Finding {
        Finding {
            tool_id: id.to_string(),
            class: Class::Risky,
            senders: None,
            path: String::new(),
            rule: "failed".into(),
            message: format!("{} of {} calls made for the check ended with an error", self.failed, self.made),
            observation_count: None,
            breaks: Vec::new(),
        }
    }

    fn findings(&self, id: &ToolId) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut add = |(class, senders), path: &str, rule: String, message: String, count| {
            let (tool_id, path) = (id.to_string(), path.to_owned());
            let (observation_count, breaks) = (count, Vec::new());
            findings.push(Finding {
                tool_id,
                class,
                senders,
                path,
                rule,
                message,
                observation_count,
                breaks,
            });
        };
        let judged = self.impact.judged;
        for rule in self.impact.rules() {
            let place = if rule.violation.path.is_empty() { "the whole" } else { &rule.violation.path };
            let message = format!(
                "{} of {judged} observations break `{}` of {} at {place}",
                rule.count, rule.violation.rule, self.of
            );
            let name = format!("violation.{}", rule.violation.rule);
            // That what was inferred is complete was never decided.
            let is_new = self.is_inferred() && rule.violation.rule == "additionalProperties";
            let class = if is_new { Class::Safe } else { Class::Breaking };
            add((class, None), &rule.violation.path, name, message, Some(rule.count));
        }
        if self.impact.other_rules > 0 {
            let message = format!("{} more observations break other rules", self.impact.other_rules);
            add(
                (Class::Breaking, None),
                "",
                "violation.other".into(),
                message,
                Some(self.impact.other_rules),
            );
        }
        let not_judged = self.impact.unknown + self.unreadable;
        if not_judged > 0 {
            let message = format!("{not_judged} observations could not be judged by {}", self.of);
            add((Class::Risky, None), "", "not_judged".into(), message, Some(not_judged));
        }
        if let Some(baseline) = &self.baseline {
            // Values are judged, each by itself; here it is about structure.
            let now = schema_without_values(&self.shape.schema(&tight()));
            for change in compare(&schema_without_values(baseline), &now).changes {
                if let Some(class) = self.class(&change) {
                    let rule = format!("change.{}", word(change.what));
                    add((class, Some(change.input)), &change.path, rule, change.sentence, None);
                }
            }
        }
        for (path, present, parents, missed) in self.missed() {
            let message = format!("was in {present} of {parents} objects, and is in none of {missed} now");
            add((Class::Risky, None), &path, "presence".into(), message, Some(missed));
        }
        findings
    }

    fn is_inferred(&self) -> bool {
        self.of == INFERRED
    }

    /// How bad a change is; none where no observation shows it. Inferring from few observations gives schemas
    /// of other structure without any value being different.
    fn class(&self, change: &Change) -> Option<Class> {
        let broken = |violation: &Violation| {
            let (changed, broken) = (change.path.as_str(), violation.path.as_str());
            changed == broken
                || !changed.is_empty() && parent(changed) == broken
                || !broken.is_empty() && parent(broken) == changed
        };
        match change.what {
            ChangeKind::MadeRequired
            | ChangeKind::Closed
            | ChangeKind::Opened
            | ChangeKind::TypeNarrowed
            | ChangeKind::AlternativeRemoved => None,
            ChangeKind::FieldAdded if self.is_inferred() => Some(Class::Safe),
            _ if self.impact.rules().iter().any(|rule| broken(&rule.violation)) => Some(change.output),
            // Formats are not judged.
            ChangeKind::FormatChanged => Some(Class::Risky),
            // What a declared schema leaves open was seen before all the same.
            ChangeKind::FieldAdded => (!self.presence.contains_key(&change.path)).then_some(Class::Safe),
            _ => None,
        }
    }

    /// Fields that were mostly there, are not required, and are certainly gone.
    fn missed(&self) -> Vec<(String, u64, u64, u64)> {
        let now: BTreeMap<String, (u64, u64)> = self
            .shape
            .fields(&tight())
            .into_iter()
            .map(|field| (field.path, (field.presence.present, field.presence.parents)))
            .collect();
        let objects = |path: &str| {
            let above = parent(path);
            let beside = |other: &&String| parent(other) == above;
            now.iter().filter(|(other, _)| beside(other)).map(|(_, (_, parents))| *parents).max().unwrap_or(0)
        };
        let gone = self.presence.iter().filter(|(path, _)| !now.contains_key(*path));
        gone.filter_map(|(path, (present, parents))| {
            let (low, _) = wilson(*present, *parents);
            let missed = objects(path);
            let by_chance = (1.0 - low).powf(missed as f64);
            (low >= MOSTLY && present < parents && by_chance < CHANCE)
                .then(|| (path.clone(), *present, *parents, missed))
        })
        .collect()
    }
}

/// The path of what a place is in.
fn parent(path: &str) -> &str {
    // The name may have dots and brackets itself.
    let is_name = |at: &usize| {
        let quoted = path.get(at + 1..path.len() - 1);
        quoted.is_some_and(|quoted| serde_json::from_str::<String>(quoted).is_ok())
    };
    let quoted = || path.match_indices("[\"").map(|(at, _)| at).find(is_name);
    let cut = if path.ends_with("\"]") { quoted() } else { path.rfind(['.', '[', '{']) };
    cut.and_then(|at| path.get(..at)).unwrap_or_default()
}

/// The name of a kind of change, as it is written elsewhere.
fn word(what: ChangeKind) -> String {
    let written = serde_json::to_value(what).ok();
    written.as_ref().and_then(Value::as_str).unwrap_or("other").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_is_cut_at_the_last_step() {
        for (path, expected) in [
            (r#"attributes["service.name"]"#, "attributes"),
            (r#"["a"]["b[\"]"]"#, r#"["a"]"#),
            (r#"["odd.name"]"#, ""),
            (r#"rows[]["x"].id"#, r#"rows[]["x"]"#),
            ("rows[]", "rows"),
            ("map{}", "map"),
            ("id", ""),
        ] {
            assert_eq!(parent(path), expected, "{path}");
        }
    }
}

//! A plan as a chain of tools, and its steps as text.

use schemascope_api::{Argument, Plan};

use super::words::{confidence, path, tool};
use crate::text::visible;

/// The edges along which a plan passes values: giver and taker.
pub fn chain(plan: &Plan) -> Vec<(String, String)> {
    let mut edges = Vec::new();
    for step in &plan.steps {
        for argument in step.arguments.values() {
            let Argument::Step { step: from, .. } = argument else { continue };
            if let Some(giver) = plan.steps.iter().find(|other| other.step == *from) {
                let edge = (giver.tool_id.to_string(), step.tool_id.to_string());
                if !edges.contains(&edge) {
                    edges.push(edge);
                }
            }
        }
    }
    edges
}

/// What the user supplies: the inputs that nothing fills, and the reason.
pub fn supplies(plan: &Plan) -> Vec<(String, String)> {
    plan.missing.iter().map(|missing| (visible(&missing.input, 80), visible(&missing.why, 160))).collect()
}

/// The steps of a plan, one per line.
pub fn steps(plan: &Plan) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let mut arguments: Vec<String> = step
            .arguments
            .iter()
            .map(|(input, argument)| {
                let value = match argument {
                    Argument::Step { step, output, .. } => {
                        format!("{} of step {step}", path(output, "whole result"))
                    }
                    Argument::Have { have, output: Some(output), .. } => {
                        format!("{} of {}", path(output, "whole result"), tool(have))
                    }
                    Argument::Have { have, .. } => visible(have, 80),
                    Argument::Value { value } => visible(&value.to_string(), 80),
                };
                format!("{}: {value}", path(input, "arguments"))
            })
            .collect();
        let missing = plan.missing.iter().filter(|missing| missing.step == step.step);
        arguments.extend(missing.map(|missing| format!("{}: (you supply)", visible(&missing.input, 80))));
        let writes = if step.read_only { "" } else { "  [not read-only]" };
        text +=
            &format!("{}. {}({}){writes}\n", step.step, visible(&step.tool_id, 160), arguments.join(", "));
    }
    text
}

/// A plan in one sentence.
pub fn sentence(plan: &Plan) -> String {
    let tools: Vec<String> = plan.steps.iter().map(|step| tool(&step.tool_id)).collect();
    format!("{}, confidence {}", tools.join(", then "), confidence(plan.confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_joins_the_steps_that_pass_values() {
        let plan: Plan = serde_json::from_value(serde_json::json!({
            "confidence": 0.9, "wanted": {"output": ""},
            "missing": [{"step": 2, "input": "reason", "why": "no tool gives it"}],
            "steps": [
                {"step": 1, "tool_id": "s__list", "arguments": {"limit": {"value": 5}}, "read_only": true},
                {"step": 2, "tool_id": "s__refund", "read_only": false, "arguments": {
                    "id": {"step": 1, "output": "orders[].id", "how": "item"},
                    "by": {"have": "email"},
                    "at": {"step": 1, "output": "orders[].at", "how": "item"}}},
            ],
        }))
        .unwrap();
        assert_eq!(chain(&plan), [("s__list".to_owned(), "s__refund".to_owned())]);
        assert_eq!(
            steps(&plan),
            "1. s__list(limit: 5)\n2. s__refund(at: orders[].at of step 1, by: email, id: orders[].id of step 1, \
             reason: (you supply))  [not read-only]\n"
        );
        assert_eq!(supplies(&plan).len(), 1);
    }
}

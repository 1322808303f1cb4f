//! Makes decisions over the command interface, and folds the audit log independently of the program.

use serde_json::{Value, json};

use super::Random;
use super::world::DECIDED;
use crate::program::Serve;

/// Promotes a version. Returns the decision's id if it was answered.
pub(super) fn promote(serve: &Serve, version: u32) -> Option<String> {
    decide(serve, &json!({"promote": {"version": version}}))
}

/// Takes decisions until one is not answered. Returns the ids of the answered ones. Invalid ones are rejected, and
/// that is an answer as well.
pub(super) fn decisions(serve: &Serve, random: &mut Random) -> Vec<String> {
    let mut ids = Vec::new();
    loop {
        let version = 1 + random.below(2);
        let decision = match random.below(6) {
            0 | 1 => json!({"promote": {"version": version}}),
            2 => json!({"pin": {"version": version, "enforced": random.below(2) == 0}}),
            3 => json!({"unpin": {}}),
            4 => json!({"rollback": {"to": null}}),
            _ => json!({"undo": {}}),
        };
        match ask(serve, &decision) {
            None => return ids,
            Some(reply) => ids.extend(reply["entry"]["id"].as_str().map(str::to_owned)),
        }
    }
}

fn decide(serve: &Serve, decision: &Value) -> Option<String> {
    Some(ask(serve, decision)?["entry"]["id"].as_str()?.to_owned())
}

fn ask(serve: &Serve, decision: &Value) -> Option<Value> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let url = format!("http://{}/api/decide", serve.instance["address"].as_str()?);
    let body = json!({"tool_id": DECIDED, "decision": decision, "no_reason": true}).to_string();
    let request = agent.post(&url).header("authorization", format!("Bearer {}", serve.owner_token()));
    serde_json::from_str(&request.send(body).ok()?.body_mut().read_to_string().ok()?).ok()
}

/// The version in effect and whether it is pinned, from a log with the newest entry first.
pub(super) fn folded(audit: &[Value]) -> (Option<u64>, Option<bool>) {
    let (mut promoted, mut pinned) = (None, None);
    // Undone decisions are as if they had never been.
    for row in audit.iter().rev().filter(|row| row["undone"] != true) {
        let version = row["version"].as_u64();
        match row["event"].as_str().unwrap_or_default() {
            "promote" => promoted = version,
            "pin" => pinned = version,
            "unpin" => pinned = None,
            "rollback" => (promoted, pinned) = (version, None),
            _ => {}
        }
    }
    (pinned.or(promoted), Some(pinned.is_some()))
}

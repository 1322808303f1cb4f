//! What the crate must beat: equal names, qualified words, and a matcher of values of sixty lines.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemascope_compose::Measured;
use schemascope_worlds::{Field, Tool, values_at};

use crate::record::Registry;

fn words(name: &str) -> BTreeSet<String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    spaced.split_whitespace().map(|word| word.trim_end_matches('s').to_owned()).collect()
}

fn leaf(path: &str) -> &str {
    path.trim_end_matches("[]").rsplit(['.', ']', '}']).next().unwrap_or(path)
}

fn qualified(tool: &Tool, field: &Field) -> BTreeSet<String> {
    let mut found = words(&field.path);
    found.extend(words(tool.name));
    for verb in ["get", "list", "search", "find", "create", "add", "set"] {
        found.remove(verb);
    }
    found
}

fn pair(from: &str, output: &str, to: &str, input: &str) -> Measured {
    Measured {
        from: from.into(),
        output: output.into(),
        to: to.into(),
        input: input.into(),
        seen: false,
        flows: 0,
        confidence: 0.0,
        names: Vec::new(),
        measures: Vec::new(),
    }
}

/// A rival with its judgement of pairs.
type Rival = (&'static str, Vec<(Measured, f64)>);

/// Returns the judgement of each rival.
pub(crate) fn scored(registry: &Registry) -> Vec<Rival> {
    let mut equal = Vec::new();
    let mut tokens = Vec::new();
    let tools: Vec<(String, &Tool)> = registry
        .servers
        .iter()
        .flat_map(|server| {
            server.tools.iter().map(move |tool| (format!("{}__{}", server.name, tool.name), tool))
        })
        .collect();
    for (from, giver) in &tools {
        for (to, taker) in &tools {
            for output in giver.outputs.iter().filter(|output| !output.path.is_empty()) {
                for input in &taker.inputs {
                    if leaf(&output.path) == leaf(&input.path) {
                        equal.push((pair(from, &output.path, to, &input.path), 1.0));
                    }
                    let (o, i) = (qualified(giver, output), qualified(taker, input));
                    #[expect(clippy::cast_precision_loss, reason = "a few words")]
                    let share = o.intersection(&i).count() as f64 / o.union(&i).count().max(1) as f64;
                    if share > 0.2 {
                        tokens.push((pair(from, &output.path, to, &input.path), share));
                    }
                }
            }
        }
    }
    vec![
        ("equal leaf names", equal),
        ("stemmed, qualified words", tokens),
        ("matcher of values", matcher(registry)),
    ]
}

/// Credit to the first call of a session that gave a value, none to one that had it as an argument.
fn matcher(registry: &Registry) -> Vec<(Measured, f64)> {
    let mut hits: BTreeMap<(String, String, String, String), f64> = BTreeMap::new();
    let mut tries: HashMap<(String, String), f64> = HashMap::new();
    for (server, traffic) in registry.servers.iter().zip(&registry.traffic) {
        for session in &traffic.sessions {
            let mut first: HashMap<String, (String, String)> = HashMap::new();
            for call in session.iter().filter(|call| call.result.is_ok()) {
                let Some(tool) = call.tool.split_once("__").and_then(|(_, name)| server.tool(name)) else {
                    continue;
                };
                let mut own = BTreeSet::new();
                for input in &tool.inputs {
                    for (_, value) in values_at(&call.arguments, &input.path) {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        *tries.entry((call.tool.clone(), input.path.clone())).or_default() += 1.0;
                        if let Some((from, output)) = first.get(&text) {
                            let key = (from.clone(), output.clone(), call.tool.clone(), input.path.clone());
                            *hits.entry(key).or_default() += 1.0;
                        }
                        own.insert(text);
                    }
                }
                let Ok(result) = &call.result else { continue };
                for output in &tool.outputs {
                    for (_, value) in values_at(result, &output.path) {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        if !own.contains(&text) && !value.is_boolean() {
                            first.entry(text).or_insert_with(|| (call.tool.clone(), output.path.clone()));
                        }
                    }
                }
            }
        }
    }
    hits.into_iter()
        .map(|((from, output, to, input), hits)| {
            let tries = tries.get(&(to.clone(), input.clone())).copied().unwrap_or(1.0);
            (pair(&from, &output, &to, &input), (hits / (hits + 1.0)).max(hits / tries))
        })
        .collect()
}

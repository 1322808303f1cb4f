//! Plans, executed as printed against the servers they are for.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_compose::{Argument, Goal, Graph, How, Model, Plan};
use schemascope_worlds::{Field, Meaning, Server, Tool, values_at};
use serde_json::{Value, json};

use crate::record::Registry;

/// Prints how plans did whose confidences come from the model of each server.
pub(crate) fn run(registry: &Registry, title: &str, model_of: impl Fn(&Server) -> Model) {
    let (mut reachable, mut reached) = (0, 0);
    let (mut sure, mut sure_right) = (0, 0);
    let mut slowest = std::time::Duration::ZERO;
    let (mut failed, mut none, mut wrong) = (Vec::new(), 0, Vec::new());
    for server in &registry.servers {
        let mut graph = registry.graph(registry.evidence.clone(), model_of(server));
        let chains = chains(server);
        for tool in &server.tools {
            let id: Box<str> = format!("{}__{}", server.name, tool.name).into();
            let started = std::time::Instant::now();
            let plans = graph.plan(&Goal::Tool(id.clone()), &[], 3);
            slowest = slowest.max(started.elapsed());
            let chain = chains.contains(tool.name);
            reachable += u32::from(chain);
            let outcome = plans.plans.first().map(|plan| (plan, execute(registry, plan)));
            let ok = matches!(outcome, Some((_, Ok(_))));
            reached += u32::from(chain && ok);
            if let Some((plan, _)) = &outcome
                && plan.confidence >= 0.8
            {
                sure += 1;
                sure_right += u32::from(ok);
            }
            if chain && !ok {
                let why = match outcome {
                    Some((plan, Err(why))) => {
                        let steps: Vec<&str> = plan.steps.iter().map(|step| &*step.tool_id).collect();
                        format!("{}: {why}", steps.join(" > "))
                    }
                    _ => plans.why_none.unwrap_or_default(),
                };
                failed.push(format!("{id}: {why}"));
            }
        }
        let (count, plans) = nones(registry, server, &mut graph);
        none += count;
        wrong.extend(plans);
    }
    let none_right = none - wrong.len();
    println!(
        "\nPlans, {title}: {reached} of {reachable} goals with a chain reached; {sure_right} of {sure} plans that claim 0.8 reach theirs;"
    );
    println!("{none_right} of {none} goals without a chain said so; slowest {slowest:.1?}");
    for line in failed.into_iter().chain(wrong) {
        println!("  {line}");
    }
}

fn kinds(field: &Field) -> Option<&str> {
    match field.meanings.first() {
        Some(Meaning::Is(kind)) if field.required && field.choices.is_empty() => Some(kind),
        Some(Meaning::Contains(kind)) if field.required => Some(kind),
        _ => None,
    }
}

/// Tools whose required ids have a chain of tools that give them as values, keys or items.
fn chains(server: &Server) -> BTreeSet<&'static str> {
    let mut found: BTreeSet<&'static str> = BTreeSet::new();
    for _ in 0..6 {
        let before = found.clone();
        for tool in &server.tools {
            let given = |kind: &str, by: &Tool| {
                by.outputs.iter().any(|output| {
                    !output.echo
                        && output.meanings.iter().any(|meaning| *meaning == Meaning::Is(kind.to_owned()))
                })
            };
            let plain = tool.inputs.iter().all(|input| {
                !(input.required && matches!(input.meanings.first(), Some(Meaning::Contains(_))))
            });
            let fed = tool.inputs.iter().filter_map(kinds).all(|kind| {
                server
                    .tools
                    .iter()
                    .any(|by| by.name != tool.name && before.contains(by.name) && given(kind, by))
            });
            if plain && fed {
                found.insert(tool.name);
            }
        }
    }
    found
}

/// Goals whose givers are taken away: there must be no plan. Their number, and the plans that there are.
fn nones(registry: &Registry, server: &Server, graph: &mut Graph) -> (usize, Vec<String>) {
    let (mut none, mut wrong) = (0, Vec::new());
    let tools: BTreeMap<Box<str>, _> =
        registry.tools().into_iter().map(|tool| (tool.id.clone(), tool)).collect();
    for tool in &server.tools {
        let Some(kind) = tool.inputs.iter().find_map(kinds) else { continue };
        let id: Box<str> = format!("{}__{}", server.name, tool.name).into();
        let givers: Vec<Box<str>> = server
            .tools
            .iter()
            .filter(|by| {
                by.outputs.iter().any(|output| {
                    output.meanings.iter().any(|meaning| match meaning {
                        Meaning::Is(own) | Meaning::Contains(own) | Meaning::Half(own) => own == kind,
                        Meaning::May(_) => false,
                    })
                })
            })
            .map(|by| format!("{}__{}", server.name, by.name).into())
            .filter(|giver| *giver != id)
            .collect();
        if kind.starts_with('*') {
            continue;
        }
        let set = |graph: &mut Graph, usable: bool| {
            for giver in &givers {
                if let Some(known) = tools.get(giver) {
                    graph.set(schemascope_compose::Tool { usable, ..known.clone() });
                }
            }
        };
        set(graph, false);
        none += 1;
        let plans = graph.plan(&Goal::Tool(id.clone()), &[], 1);
        if let Some(plan) = plans.plans.first() {
            let steps: Vec<&str> = plan.steps.iter().map(|step| &*step.tool_id).collect();
            wrong.push(format!("{id} without {kind}: {:.2} {}", plan.confidence, steps.join(" > ")));
        }
        set(graph, true);
    }
    (none, wrong)
}

/// Executes a plan: with the first item of each list, then with the next two.
fn execute(registry: &Registry, plan: &Plan) -> Result<Value, String> {
    let mut last = Err("nothing tried".to_owned());
    for item in 0..3 {
        let mut servers = registry.servers.clone();
        last = once(&mut servers, plan, item);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn once(servers: &mut [Server], plan: &Plan, item: usize) -> Result<Value, String> {
    let mut results: Vec<Value> = Vec::new();
    for step in &plan.steps {
        let (server, name) = step.tool_id.split_once("__").ok_or("no tool")?;
        let server = servers.iter_mut().find(|own| own.name == server).ok_or("no server")?;
        let tool = server.tool(name).cloned().ok_or("no tool")?;
        let mut arguments = json!({});
        for (input, argument) in &step.arguments {
            let field = tool.inputs.iter().find(|field| field.path == **input).ok_or("no input")?;
            let value = match argument {
                Argument::Step { step, output, how } => {
                    let found = values_at(&results[step - 1], output);
                    let value = found
                        .get(item.min(found.len().saturating_sub(1)))
                        .ok_or(format!("{output} is empty"))?;
                    taken(server, field, &value.1, *how)?
                }
                Argument::Value { value } => value.clone(),
                Argument::Have { have, .. } => return Err(format!("{have} is not at hand")),
            };
            put(&mut arguments, input, value);
        }
        for missing in plan.missing.iter().filter(|missing| missing.step == step.step) {
            let field = tool.inputs.iter().find(|field| field.path == *missing.input).ok_or("no input")?;
            put(&mut arguments, &missing.input, said(field));
        }
        results.push(server.call(name, &arguments).map_err(|error| format!("{name}: {error}"))?);
    }
    results.pop().ok_or_else(|| "no steps".to_owned())
}

/// Brings a value into the form the input wants.
fn taken(server: &Server, field: &Field, value: &Value, how: How) -> Result<Value, String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if how == How::Part {
        let Some(Meaning::Is(kind)) = field.meanings.first() else { return Err("no part".to_owned()) };
        let ids = server.ids(kind);
        return ids
            .into_iter()
            .find(|id| text.contains(id.as_str().unwrap_or("\0")))
            .ok_or("no part".to_owned());
    }
    Ok(match field.kind.as_str() {
        "i" => text.parse::<i64>().map_or(json!(text), |number| json!(number)),
        "n" => text.parse::<f64>().map_or(json!(text), |number| json!(number)),
        _ => json!(text),
    })
}

/// What a person would say.
fn said(field: &Field) -> Value {
    let choice = field.choices.first().cloned();
    match field.kind.as_str() {
        "i" => json!(choice.and_then(|choice| choice.parse::<i64>().ok()).unwrap_or(1)),
        "n" => json!(choice.and_then(|choice| choice.parse::<f64>().ok()).unwrap_or(1.0)),
        "b" => json!(true),
        "date" => json!(choice.unwrap_or_else(|| "2026-03-01".to_owned())),
        "datetime" => json!("2026-03-01T12:00:00Z"),
        _ => json!(choice.unwrap_or_else(|| "nothing known".to_owned())),
    }
}

fn put(arguments: &mut Value, path: &str, value: Value) {
    let (first, rest) = path.split_once("[]").unwrap_or((path, "\0"));
    if rest == "\0" {
        arguments[first] = value;
    } else if rest.is_empty() {
        arguments[first] = json!([value]);
    } else {
        let member = rest.trim_start_matches('.');
        if !arguments[first].is_array() {
            arguments[first] = json!([{}]);
        }
        let item = &mut arguments[first][0];
        if let Some(name) = member.strip_suffix("[]") {
            item[name] = json!([value]);
        } else {
            item[member] = value;
        }
    }
}

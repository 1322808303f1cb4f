//! Sizes: graphs of a thousand and of ten thousand tools.

use std::sync::Arc;
use std::time::Instant;

use schemascope_compose::{Filter, Goal, Graph, Tool};
use serde_json::{Map, Value, json};

pub(crate) fn run() {
    println!(
        "\n| tools | rebuild, all edges | change, then its edges: median | p99 | plan, slowest of 50 | peak of the program |\n|---|---|---|---|---|---|"
    );
    for count in [1_000, 10_000] {
        let mut random = 7_u64;
        let tools: Vec<Tool> = (0..count).map(|number| tool(number, &mut random)).collect();
        let started = Instant::now();
        let mut graph = Graph::new(crate::shipped());
        for tool in &tools {
            graph.set(tool.clone());
        }
        let mut edges = 0;
        graph.each_edge(&Filter { min: 0.5, ..Filter::default() }, |_| edges += 1);
        let rebuild = started.elapsed();
        let mut changes = Vec::new();
        for number in 0..200 {
            let id = number * 37 % count;
            let started = Instant::now();
            let changed = Tool { id: tools[id].id.clone(), ..tool(id + 1, &mut random) };
            graph.set(changed.clone());
            let _ = graph.edges(&Filter { to: Some(changed.id), min: 0.5, ..Filter::default() });
            changes.push(started.elapsed());
        }
        changes.sort_unstable();
        let mut slowest = std::time::Duration::ZERO;
        for number in 0..50 {
            let goal = Goal::Tool(tools[number * 19 % count].id.clone());
            let started = Instant::now();
            let _ = graph.plan(&goal, &[], 3);
            slowest = slowest.max(started.elapsed());
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap_or("unknown")
            .trim()
            .to_owned();
        println!(
            "| {count} | {rebuild:.2?} ({edges} edges) | {:.2?} | {:.2?} | {slowest:.2?} | {peak} |",
            changes[100], changes[198]
        );
    }
}

/// A tool with twenty inputs and twenty outputs, named from five hundred words.
fn tool(number: usize, random: &mut u64) -> Tool {
    let mut word = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{}x", (*random >> 33) % 500)
    };
    let mut schema = || {
        let mut properties = Map::new();
        while properties.len() < 20 {
            properties.insert(format!("{}_{}", word(), word()), json!({"type": "string"}));
        }
        let required: Vec<Value> = properties.keys().take(2).map(|key| json!(key)).collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    let (input, output) = (Some(Arc::new(schema())), Some(Arc::new(schema())));
    let id = format!("s{}__get_{}_{number}", number % 8, word()).into();
    Tool { id, input, output, lost: Vec::new(), open_since: None, text: false, read_only: true, usable: true }
}

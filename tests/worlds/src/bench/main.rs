//! Bench of provides edges: precision, recall and calibration against labelled simulated servers, each
//! judged by models that were fitted on the other servers; plans that are executed; suggestions; sizes.
#![allow(clippy::print_stdout, reason = "it prints tables")]

mod fit;
mod floor;
mod judge;
mod plans;
mod record;
mod sizes;
mod suggestions;

use judge::{Pairs, Table};
use record::Registry;
use schemascope_compose::Model;

/// Seed of the sessions.
const SEED: u64 = 18;
/// Sessions for each server.
const SESSIONS: usize = 36;

const USAGE: &str = "\
cargo xtask bench compose [PART] [--seed N] [--sessions N]

  edges           precision, recall, calibration and ablations, each server left out in turn
  plans           plans executed against the servers
  suggestions     the next tool among the first five
  sizes           rebuilding and changing large graphs
  wrong           which pairs are wrong, by server
  fit             prints the weights fitted on all servers

Without PART: all but wrong and fit.";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return;
    }
    let number = |name: &str, default: u64| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let part = args.first().filter(|part| !part.starts_with('-')).map_or("", String::as_str);
    let wants = |name: &str| part == name || (part.is_empty() && name != "fit" && name != "wrong");
    let sessions = usize::try_from(number("--sessions", SESSIONS as u64)).unwrap_or(SESSIONS);
    let registry = Registry::record(number("--seed", SEED), sessions);
    let truth = schemascope_worlds::labels(&registry.servers);
    let examples = registry.examples();
    // Models are fitted on more and on fewer sessions than they are judged on.
    let mut training = registry.examples();
    for (step, sessions) in [(1, 12), (2, 60), (3, 6)] {
        training.extend(Registry::record(number("--seed", SEED) + step, sessions).examples());
    }
    if wants("fit") {
        let model = fit::all(&training, &truth, &fit::Mask::full());
        fit::print(&model);
    }
    if wants("edges") || wants("wrong") {
        edges(&registry, &truth, &examples, &training, wants("wrong"));
    }
    if wants("plans") {
        let mask = fit::Mask::full();
        plans::run(&registry, "server left out", |server| {
            fit::without(server.name, &training, &truth, &mask)
        });
        plans::run(&registry, "weights as shipped", |_| shipped());
    }
    if wants("suggestions") {
        suggestions::run(&registry);
    }
    if wants("sizes") {
        sizes::run();
    }
}

fn edges(
    registry: &Registry,
    truth: &schemascope_worlds::Labels,
    examples: &[schemascope_compose::Measured],
    training: &[schemascope_compose::Measured],
    wrong: bool,
) {
    let full = fit::leave_out(registry, examples, training, truth, &fit::Mask::full());
    let pairs = Pairs::new(registry, truth, &full);
    if wrong {
        pairs.print_wrong();
        return;
    }
    let mut table = Table::default();
    table.add("this crate, server left out", &pairs);
    let shipped: Vec<_> = examples.iter().map(|one| (one.clone(), one.confidence)).collect();
    table.add("this crate, weights as shipped", &Pairs::new(registry, truth, &shipped));
    for (name, scored) in floor::scored(registry) {
        table.add(name, &Pairs::new(registry, truth, &scored));
    }
    for (name, mask) in fit::Mask::ablations() {
        let scored = fit::leave_out(registry, examples, training, truth, &mask);
        table.add(name, &Pairs::new(registry, truth, &scored));
    }
    table.print();
    pairs.print_calibration();
    pairs.print_servers();
}

/// The model as shipped.
fn shipped() -> Model {
    Model::default()
}

//! How well drift is detected: false alarms where nothing changed, and changes found within 30 observations.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its tables go to stdout")]

mod frozen;
mod simple;
mod stream;
mod world;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use schemascope_benches::random::Random;
use schemascope_model::{CallId, IdSource, Timestamp};
use schemascope_registry::drift::{Conformity, Drift, Notice, Sighting};

use crate::frozen::*;
use crate::simple::{ASKS, BECOMES, MANNERS, RETURNS, Simple};
use crate::stream::{Call, Stream, Traffic};
use crate::world::{Change, Effect, Tool};

const USAGE: &str = "\
cargo xtask bench drift

      --seed S      seed of the generated tools [default: 1, for development]
      --final       the seeds that published numbers come from (2001 to 2003), for nothing else
      --simple      only the simple tools
      --details     also which paths were reported by mistake, and what was missed";

struct Options {
    seeds: Vec<u64>,
    details: bool,
    simple: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| options.map_or_else(help, |options| run(&options))) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn help() -> Result<bool> {
    println!("{USAGE}");
    Ok(true)
}

fn options() -> Result<Option<Options>> {
    let mut options = Options { seeds: vec![1], details: false, simple: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seed" => options.seeds = vec![args.next().context("--seed takes a number")?.parse()?],
            "--final" => options.seeds = (2001..=2003).collect(),
            "--simple" => options.simple = true,
            "--details" => options.details = true,
            "--help" | "-h" => return Ok(None),
            other => bail!("{other} is no option\n\n{USAGE}"),
        }
    }
    Ok(Some(options))
}

/// A detector with what feeds it.
struct Watch {
    drift: Drift,
    ids: IdSource,
    spent: Duration,
    bytes: usize,
}

impl Watch {
    fn new() -> Self {
        Self { drift: Drift::default(), ids: IdSource::new(0, 0), spent: Duration::ZERO, bytes: 0 }
    }

    /// Paths that are reported.
    fn show(&mut self, call: &Call) -> Vec<(String, String)> {
        let at = Timestamp::from_millis(call.millis);
        let id: CallId = self.ids.at(at);
        self.bytes += call.document.len();
        let begun = Instant::now();
        let notices = self.drift.observe(&Sighting {
            call: id,
            at,
            arguments: Some(&call.arguments),
            document: &call.document,
            conformity: Conformity::Unknown,
        });
        self.spent += begun.elapsed();
        let raised = notices.into_iter().filter_map(|notice| match notice {
            Notice::Raised(event) => Some((format!("$.{}", event.path), format!("{:?}", event.change))),
            Notice::Ended(..) => None,
        });
        raised.collect()
    }
}

#[derive(Default)]
struct Tally {
    of: usize,
    hits: usize,
}

impl Tally {
    fn add(&mut self, hit: bool) {
        self.of += 1;
        self.hits += usize::from(hit);
    }

    fn share(&self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }
}

fn run(options: &Options) -> Result<bool> {
    println!("# Drift (seeds {:?})\n", options.seeds);
    if options.simple {
        return Ok(simple(options));
    }
    let mut passed = true;
    let mut costs = Vec::new();
    println!("| stationary, {LENGTH} calls | tools | with a false alarm |\n|---|---|---|");
    for traffic in [Traffic::Bursts, Traffic::Spread] {
        let tally = stationary(options, traffic, &mut costs);
        passed &= tally.share() <= FALSE_ALARMS;
        println!("| {traffic:?} | {} | {:.2} % |", tally.of, 100.0 * tally.share());
    }
    let mut table: BTreeMap<(Effect, usize), [Tally; 3]> = BTreeMap::new();
    for effect in [Effect::Removed, Effect::Renamed, Effect::Retyped, Effect::Nulled, Effect::Added] {
        for before in BEFORE {
            let [spread, _] = changed(options, Traffic::Spread, effect, before);
            let [bursts, things] = changed(options, Traffic::Bursts, effect, before);
            table.insert((effect, before), [spread, bursts, things]);
        }
    }
    println!(
        "\n| found within {WITHIN} | calls before | observations, no bursts | observations, bursts | things, bursts |"
    );
    println!("|---|---|---|---|---|");
    for ((effect, before), tallies) in &table {
        let [spread, bursts, things] =
            tallies.each_ref().map(|tally| format!("{:.1} %", 100.0 * tally.share()));
        println!("| {effect:?} | {before} | {spread} | {bursts} | {things} |");
    }
    println!("\nRemoved, renamed and retyped together:\n");
    for (at, name) in ["observations, no bursts", "observations, bursts", "things, bursts"].iter().enumerate()
    {
        let judged = table.iter().filter(|((effect, _), _)| *effect <= Effect::Retyped);
        let (hits, of) = judged.fold((0, 0), |sum, (_, all)| (sum.0 + all[at].hits, sum.1 + all[at].of));
        let share = hits as f64 / of.max(1) as f64;
        // Where all that is asked for within 30 observations is one thing, they are one piece of evidence.
        let judged = at != 1;
        passed &= !judged || share >= FOUND;
        println!(
            "- {WITHIN} {name}: {:.1} % of {of}{}",
            100.0 * share,
            if judged { "" } else { " (no bar)" }
        );
    }
    passed &= simple(options);
    let middle = |mut costs: Vec<f64>| {
        costs.sort_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied().unwrap_or(f64::NAN)
    };
    for (name, sizes) in [("all", 0..usize::MAX), ("4 to 6 KB", 4_000..6_000)] {
        let fit = costs.iter().filter(|(_, bytes, calls)| sizes.contains(&(bytes / calls)));
        let each = fit.map(|(spent, _, calls)| spent.as_secs_f64() * 1e6 / *calls as f64).collect();
        println!("\ncost of an observation, median over tools ({name}): {:.1} µs", middle(each));
    }
    Ok(passed)
}

fn seeded(options: &Options, count: usize, label: &str) -> Vec<(u64, Tool)> {
    let of = |seed: u64| (0..count as u64).map(move |number| seed * 1_000_003 + number);
    let all = options.seeds.iter().copied().flat_map(of);
    all.map(|seed| (seed, Tool::draw(&mut Random::new(seed, label)))).collect()
}

fn stationary(options: &Options, traffic: Traffic, costs: &mut Vec<(Duration, usize, usize)>) -> Tally {
    let mut tally = Tally::default();
    for (seed, tool) in seeded(options, STATIONARY, "stationary") {
        let mut stream = Stream::new(&tool, seed, traffic);
        let mut watch = Watch::new();
        let mut told = Vec::new();
        for number in 0..LENGTH {
            told.extend(watch.show(&stream.next(None)).into_iter().map(|told| (number, told)));
        }
        if options.details && !told.is_empty() {
            println!("{}", about(seed, &tool));
            told.iter()
                .take(6)
                .for_each(|(number, (path, change))| println!("    {number}: {path} {change}"));
        }
        costs.push((watch.spent, watch.bytes, LENGTH));
        tally.add(!told.is_empty());
    }
    tally
}

/// Whether changes were found within so many observations, and within so many of different things.
fn changed(options: &Options, traffic: Traffic, effect: Effect, before: usize) -> [Tally; 2] {
    let mut tallies = [Tally::default(), Tally::default()];
    for (seed, tool) in seeded(options, CHANGED, &format!("{effect:?}{before}")) {
        let mut random = Random::new(seed, "target");
        let targets = tool.targets();
        if targets.is_empty() {
            continue;
        }
        let (target, path) = random.pick(&targets).clone();
        let change = Change { effect, target };
        let mut stream = Stream::new(&tool, seed, traffic);
        let mut watch = Watch::new();
        for _ in 0..before {
            watch.show(&stream.next(None));
        }
        let place = if effect == Effect::Added { "added_later" } else { &path };
        let is_it = |told: &str| told.starts_with(&path) || told.ends_with(place);
        let (mut observations, mut things, mut found) = (0, 0, None);
        while found.is_none() && things < WITHIN {
            let call = stream.next(Some(&change));
            observations += 1;
            things += usize::from(!call.repeats);
            let told = watch.show(&call);
            found = told.iter().any(|(told, _)| is_it(told)).then_some(observations);
        }
        if options.details && found.is_none() {
            println!("missed {effect:?} {path} after {before}, {traffic:?}, {}", about(seed, &tool));
        }
        tallies[0].add(found.is_some_and(|observations| observations <= WITHIN));
        tallies[1].add(found.is_some());
    }
    tallies
}

/// The tools of [`crate::simple`]. Whether the bars were passed.
fn simple(options: &Options) -> bool {
    let seeds: Vec<u64> = options
        .seeds
        .iter()
        .flat_map(|seed| (0..SIMPLE).map(move |number| seed * 1_000_003 + number))
        .collect();
    println!(
        "\n| simple tools: found within {WITHIN} | {} |",
        ASKS.map(|asks| format!("asks: {asks:?}")).join(" | ")
    );
    println!("|---|{}", "---|".repeat(ASKS.len()));
    let mut all = Tally::default();
    for returns in RETURNS {
        for before in SIMPLE_BEFORE {
            let cells = ASKS.map(|asks| {
                let mut tally = Tally::default();
                let mut took = Vec::new();
                for (seed, becomes) in seeds.iter().flat_map(|seed| BECOMES.map(|becomes| (*seed, becomes))) {
                    let mut tool = Simple::new(seed, asks);
                    let mut watch = Watch::new();
                    let early = (0..before).any(|_| !watch.show(&tool.next(returns, None)).is_empty());
                    let found =
                        (1..=WITHIN).find(|_| !watch.show(&tool.next(returns, Some(becomes))).is_empty());
                    let hit = found.is_some() && !early;
                    if options.details && !hit {
                        println!("missed {becomes:?}: {returns:?}, {asks:?}, after {before}; early {early}");
                    }
                    tally.add(hit);
                    all.add(hit);
                    took.extend(found);
                }
                took.sort_unstable();
                let median = took.get(took.len() / 2).copied().unwrap_or(0);
                format!("{:.0} % ({median})", 100.0 * tally.share())
            });
            println!("| {returns:?}, after {before} | {} |", cells.join(" | "));
        }
    }
    println!(
        "\nTogether: {:.1} % of {}; in brackets how many it took, the median.",
        100.0 * all.share(),
        all.of
    );
    println!(
        "\n| simple tools that do not change: with a false alarm | {} |",
        ASKS.map(|asks| format!("{asks:?}")).join(" | ")
    );
    println!("|---|{}", "---|".repeat(ASKS.len()));
    let mut alarms = Tally::default();
    for manner in MANNERS {
        let cells = ASKS.map(|asks| {
            let mut tally = Tally::default();
            for seed in &seeds {
                let mut tool = Simple::new(*seed, asks);
                let mut watch = Watch::new();
                let told: Vec<_> = (0..LENGTH).flat_map(|_| watch.show(&tool.mannered(manner))).collect();
                tally.add(!told.is_empty());
                alarms.add(!told.is_empty());
                if options.details && !told.is_empty() {
                    println!("    {manner:?} {asks:?}: {told:?}");
                }
            }
            format!("{:.0} %", 100.0 * tally.share())
        });
        println!("| {manner:?} | {} |", cells.join(" | "));
    }
    println!("\nTogether: {:.2} % of {}.", 100.0 * alarms.share(), alarms.of);
    all.share() >= FOUND && alarms.share() <= FALSE_ALARMS
}

fn about(seed: u64, tool: &Tool) -> String {
    let identity = match tool.identity {
        world::Identity::None => "no id".to_owned(),
        world::Identity::Unique => "unique ids".to_owned(),
        world::Identity::Pool(size) => format!("{size} ids"),
    };
    let Tool { classes, prefixed, job, weekly, variants, .. } = tool;
    format!(
        "  {seed}: {classes} classes, {identity}, prefixed {prefixed}, job {job}, weekly {weekly}, {} variants",
        variants.len()
    )
}

//! How accurate learned schemas are, by number of observations: ours against GenSON, and GenSON closed.
//!
//! A schema learned from some observations judges held-out valid instances and as many damaged ones. Precision is the
//! valid share of what it accepts. Recall is the accepted share of what is valid.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod curve;
mod damage;
mod formats;
mod generate;
mod instances;
mod judge;
mod learners;
mod mutate;
mod places;
mod random_schemas;
mod report;
mod score;
mod swap;
mod webhooks;
mod wide;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_benches::start::start;

use crate::curve::{Curves, Point};
use crate::generate::CLASSES;
use crate::learners::Learners;

const USAGE: &str = "\
cargo xtask bench accuracy

      --seed S      seed of the generated schemas [default: 1, for development]
      --final       the seeds that published numbers come from (1001 to 1005), for nothing else
      --only CLASS  one class
      --formats     real documents of public formats instead: those that thresholds are chosen on, and with
                    --final those set aside
      --wide        documents with 5,000 to 50,000 paths instead: records, telemetry, settings, lock files, maps
      --details     also precision and recall, and which damage passed";

/// What was asked for.
struct Options {
    seeds: Vec<u64>,
    only: Option<String>,
    details: bool,
    formats: bool,
    set_aside: bool,
    wide: bool,
}

/// One piece of work.
enum Task<'a> {
    Random(random_schemas::Task),
    Webhook(&'a webhooks::Task, usize),
    Format(&'a formats::Format, usize),
}

fn main() -> ExitCode {
    start(USAGE, options, |options| run(&options))
}

fn options(args: &[&str]) -> Option<Options> {
    let mut options =
        Options { seeds: vec![1], only: None, details: false, formats: false, set_aside: false, wide: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--seed" => options.seeds = vec![args.next()?.parse().ok()?],
            "--final" => (options.seeds, options.set_aside) = ((1001..=1005).collect(), true),
            "--formats" => options.formats = true,
            "--wide" => options.wide = true,
            "--only" => options.only = Some((*args.next()?).to_owned()),
            "--details" => options.details = true,
            _ => return None,
        }
    }
    Some(options)
}

/// Measures and prints. Whether the bars are passed.
fn run(options: &Options) -> Result<bool> {
    if options.formats || options.wide {
        let formats = if options.wide {
            wide::formats(options.seeds.first().copied().unwrap_or(1))?
        } else {
            formats::formats(options.set_aside)?
        };
        let tasks: Vec<Task> =
            formats::tasks(&formats).map(|(format, turn)| Task::Format(format, turn)).collect();
        let curves = all(&tasks)?;
        let of = if options.wide { "wide documents" } else { "documents of public formats" };
        println!("# Accuracy on {of}");
        formats::print(&formats, &curves, options.details);
        return Ok(true);
    }
    let wanted = |class: &str| options.only.as_deref().is_none_or(|only| only == class);
    let webhooks = if wanted("github") {
        webhooks::tasks(schemascope_benches::github::events().context("GitHub's examples are missing")?)?
    } else {
        Vec::new()
    };
    let mut tasks = Vec::new();
    for seed in &options.seeds {
        for class in (0..CLASSES.len()).filter(|class| wanted(CLASSES[*class].0)) {
            let numbers = 0..random_schemas::SCHEMAS;
            tasks.extend(
                numbers.map(|number| Task::Random(random_schemas::Task { class, seed: *seed, number })),
            );
        }
    }
    for task in &webhooks {
        tasks.extend((0..task.examples.len()).map(|held_out| Task::Webhook(task, held_out)));
    }
    if tasks.is_empty() {
        bail!("there is no such class");
    }
    println!(
        "# Accuracy\n\n{} generated schemas (seeds {:?}), {} GitHub events with {} payloads ({} left out: their published schema rejects them)",
        tasks.iter().filter(|task| matches!(task, Task::Random(_))).count(),
        options.seeds,
        webhooks.len(),
        webhooks.iter().map(|task| task.examples.len()).sum::<usize>(),
        webhooks.iter().map(|task| task.left_out).sum::<usize>(),
    );
    let curves = all(&tasks)?;
    report::print(&curves, options.details);
    let counts = webhooks.iter().map(|task| task.examples.len() - 1);
    if let (Some(least), Some(most)) = (counts.clone().min(), counts.max()) {
        println!("Its last column is all payloads of an event but one: {least} to {most}.");
    }
    Ok(report::bars(&curves))
}

/// Does all tasks, on every core.
fn all(tasks: &[Task]) -> Result<Curves> {
    let bar = ProgressBar::new(tasks.len() as u64).with_style(ProgressStyle::with_template(
        "{elapsed:>4} {wide_bar} {pos} of {len} schemas learned, {eta} left",
    )?);
    let next = AtomicUsize::new(0);
    let curves = Mutex::new(Curves::default());
    let work = || -> Result<()> {
        let mut learners = Learners::start()?;
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let points: Vec<Point> = match task {
                Task::Random(task) => random_schemas::run(*task, &mut learners)?,
                Task::Format(format, turn) => formats::run(format, *turn, &mut learners)?,
                Task::Webhook(task, held_out) => webhooks::run(task, *held_out, &mut learners)?,
            };
            let mut curves = curves.lock().map_err(|_| anyhow::anyhow!("another thread failed"))?;
            points.iter().for_each(|point| curves.add(point));
            bar.inc(1);
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a thread failed"))?)
    })?;
    bar.finish_and_clear();
    curves.into_inner().map_err(|_| anyhow::anyhow!("a thread failed"))
}

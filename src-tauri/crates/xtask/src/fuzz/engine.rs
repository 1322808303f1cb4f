//! Runs a fuzz target: its processes, their limits, and what they print meanwhile.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::build::Built;

/// What no input may exceed: seconds, and megabytes in all.
pub const LIMITS: &[&str] = &["-timeout=20", "-rss_limit_mb=1024"];
/// Bytes an input has at most.
const LONGEST: &str = "-max_len=30000";
/// Inputs written by hand stay, and it counts what code is reached, not how often: with that nearly every input is
/// new, and none is tried for long.
const GUIDANCE: &[&str] = &["-keep_seed=1", "-use_counters=0"];
/// Time between two progress lines.
const EVERY: Duration = Duration::from_secs(10);
/// Lines kept of what a program said last.
const LAST: usize = 40;

/// How a run ended.
pub struct Run {
    pub tally: Tally,
    /// The input of a finding.
    pub artifact: Option<PathBuf>,
}

/// What was tried.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    time: Duration,
    inputs: u64,
    documents: u64,
    refused: u64,
    branches: u64,
    kept: u64,
}

impl Tally {
    /// Adds another target's counts.
    pub fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.inputs += other.inputs;
        self.documents += other.documents;
        self.refused += other.refused;
        self.branches += other.branches;
        self.kept += other.kept;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "{seconds:.0} s, {} rounds ({:.0}/s) with {} documents, {} refused; {} branches by {} inputs",
            self.inputs,
            self.inputs as f64 / seconds.max(1e-3),
            self.documents,
            self.refused,
            self.branches,
            self.kept
        )
    }
}

/// A job, and what it said; none once it has ended.
type Said = (usize, Option<String>);

/// Runs a target for a time, or until something is found.
pub fn run(built: &Built, target: &str, time: Duration, jobs: u32, seed: u32, fresh: bool) -> Result<Run> {
    let corpus = built.corpus(target, fresh)?;
    let (sender, said) = sync_channel(1_000);
    let mut children = Vec::new();
    for job in 0..jobs {
        // Jobs share the folder, and take from it what the others put there.
        let mut fuzz = Command::new(built.program(target));
        fuzz.args(LIMITS)
            .args(GUIDANCE)
            .args([
                &format!("-seed={}", seed.wrapping_add(job)),
                &format!("-max_total_time={}", time.as_secs()),
            ])
            .args([LONGEST, &format!("-dict={}", built.dictionary(target).display())])
            .arg(format!("-artifact_prefix={}/{target}-", built.findings()?.display()))
            .args([&corpus, &built.seeds(target)]);
        let mut child = fuzz.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        listen(children.len(), &mut child, sender.clone())?;
        children.push(child);
    }
    drop(sender);
    let now = Instant::now();
    let mut watch = Watch {
        target,
        time,
        began: now,
        told: now,
        jobs: vec![Tally::default(); children.len()],
        last: VecDeque::new(),
        artifact: None,
    };
    let mut failed = false;
    for (job, line) in said {
        if let Some(line) = line {
            watch.takes(job, line);
        } else if !children[job].wait()?.success() && !failed {
            failed = true;
            // The others would go on for nothing. One that has ended cannot be stopped.
            children.iter_mut().for_each(|child| drop(child.kill()));
        }
    }
    let tally = watch.tally();
    match (failed, watch.artifact) {
        (true, None) => bail!("{target} ended:\n{}", Vec::from(watch.last).join("\n")),
        (_, artifact) => Ok(Run { tally, artifact }),
    }
}

/// Sends what a program says, and that it ended.
fn listen(job: usize, child: &mut Child, said: SyncSender<Said>) -> Result<()> {
    let stderr = BufReader::new(child.stderr.take().context("stderr was asked for")?);
    thread::spawn(move || {
        let lines = stderr.split(b'\n').map_while(Result::ok);
        let lines = lines.map(|line| Some(String::from_utf8_lossy(&line).into_owned()));
        // Nobody listens any more where sending fails.
        let _ = lines.chain([None]).try_for_each(|line| said.send((job, line)));
    });
    Ok(())
}

/// What is known of the jobs while they run.
struct Watch<'t> {
    target: &'t str,
    time: Duration,
    began: Instant,
    told: Instant,
    jobs: Vec<Tally>,
    last: VecDeque<String>,
    artifact: Option<PathBuf>,
}

impl Watch<'_> {
    /// Takes a line that a job said, and tells now and then how far all are.
    fn takes(&mut self, job: usize, line: String) {
        let tally = &mut self.jobs[job];
        if let Some(counts) = line.strip_prefix("counts: ") {
            let mut counts = counts.split(' ').map_while(|count| count.parse().ok());
            (tally.documents, tally.refused) =
                (counts.next().unwrap_or_default(), counts.next().unwrap_or_default());
        } else if let Some(inputs) = line.strip_prefix('#') {
            let after = |word: &str| {
                let mut words = line.split_whitespace().skip_while(|found| *found != word);
                let count = words.nth(1)?.split('/').next()?;
                count.parse().ok()
            };
            let inputs = inputs.split_whitespace().next().and_then(|count| count.parse().ok());
            tally.inputs = inputs.unwrap_or(tally.inputs);
            tally.branches = after("cov:").unwrap_or(tally.branches);
            tally.kept = after("corp:").unwrap_or(tally.kept);
        } else {
            if let (None, Some((_, path))) = (&self.artifact, line.split_once("Test unit written to ")) {
                self.artifact = Some(path.into());
            }
            self.last.push_back(line);
            if self.last.len() > LAST {
                self.last.pop_front();
            }
        }
        if self.told.elapsed() > EVERY {
            self.told = Instant::now();
            println!("   {} of {} s: {}", self.target, self.time.as_secs(), self.tally());
        }
    }

    fn tally(&self) -> Tally {
        let mut all = Tally { time: self.began.elapsed(), ..Tally::default() };
        for job in &self.jobs {
            all.inputs += job.inputs;
            all.documents += job.documents;
            all.refused += job.refused;
            // They reach much the same.
            all.branches = all.branches.max(job.branches);
            all.kept = all.kept.max(job.kept);
        }
        all
    }
}

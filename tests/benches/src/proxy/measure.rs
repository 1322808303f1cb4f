//! The measurements, their order, and their medians.
//!
//! Contestants take turns at everything, round by round, so that other load on the machine affects all of them alike.

use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::contestants::{CALLERS, Contestant, ROLES, Role};
use crate::load::{self, Outcome, Pace};
use crate::payload;
use crate::process::{self, Memory};
use crate::recorder;

/// Calls a second where the rate is fixed.
pub const RATE: u32 = 300;
/// Parts in which memory is looked at.
const PARTS: u64 = 10;

/// How long everything takes.
#[derive(Debug)]
pub struct Sizes {
    /// Rounds that the medians are of.
    pub rounds: usize,
    /// All callers, before anything counts: some compile their code while it runs.
    pub warm: Duration,
    /// One caller.
    pub alone: Duration,
    /// All callers.
    pub together: Duration,
    /// At a fixed rate.
    pub paced: Duration,
    /// All callers, while everything is recorded.
    pub long: Duration,
    /// Calls after which memory must be what it was.
    pub calls: u64,
}

impl Sizes {
    /// What published numbers come from.
    pub const FULL: Self = Self {
        rounds: 5,
        warm: Duration::from_secs(5),
        alone: Duration::from_secs(1),
        together: Duration::from_secs(2),
        paced: Duration::from_secs(4),
        long: Duration::from_secs(60),
        calls: 100_000,
    };
    /// What lasts, nothing else: figures to work by.
    pub const LONG: Self = Self { rounds: 0, long: Duration::from_secs(20), ..Self::FULL };
    /// Enough to see where one stands.
    pub const QUICK: Self = Self {
        rounds: 3,
        warm: Duration::from_secs(2),
        alone: Duration::from_millis(200),
        together: Duration::from_millis(400),
        paced: Duration::from_millis(800),
        long: Duration::from_secs(5),
        calls: 10_000,
    };
}

/// How calls were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Alone,
    Together,
    Paced,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Alone, Self::Together, Self::Paced];

    /// Whether calls of this contestant are measured so. At a fixed rate, peers are not.
    fn is_of(self, role: Role) -> bool {
        self != Self::Paced || !role.is_peer()
    }
}

/// One contestant with one payload in one round.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    kind: Kind,
    role: Role,
    payload: usize,
    /// Seconds.
    pub p50: f64,
    /// Seconds.
    pub p99: f64,
    /// Calls a second.
    pub rate: f64,
    /// Seconds of processor time a call, of the contestant's own process and with what it does about the
    /// call later; not a number where that is not known.
    pub cpu: f64,
}

/// All callers for long, while everything is recorded.
#[derive(Debug)]
pub struct Long {
    pub payload: usize,
    pub sent: u64,
    pub recorded: u64,
    pub inferred: u64,
    pub lost: u64,
    pub rate: f64,
    /// From the last answer until all was journaled.
    pub lag: Duration,
    pub memory: Option<Memory>,
}

/// Many calls, and what was resident after each tenth of them.
#[derive(Debug)]
pub struct Steady {
    pub role: Role,
    pub memory: Vec<Memory>,
}

/// Everything.
#[derive(Debug, Default)]
pub struct Measured {
    samples: Vec<Sample>,
    pub long: Vec<Long>,
    pub steady: Vec<Steady>,
    /// Who took part, and whether results came byte for byte as the upstream sends them.
    pub present: Vec<(Role, bool)>,
    /// Bytes of each payload's result.
    pub bytes: Vec<usize>,
    /// What went wrong, with whom.
    pub errors: Vec<String>,
}

impl Measured {
    /// The median over the rounds.
    pub fn median(&self, kind: Kind, role: Role, payload: usize, of: fn(&Sample) -> f64) -> Option<f64> {
        let same = |sample: &&Sample| (sample.kind, sample.role, sample.payload) == (kind, role, payload);
        let mut values: Vec<f64> = self.samples.iter().filter(same).map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    }

    fn note(&mut self, role: Role, outcome: &Outcome) {
        if let Some(error) = &outcome.error {
            self.errors.push(format!("{}, {} calls: {error}", role.name(), outcome.errors));
        }
    }
}

/// Measures everything.
pub fn all(sizes: &Sizes) -> Result<Measured> {
    let mut measured = Measured::default();
    let runs: usize =
        ROLES.into_iter().map(|role| Kind::ALL.iter().filter(|kind| kind.is_of(role)).count()).sum();
    let roles = if sizes.rounds == 0 { &ROLES[..1] } else { &ROLES[..] };
    let total = runs * payload::ALL.len() * sizes.rounds + 2 * roles.len() + payload::ALL.len() + 2;
    let style = ProgressStyle::with_template("{elapsed:>4} {wide_bar} {pos} of {len}: {msg}")?;
    let bar = ProgressBar::new(total as u64).with_style(style);
    let mut contestants = start(&mut measured, roles, &bar)?;
    // Peers collect garbage for many seconds after they were called, so at first they are not.
    warm_up(&mut measured, sizes, &mut contestants, |role| !role.is_peer(), &bar)?;
    rounds(&mut measured, sizes, &mut contestants, &[Kind::Paced], &bar)?;
    warm_up(&mut measured, sizes, &mut contestants, Role::is_peer, &bar)?;
    rounds(&mut measured, sizes, &mut contestants, &[Kind::Alone, Kind::Together], &bar)?;
    drop(contestants.drain(1..));
    let truth = contestants.pop().context("the upstream itself takes part")?;
    for payload in 0..payload::ALL.len() {
        bar.set_message(format!("{}, recorded", payload::ALL[payload].name));
        long(&mut measured, sizes, &truth, payload)?;
        bar.inc(1);
    }
    for role in [Role::Off, Role::On] {
        bar.set_message(format!("{} calls, {}", sizes.calls, role.name()));
        steady(&mut measured, sizes, &truth, role)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(measured)
}

/// Calls those chosen until all their code is compiled.
fn warm_up(
    measured: &mut Measured,
    sizes: &Sizes,
    contestants: &mut [Contestant],
    is_chosen: fn(Role) -> bool,
    bar: &ProgressBar,
) -> Result<()> {
    for contestant in contestants.iter_mut().filter(|one| is_chosen(one.role)) {
        bar.set_message(format!("warming up {}", contestant.role.name()));
        let outcome = load::run(contestant, CALLERS, &every_payload(), Pace::For(sizes.warm))?;
        measured.note(contestant.role, &outcome);
        settle(contestant)?;
        bar.inc(1);
    }
    Ok(())
}

fn rounds(
    measured: &mut Measured,
    sizes: &Sizes,
    contestants: &mut [Contestant],
    kinds: &[Kind],
    bar: &ProgressBar,
) -> Result<()> {
    for _ in 0..sizes.rounds {
        for (payload, kind) in
            (0..payload::ALL.len()).flat_map(|at| kinds.iter().map(move |kind| (at, *kind)))
        {
            for contestant in contestants.iter_mut().filter(|one| kind.is_of(one.role)) {
                bar.set_message(format!("{}, {}", payload::ALL[payload].name, contestant.role.name()));
                sample(measured, sizes, contestant, kind, payload)?;
                bar.inc(1);
            }
        }
    }
    Ok(())
}

/// Starts all that are there; the first is the upstream itself.
fn start(measured: &mut Measured, roles: &[Role], bar: &ProgressBar) -> Result<Vec<Contestant>> {
    let mut contestants: Vec<Contestant> = Vec::new();
    for &role in roles {
        bar.set_message(format!("starting {}", role.name()));
        let truth = contestants.first().map(|first| first.expected.clone());
        match Contestant::start(role, truth.as_deref()) {
            Ok(Some(contestant)) => {
                let truth = truth.as_ref().unwrap_or(&contestant.expected);
                measured.present.push((role, contestant.expected.has_the_bytes_of(truth)));
                contestants.push(contestant);
            }
            Ok(None) => {}
            // Without the others there is still something to see.
            Err(error) if role.is_peer() => measured.errors.push(format!("{}: {error:#}", role.name())),
            Err(error) => return Err(error),
        }
        bar.inc(1);
    }
    let truth = contestants.first().context("the upstream itself takes part")?;
    measured.bytes = every_payload().into_iter().map(|at| truth.expected.bytes(at)).collect();
    Ok(contestants)
}

fn sample(
    measured: &mut Measured,
    sizes: &Sizes,
    contestant: &mut Contestant,
    kind: Kind,
    payload: usize,
) -> Result<()> {
    let (callers, pace) = match kind {
        Kind::Alone => (1, Pace::For(sizes.alone)),
        Kind::Together => (CALLERS, Pace::For(sizes.together)),
        Kind::Paced => (CALLERS, Pace::Rate(RATE, sizes.paced)),
    };
    let role = contestant.role;
    let before = process::cpu(contestant.pid());
    let outcome = load::run(contestant, callers, &[payload], pace)?;
    settle(contestant)?;
    let cpu = process::cpu(contestant.pid()).zip(before).map(|(after, before)| after.saturating_sub(before));
    measured.samples.push(Sample {
        kind,
        role,
        payload,
        p50: outcome.quantile(0.5).as_secs_f64(),
        p99: outcome.quantile(0.99).as_secs_f64(),
        rate: outcome.rate(),
        cpu: cpu.map_or(f64::NAN, |cpu| cpu.as_secs_f64() / outcome.sent as f64),
    });
    measured.note(role, &outcome);
    Ok(())
}

/// What it still has to write must not count for who comes next.
fn settle(contestant: &Contestant) -> Result<()> {
    if contestant.role.records() {
        recorder::at_rest(contestant.target())?;
    }
    Ok(())
}

fn every_payload() -> Vec<usize> {
    (0..payload::ALL.len()).collect()
}

fn long(measured: &mut Measured, sizes: &Sizes, truth: &Contestant, payload: usize) -> Result<()> {
    let Some(mut contestant) = Contestant::start(Role::On, Some(&truth.expected))? else { return Ok(()) };
    let (before, _) = recorder::at_rest(contestant.target())?;
    let outcome = load::run(&mut contestant, CALLERS, &[payload], Pace::For(sizes.long))?;
    let (after, lag) = recorder::at_rest(contestant.target())?;
    measured.long.push(Long {
        payload,
        sent: outcome.sent,
        recorded: after.recorded - before.recorded,
        inferred: after.inferred - before.inferred,
        lost: after.lost,
        rate: outcome.rate(),
        lag,
        memory: process::memory(contestant.pid()),
    });
    measured.note(Role::On, &outcome);
    Ok(())
}

fn steady(measured: &mut Measured, sizes: &Sizes, truth: &Contestant, role: Role) -> Result<()> {
    let Some(mut contestant) = Contestant::start(role, Some(&truth.expected))? else { return Ok(()) };
    let mut memory = Vec::new();
    for _ in 0..PARTS {
        let pace = Pace::Calls(sizes.calls / PARTS);
        let outcome = load::run(&mut contestant, CALLERS, &every_payload(), pace)?;
        measured.note(role, &outcome);
        settle(&contestant)?;
        memory.extend(process::memory(contestant.pid()));
    }
    measured.steady.push(Steady { role, memory });
    Ok(())
}

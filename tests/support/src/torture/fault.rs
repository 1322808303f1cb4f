//! The faults, and what may be lost by each: nothing, except the record that damage hits. [`World::check`] checks the
//! rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::world::{DECIDED, World, copy, no_panic};
use super::{Random, deed, disk};
use crate::program::Program;

/// Commands that have the store to themselves.
const WORKS: &[&str] = &["rebuild", "compact", "redact", "verify", "tools"];

/// A fault of the program or its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Killed while clients call.
    KillServing,
    /// Killed while the store is opened, several times.
    KillOpening,
    /// Killed while it rebuilds, compacts, redacts or verifies.
    KillWorking,
    /// Killed while decisions are taken and clients call.
    KillDeciding,
    /// The clock is set back while the program is stopped.
    ClockBack,
    /// Stopped while clients call.
    Stop,
    /// The end of a file of the journal or the audit log is missing.
    TornTail,
    /// A bit is flipped in a file of the journal.
    FlippedJournal,
    /// The same in the audit log.
    FlippedDecisions,
    /// The same in the index.
    FlippedIndex,
    /// The disk is full for a while.
    FullDisk,
    /// Files cannot grow any more.
    SmallFiles,
    /// Nothing can be written.
    ReadOnly,
    /// Several processes open the same data.
    SeveralProcesses,
}

/// Whether a fault is possible on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Done,
    /// It is not possible, with the reason.
    NotHere(String),
}

impl Fault {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::KillServing,
        Self::KillOpening,
        Self::KillWorking,
        Self::KillDeciding,
        Self::ClockBack,
        Self::Stop,
        Self::TornTail,
        Self::FlippedJournal,
        Self::FlippedDecisions,
        Self::FlippedIndex,
        Self::FullDisk,
        Self::SmallFiles,
        Self::ReadOnly,
        Self::SeveralProcesses,
    ];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::KillServing => "a kill while serving",
            Self::KillOpening => "kills while opening",
            Self::KillWorking => "a kill during maintenance",
            Self::KillDeciding => "a kill while deciding",
            Self::ClockBack => "a clock that goes back",
            Self::Stop => "an end while serving",
            Self::TornTail => "a torn tail",
            Self::FlippedJournal => "a bit flipped in the journal",
            Self::FlippedDecisions => "a bit flipped in the audit log",
            Self::FlippedIndex => "a bit flipped in the index",
            Self::FullDisk => "a full disk",
            Self::SmallFiles => "files that cannot grow",
            Self::ReadOnly => "a folder that is read only",
            Self::SeveralProcesses => "several processes",
        }
    }

    /// Causes the fault. An error is a finding.
    pub fn strike(self, world: &mut World, random: &mut Random) -> Result<Outcome> {
        match self {
            Self::KillServing => serving(world, random, Ending::Kill)?,
            Self::Stop => serving(world, random, Ending::Stop)?,
            Self::KillOpening => opening(world, random)?,
            Self::KillWorking => working(world, random)?,
            Self::KillDeciding => deciding(world, random)?,
            Self::TornTail => torn(world, random)?,
            Self::FlippedJournal => flipped(world, random, "journal")?,
            Self::FlippedDecisions => flipped(world, random, "decisions")?,
            Self::FlippedIndex => flipped(world, random, "index")?,
            Self::SeveralProcesses => several(world, random)?,
            Self::ClockBack => return clock_back(world, random),
            Self::FullDisk => return disk::full(world, random),
            Self::SmallFiles => disk::small_files(world, random)?,
            Self::ReadOnly => return disk::read_only(world),
        }
        Ok(Outcome::Done)
    }
}

#[derive(Clone, Copy)]
enum Ending {
    Kill,
    Stop,
}

fn serving(world: &mut World, random: &mut Random, ending: Ending) -> Result<()> {
    let serve = world.serve()?;
    let pid = serve.pid().to_string();
    let wait = random.milliseconds(800);
    let signal = if matches!(ending, Ending::Kill) { "KILL" } else { "TERM" };
    let answered = std::thread::scope(|scope| {
        let calling = scope.spawn(|| world.call(&serve, 100_000));
        std::thread::sleep(wait);
        let _ = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        calling.join().unwrap_or_default()
    });
    world.calls.extend(answered);
    match ending {
        Ending::Kill => serve.kill(),
        Ending::Stop => serve.wait(),
    }
}

fn opening(world: &mut World, random: &mut Random) -> Result<()> {
    for _ in 0..3 {
        let mut child = quiet(world.program.command(&["serve", "--listen", "127.0.0.1:0"]))?;
        std::thread::sleep(random.milliseconds(250));
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

fn working(world: &mut World, random: &mut Random) -> Result<()> {
    let work = WORKS[random.below(WORKS.len() as u64) as usize];
    let mut child = quiet(world.program.command(&[work]))?;
    std::thread::sleep(random.milliseconds(400));
    child.kill()?;
    child.wait()?;
    world.check_without_rebuild().with_context(|| work)
}

fn quiet(mut command: std::process::Command) -> Result<Child> {
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

fn deciding(world: &mut World, random: &mut Random) -> Result<()> {
    let serve = world.serve()?;
    let pid = serve.pid().to_string();
    let wait = Duration::from_millis(20) + random.milliseconds(600);
    let mut deciders = [random.clone(), Random::new(random.below(u64::MAX), 1)];
    let (calls, decisions) = std::thread::scope(|scope| {
        let serve = &serve;
        let calling = scope.spawn(|| world.call(serve, 100_000));
        let deciding: Vec<_> =
            deciders.iter_mut().map(|random| scope.spawn(move || deed::decisions(serve, random))).collect();
        std::thread::sleep(wait);
        let _ = std::process::Command::new("kill").args(["-s", "KILL", &pid]).status();
        let decisions: Vec<String> =
            deciding.into_iter().flat_map(|deciding| deciding.join().unwrap_or_default()).collect();
        (calling.join().unwrap_or_default(), decisions)
    });
    world.calls.extend(calls);
    world.decisions.extend(decisions);
    serve.kill()?;
    written(world)
}

/// The next start brings the file of overrides in line with the decisions, wherever it was killed in between.
fn written(world: &World) -> Result<()> {
    let serve = world.serve()?;
    let overrides = world.program.json(&["overrides", "show"])?;
    ensure!(
        overrides["problems"].as_array().is_none_or(Vec::is_empty),
        "of the file of overrides: {overrides}"
    );
    let (server, tool) = DECIDED.split_once("__").context("a server and a tool")?;
    let text = fs::read_to_string(world.program.data_dir().join("tool_overrides.json")).unwrap_or_default();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let said = &file["servers"][server]["tools"][tool]["outputSchema"];
    let (version, _) = world.in_force()?;
    let held = match version {
        Some(version) => {
            let schema = world.done(&["schema", DECIDED, "--version", &version.to_string()])?;
            serde_json::from_str(&schema.out)?
        }
        None => serde_json::Value::Null,
    };
    ensure!(*said == held, "the file of overrides says {said}, but version {version:?} is in effect: {held}");
    serve.kill()
}

/// What libfaketime is called, which Debian's package of that name brings.
const FAKETIME: &str = "libfaketime.so.1";
/// Where it may be.
const FAKETIME_IN: &[&str] =
    &["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// Works as it did, some days ago: what comes later is later in every list all the same.
fn clock_back(world: &mut World, random: &mut Random) -> Result<Outcome> {
    let places = FAKETIME_IN.iter().map(|folder| Path::new(folder).join("faketime").join(FAKETIME));
    let Some(library) = places.into_iter().find(|path| path.exists()) else {
        return Ok(Outcome::NotHere(format!("there is no {FAKETIME}")));
    };
    let now = world.program.clone();
    let back = format!("-{}h", 1 + random.below(100));
    world.program = now.clone().with_env("LD_PRELOAD", library).with_env("FAKETIME", back);
    let done = world.work(random).and_then(|()| world.check_without_rebuild());
    world.program = now;
    done?;
    world.work(random)?;
    Ok(Outcome::Done)
}

/// Cuts a file's end off a copy: what is there is what was there before, but for what was cut.
fn torn(world: &mut World, random: &mut Random) -> Result<()> {
    let (copied, dir) = copied(world)?;
    let folder = if random.below(3) == 0 { "decisions" } else { "journal" };
    let file = files(&dir.join(folder))?.pop().context("there is no file to tear")?;
    let length = file.metadata()?.len();
    let cut = 1 + random.below(length.min(2_000));
    let tearing = fs::OpenOptions::new().write(true).open(&file)?;
    tearing.set_len(length.saturating_sub(cut))?;
    let what = format!("{cut} bytes cut off {folder}");
    let run = copied.run(&["report", "--json"])?;
    no_panic(&run.err)?;
    ensure!(run.code == Some(0), "{what}: {run:?}");
    let lost = (world.missing_calls(&copied)?.len(), world.missing_decisions(&copied)?.len());
    let most = if folder == "journal" { (cut as usize / 50 + 64, 0) } else { (0, cut as usize / 50 + 1) };
    ensure!(lost.0 <= most.0 && lost.1 <= most.1, "{what} cost {lost:?}");
    let verified = copied.run(&["verify", "--json"])?;
    let refused = folder == "decisions" && verified.out.contains("\"refused\"");
    ensure!(verified.code == Some(0) || refused, "{what}: {verified:?}");
    Ok(fs::remove_dir_all(dir)?)
}

/// Flips a bit in a copy: at most one record is lost, and its loss is reported; in the index nothing is lost.
fn flipped(world: &mut World, random: &mut Random, folder: &str) -> Result<()> {
    let (copied, dir) = copied(world)?;
    let files = files(&dir.join(folder))?;
    let file = &files[random.below(files.len() as u64) as usize];
    let mut bytes = fs::read(file)?;
    let at = random.below(bytes.len() as u64) as usize;
    let Some(byte) = bytes.get_mut(at) else { return Ok(fs::remove_dir_all(dir)?) };
    *byte ^= 1 << random.below(8);
    fs::write(file, bytes)?;
    let name = file.strip_prefix(&dir).unwrap_or(file).display().to_string();
    let what = format!("a bit flipped in {name} at {at}");
    let verified = copied.run(&["verify", "--json"])?;
    no_panic(&verified.err).with_context(|| what.clone())?;
    let first = copied.run(&["report", "--json"])?;
    no_panic(&first.err).with_context(|| what.clone())?;
    if first.code != Some(0) {
        // The format of a file may look like that of a later program: then it is refused by name.
        ensure!(first.err.contains("format") || first.err.contains("newer"), "{what}: {first:?}");
        ensure!(first.err.contains(folder), "{what}: {first:?}");
        return Ok(fs::remove_dir_all(dir)?);
    }
    // Damage of the index may be met while reading; then the next start repairs it.
    let _ = copied.run(&["calls", "--json"])?;
    let lost = (world.missing_calls(&copied)?.len(), world.missing_decisions(&copied)?.len());
    let rebuilt = copied.run(&["rebuild", "--json"])?;
    ensure!(rebuilt.code == Some(0), "{what}: {rebuilt:?}");
    let lost_later = world.missing_calls(&copied)?.len();
    let most = match folder {
        "journal" => (1, 0),
        "decisions" => (0, 1),
        _ => (0, 0),
    };
    ensure!(
        lost.0 <= most.0 && lost.1 <= most.1 && lost_later <= most.0,
        "{what} cost {lost:?}, {lost_later}"
    );
    if lost.0.max(lost_later) + lost.1 > 0 {
        ensure!(verified.code == Some(1), "{what}: what is lost is not told: {verified:?}");
    }
    Ok(fs::remove_dir_all(dir)?)
}

fn several(world: &mut World, random: &mut Random) -> Result<()> {
    let ready: Vec<_> = std::thread::scope(|scope| {
        let world = &*world;
        let starts: Vec<_> = (0..3).map(|_| scope.spawn(move || world.serve())).collect();
        starts.into_iter().filter_map(|start| start.join().ok()).collect()
    });
    let (mut running, refused): (Vec<_>, Vec<_>) = ready.into_iter().partition(Result::is_ok);
    ensure!(running.len() == 1 && refused.len() == 2, "{} of 3 run", running.len());
    for error in refused.into_iter().filter_map(Result::err) {
        let error = error.to_string();
        ensure!(error.contains("runs on") || error.contains("in use"), "it does not say who runs: {error}");
    }
    let serve = running.pop().context("one runs")??;
    for work in ["verify", "rebuild", "compact", "redact"] {
        let run = world.ran(&[work])?;
        ensure!(run.code == Some(1) && run.err.contains("in use by process"), "{work} beside: {run:?}");
    }
    let asked = 10 + random.below(20);
    let answered = world.call(&serve, asked);
    ensure!(answered.len() as u64 == asked, "{} of {asked} were answered", answered.len());
    world.calls.extend(answered);
    serve.kill()?;
    // Files that a killed process leaves behind do no harm.
    let next = world.serve()?;
    if next.stop()? != Some(0) {
        bail!("it does not end in order");
    }
    Ok(())
}

/// A copy of the data, and the program on it.
fn copied(world: &World) -> Result<(Program, PathBuf)> {
    let dir = world.scratch.join("copy");
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    copy(world.program.data_dir(), &dir)?;
    Ok((world.program.on(&dir), dir))
}

/// All files in a folder and below, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if path.metadata()?.len() > 0 {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

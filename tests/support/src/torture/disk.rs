//! Disks that take no more.
//!
//! A full one is a small file system in memory, one that is read only is mounted so; both need the right to mount
//! (`unshare -rm` gives it). Files that cannot grow need no right. Owns: making and removing them. Refuses to
//! know: what must be true afterwards.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::Random;
use super::fault::Outcome;
use super::world::{World, copy, no_panic};
use crate::program::{Program, Serve};

/// Size of the small disk: what the program leaves free, and room to work.
const DISK_MB: u64 = 200;
/// How long recording may take to stop and to go on.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something mounted, until this is dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// Why it cannot be, where it cannot.
    fn new(at: &'a Path, how: &[&str]) -> Result<std::result::Result<Self, String>> {
        fs::create_dir_all(at)?;
        let done = Command::new("mount").args(how).arg(at).output();
        Ok(match done {
            Ok(output) if output.status.success() => Ok(Self(at)),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(format!("mount: {error}")),
        })
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// A disk that fills up while clients call, and is freed: calls pass all the time, recording stops, says so and
/// goes on, and what it took is there.
pub(super) fn full(world: &mut World, random: &mut Random) -> Result<Outcome> {
    let place = world.scratch.join("disk");
    let mounted = Mounted::new(&place, &["-t", "tmpfs", "-o", &format!("size={DISK_MB}m"), "none"])?;
    let _mounted = match mounted {
        Ok(mounted) => mounted,
        Err(reason) => return Ok(Outcome::NotHere(reason)),
    };
    let data = place.join("data");
    copy(world.program.data_dir(), &data)?;
    let program = world.program.on(&data);
    let serve = program.serve(&[])?;
    ensure!(world.call(&serve, 30).len() == 30, "calls are not answered");
    let filler = place.join("filler");
    fill(&place, &filler, random.below(2) * (90 << 20))?;
    let stopped = || stalled(&program).map(|stalled| !stalled.is_null());
    let calling = || ensure_answered(world, &serve, 10);
    until("recording does not stop", || {
        calling()?;
        stopped()
    })?;
    // To the last byte, whatever is still written meanwhile.
    fill(&place, &filler, 0)?;
    calling()?;
    fs::remove_file(&filler)?;
    until("recording does not go on", || {
        calling()?;
        Ok(!stopped()?)
    })?;
    let log = serve.log()?;
    no_panic(&log)?;
    ensure!(
        log.contains("recording has stopped") && log.contains("recording goes on"),
        "nothing is said: {log}"
    );
    ensure!(serve.stop()? == Some(0), "it does not end in order");
    let verified = program.run(&["verify", "--json"])?;
    // An index that met the full disk is behind until the next start.
    if verified.code != Some(0) {
        program.run(&["report"])?;
        let verified = program.run(&["verify", "--json"])?;
        ensure!(verified.code == Some(0), "{verified:?}");
    }
    let missing = world.missing_calls(&program)?;
    ensure!(missing.is_empty(), "calls are gone: {missing:?}");
    Ok(Outcome::Done)
}

fn ensure_answered(world: &World, serve: &Serve, count: u64) -> Result<()> {
    let answered = world.call(serve, count).len() as u64;
    ensure!(answered == count, "on a full disk {answered} of {count} calls were answered");
    Ok(())
}

/// Takes the disk's room but for what is to be left. What somebody else takes meanwhile cannot be had; so a little
/// less is tried then.
fn fill(disk: &Path, filler: &Path, left: u64) -> Result<()> {
    for less in 0..20 {
        let free = Command::new("df").args(["--output=avail", "-B1"]).arg(disk).output()?;
        let free = String::from_utf8(free.stdout)?;
        let free: u64 = free.lines().nth(1).context("df says nothing")?.trim().parse()?;
        let had = filler.metadata().map_or(0, |meta| meta.len());
        let length = (had + free.saturating_sub(left + (less << 16))).max(1);
        let filled = Command::new("fallocate").args(["-l", &length.to_string()]).arg(filler).output()?;
        if filled.status.success() {
            return Ok(());
        }
    }
    bail!("the disk cannot be filled")
}

fn stalled(program: &Program) -> Result<Value> {
    Ok(program.json(&["report"])?["recorder"]["stalled"].clone())
}

fn until(otherwise: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while !holds()? {
        ensure!(began.elapsed() < PATIENCE, "{otherwise}");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Files that cannot grow beyond some size: what was taken before is there, and with the limit gone all works.
pub(super) fn small_files(world: &mut World, random: &mut Random) -> Result<()> {
    let largest = largest(world.program.data_dir())? / 1024;
    let blocks = largest + 4 + random.below(200);
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let served = world.program.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(limited).arg(served.get_program()).args(served.get_args());
    for (name, value) in served.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let serve = world.program.start(shell)?;
    ensure_answered(world, &serve, 200)?;
    let log = serve.log()?;
    serve.kill()?;
    no_panic(&log)
}

fn largest(folder: &Path) -> Result<u64> {
    let mut largest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let length = if path.is_dir() { self::largest(&path)? } else { path.metadata()?.len() };
        // The ballast is made at open, or not.
        if !path.ends_with("ballast") {
            largest = largest.max(length);
        }
    }
    Ok(largest)
}

/// Data nobody can write to: every command says so, and nothing changes.
pub(super) fn read_only(world: &mut World) -> Result<Outcome> {
    let data = world.program.data_dir().to_owned();
    let bound = data.display().to_string();
    let mounted = match Mounted::new(&data, &["--bind", &bound])? {
        Ok(mounted) => mounted,
        Err(reason) => return Ok(Outcome::NotHere(reason)),
    };
    let remount = Command::new("mount").args(["-o", "remount,ro,bind"]).arg(&data).output()?;
    if !remount.status.success() {
        return Ok(Outcome::NotHere(String::from_utf8_lossy(&remount.stderr).trim().to_owned()));
    }
    for args in
        [&["tools"][..], &["verify"], &["rebuild"], &["redact"], &["serve", "--listen", "127.0.0.1:0"]]
    {
        let run = world.ran(args)?;
        ensure!(run.code == Some(1) && run.err.contains(&bound), "{args:?} on what is read only: {run:?}");
    }
    drop(mounted);
    Ok(Outcome::Done)
}

//! Disks that are full, read-only, or limit the size of files.
//!
//! A full disk is a small file system in memory, and a read-only one is mounted so; both need the right to mount
//! (`unshare -rm` gives it). A limit on file sizes needs no right.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::Random;
use super::fault::Outcome;
use super::world::{World, copy, no_panic};
use crate::program::{Program, Serve};
use crate::wait::try_until;

/// Size of the small disk: what the program leaves free, and room to work.
const DISK_MB: u64 = 200;

/// A mounted file system, until this is dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// Mounts it. Returns the reason where mounting is not allowed.
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

/// A disk that fills up while clients call, and is freed: calls pass all the time, recording stops, reports it and
/// continues, and every recorded call is stored.
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
    try_until("recording stops", || {
        calling()?;
        stopped()
    })?;
    // To the last byte, whatever is still written meanwhile.
    fill(&place, &filler, 0)?;
    calling()?;
    fs::remove_file(&filler)?;
    try_until("recording continues", || {
        calling()?;
        Ok(!stopped()?)
    })?;
    let log = serve.log()?;
    no_panic(&log)?;
    ensure!(
        log.contains("recording has stopped") && log.contains("recording continues"),
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

/// Fills the disk except for what is to be left. Another process may use space meanwhile; then a little less is
/// tried.
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

/// Files that cannot grow beyond some size: earlier calls are stored, and without the limit everything works.
pub(super) fn small_files(world: &mut World, random: &mut Random) -> Result<()> {
    let serve = world.program.serve_with_small_files(4 + random.below(200), &[])?;
    ensure_answered(world, &serve, 200)?;
    let log = serve.log()?;
    serve.kill()?;
    no_panic(&log)
}

/// A read-only data directory: it can be read, every other command reports it, and nothing changes.
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
    for args in [&["tools"][..], &["calls"], &["verify"]] {
        let run = world.ran(args)?;
        ensure!(run.code == Some(0), "{args:?} on what is read only: {run:?}");
    }
    for args in [&["rebuild"][..], &["redact"], &["serve", "--listen", "127.0.0.1:0"]] {
        let run = world.ran(args)?;
        ensure!(run.code == Some(1) && run.err.contains(&bound), "{args:?} on what is read only: {run:?}");
    }
    drop(mounted);
    Ok(Outcome::Done)
}

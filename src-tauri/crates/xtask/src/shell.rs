//! Running other programs, and where things are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The target folder this program was built in.
pub fn target() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.parent().and_then(Path::parent).context("this program lies in a target folder")?.to_owned())
}

/// For builds that are not optimised: they gain nothing by the only default feature, jemalloc, which takes minutes to build.
pub const UNOPTIMISED: &str = "--no-default-features";

/// Gigabytes that building everything and its tests takes, without what makes a second build quicker.
pub const TARGET_GB: f64 = 5.0;
/// Gigabytes left when a build may have failed for want of disk.
pub const FULL_GB: f64 = 1.0;

/// What cargo wants compiled, if it runs us in the compiler's place with this variable set: the variable, the compiler and
/// its arguments.
pub fn in_place_of_compiler(variable: &str) -> Option<(String, OsString, Vec<OsString>)> {
    let value = std::env::var(variable).ok()?;
    let mut words = std::env::args_os().skip(1);
    let is_compiler = |word: &OsString| Path::new(word).file_stem().is_some_and(|name| name == "rustc");
    let compiler = words.next().filter(is_compiler)?;
    Some((value, compiler, words.collect()))
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command and shows what it writes. Whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?.success())
}

/// Runs a command that must succeed.
pub fn must(command: &mut Command) -> Result<()> {
    if succeeds(command)? {
        return Ok(());
    }
    let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    bail!("failed: {} {}", command.get_program().display(), args.join(" "))
}

/// Runs a command and gives what it wrote to stdout.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !output.status.success() {
        bail!("{} failed", command.get_program().display());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a program is there and answers.
pub fn is_there(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> bool {
    let ran = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

/// Gigabytes free for a folder; none if that is unknown.
fn free_gb(folder: &Path) -> Option<f64> {
    let df = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let text = String::from_utf8(df.stdout).ok()?;
    let free_kb: f64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(free_kb / 1e6)
}

/// Says so if less than these gigabytes are free for the target folder. A linker that runs out of disk ends with a signal
/// and no reason.
pub fn note_low_disk(needed_gb: f64) {
    let low = target().ok().and_then(|folder| Some((free_gb(&folder)?, folder)));
    if let Some((free, folder)) = low.filter(|(free, _)| *free < needed_gb) {
        println!(
            "   only {free:.1} GB are free for {}: a whole build needs about {TARGET_GB:.0} GB",
            folder.display()
        );
    }
}

/// Tells what is being done and how long it took.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("── {name}");
    let began = Instant::now();
    let done = work();
    if began.elapsed() > Duration::from_secs(2) {
        println!("   {name}: {:.0} s", began.elapsed().as_secs_f64());
    }
    done
}

/// Does two things at the same time.
pub fn both<A: Send, B>(
    one: impl FnOnce() -> Result<A> + Send,
    other: impl FnOnce() -> Result<B>,
) -> (Result<A>, Result<B>) {
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        let one = one.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a step ended with a panic")));
        (one, other)
    })
}

//! `cargo xtask test`: everything CI checks, or the tests of one subject.

mod programs;

use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::shell::{
    FULL_GB, TARGET_GB, UNOPTIMISED, both, cargo, must, note_low_disk, output, root, step, succeeds,
};
use crate::{checks, fuzz, setup, ui};
use programs::{Build, Results};

/// Subjects and tests listed after a run, slowest first.
const SLOWEST: usize = 10;
/// Modules of the end-to-end tests, `tests/*.rs` and `tests/*/`.
const END_TO_END: &[&str] =
    &["dashboard", "decide", "proxy", "record", "schemas", "share", "terminal", "window", "wrappers"];

#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Runs one check. A failure is printed and counted, and the other checks still run.
    fn check(&mut self, name: &str, work: impl FnOnce() -> Result<()>) {
        match step(name, work) {
            Ok(()) => self.passed += 1,
            Err(error) => {
                eprintln!("FAILED {name}: {error:#}");
                self.failed += 1;
            }
        }
    }

    /// Adds what tests reported and prints the slowest.
    fn finish(mut self, results: &Results) -> bool {
        self.passed += results.passed;
        self.failed += results.failed;
        slowest("subjects", &by_subject(&results.times));
        slowest("tests", &results.times);
        for test in &results.unsteady {
            println!("\nUNSTEADY: {test} failed beside other tests and passed alone; see its output above");
        }
        println!("\n{} passed, {} failed", self.passed, self.failed);
        self.failed == 0
    }
}

/// Seconds of all tests of a program, or of a module of the end-to-end tests.
fn by_subject(times: &[(f64, String)]) -> Vec<(f64, String)> {
    let mut sums = BTreeMap::new();
    for (seconds, name) in times {
        let subject = match name.strip_prefix("e2e: ").and_then(|name| name.split("::").next()) {
            Some(module) => format!("e2e: {module}"),
            None => name.split(':').next().unwrap_or(name).to_owned(),
        };
        *sums.entry(subject).or_insert(0.0) += seconds;
    }
    sums.into_iter().map(|(subject, seconds)| (seconds, subject)).collect()
}

fn slowest(what: &str, times: &[(f64, String)]) {
    let mut times: Vec<_> = times.iter().collect();
    times.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    println!("\nslowest {what}:");
    for (seconds, name) in times.iter().take(SLOWEST) {
        println!("{seconds:8.1} s  {name}");
    }
}

/// Runs everything. Whether all passed.
pub fn run() -> Result<bool> {
    let mut tally = Tally::default();
    tally.check("rustfmt", || must(cargo().args(["fmt", "--all", "--check"])));
    tally.check("rustfmt of the fuzz targets", fuzz::formatted);
    tally.check("lock of the fuzz targets", fuzz::locked);
    tally.check("layering", checks::layering);
    tally.check("features", checks::features);
    tally.check("licences, bans and sources", checks::packages::check);
    tally.check("sleeps in tests", checks::sleeps::check);
    let clippy = clippy()?;
    if !ui::is_built() {
        note_low_disk(TARGET_GB);
    }
    // Installing waits for the network, and the dashboard's last steps use one core.
    let (dashboard, ready) = both(
        || ui::build_with_lints(&clippy),
        || {
            setup::everything()?;
            if ui::is_built() { Ok(()) } else { ahead(&clippy) }
        },
    );
    ready?;
    tally.check("dashboard", || dashboard.map(drop));
    let build = step("build with clippy", || {
        Ok(Build::by(&mut everything(&clippy))?.with(Build::by(&mut own_tests(&clippy))?))
    });
    let build = build.inspect_err(|_| note_low_disk(FULL_GB))?;
    tally.check("clippy", || match build.warnings {
        0 => Ok(()),
        warnings => bail!("{warnings} warnings, see above"),
    });
    let mut results = Results::default();
    step("tests", || build.run(None, &mut results))?;
    Ok(tally.finish(&results))
}

/// Compiles binaries, which the end-to-end tests run, and tests at once: what only tests depend on gives packages of both
/// other features, so one after the other would compile them twice. The same is true of this program, which is left out.
fn everything(clippy: &Path) -> Command {
    let mut command = cargo();
    clippy_compiles(&mut command, clippy);
    command.args(["build", "--workspace", "--exclude", "xtask", "--all-targets", UNOPTIMISED]);
    command
}

/// Compiles what does not embed the dashboard, while that is built. Whatever fails is compiled again afterwards, where it is
/// reported.
fn ahead(clippy: &Path) -> Result<()> {
    step("build of what does not embed the dashboard", || {
        let mut build = everything(clippy);
        build.args(["--locked", "--quiet", "--keep-going"]).env(ui::UNFINISHED, "1");
        succeeds(build.stdout(Stdio::null()).stderr(Stdio::null())).map(drop)
    })
}

/// Compiles the tests of this program.
fn own_tests(clippy: &Path) -> Command {
    let mut command = cargo();
    clippy_compiles(&mut command, clippy).args(["test", "--no-run", "--package", "xtask"]);
    command
}

/// Has clippy compile the members of the workspace: its findings are warnings of the build then. `cargo clippy` would
/// check all dependencies itself, which takes as long as compiling them. What clippy compiles may be less optimised than
/// by rustc, so nothing but tests is built this way.
fn clippy_compiles<'c>(command: &'c mut Command, clippy: &Path) -> &'c mut Command {
    command.env("RUSTC_WORKSPACE_WRAPPER", clippy)
}

/// Where clippy is.
fn clippy() -> Result<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(sysroot.trim()).join("bin").join(format!("clippy-driver{EXE_SUFFIX}"));
    if !driver.exists() {
        bail!("clippy is missing: rustup component add clippy");
    }
    Ok(driver)
}

/// Runs the tests of one subject: a crate's own, or the end-to-end tests of a module, or both where a crate and a
/// module share the name. Whether all passed.
pub fn subject(subject: &str) -> Result<bool> {
    let module = subject.split("::").next().unwrap_or_default();
    let is_crate = root().join("src-tauri/crates").join(subject).is_dir();
    let is_module = END_TO_END.contains(&module);
    if !is_crate && !is_module {
        bail!(
            "there is no subject {subject}. Subjects are crates (shape, proxy, …), modules of the end-to-end tests \
             ({}) and tests in them (proxy::http)",
            END_TO_END.join(", ")
        );
    }
    let mut results = Results::default();
    if is_crate {
        let package = match subject {
            "cli" => "schemascope".to_owned(),
            "xtask" => "xtask".to_owned(),
            _ => format!("schemascope-{subject}"),
        };
        // The end-to-end tests are tests of the package `schemascope`.
        let own: &[&str] = if subject == "cli" { &["--bins"] } else { &[] };
        let selection = [&["-p", package.as_str()], own].concat();
        step(&format!("tests of {package}"), || tests(&selection)?.run(None, &mut results))?;
    }
    if is_module {
        setup::servers()?;
        if !ui::is_built() || matches!(module, "dashboard" | "window") {
            ui::build()?;
        }
        let mut packages = vec!["-p", "schemascope", "-p", "schemascope-upstreams"];
        match module {
            "window" => {
                setup::window()?;
                setup::browsers()?;
                packages.extend(["-p", "schemascope-desktop"]);
            }
            "dashboard" => setup::browsers()?,
            _ => {}
        }
        step("build", || must(cargo().args(["build", "--locked", "--quiet", UNOPTIMISED]).args(&packages)))?;
        let filter = if subject == module { format!("{module}::") } else { subject.to_owned() };
        let selection = ["-p", "schemascope", "--test", "e2e"];
        step("end-to-end tests", || tests(&selection)?.run(Some(&filter), &mut results))?;
    }
    Ok(Tally::default().finish(&results))
}

/// Compiles the tests that `selection` (arguments of `cargo test`) names.
fn tests(selection: &[&str]) -> Result<Build> {
    Build::by(cargo().args(["test", "--no-run", UNOPTIMISED]).args(selection))
}

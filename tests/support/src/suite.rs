//! Runs the official conformance suite against a server and reads the results it writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::places::Places;
use crate::running::KilledOnDrop;
use crate::wait::try_until;

/// How long the suite waits for one scenario, in milliseconds.
const SCENARIO_MS: &str = "20000";

/// The installed suite.
#[derive(Debug, Clone)]
pub struct Suite {
    node: PathBuf,
    script: PathBuf,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// As the specification demands.
    Passed,
    /// Against a SHOULD of the specification.
    Warned,
    /// Against a MUST of the specification.
    Failed,
    /// Nothing was checked: skipped, or information only.
    Told,
}

/// One check of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Check {
    /// The scenario, such as `tools-list`.
    pub scenario: String,
    /// What is required; several checks of a scenario may have the same id.
    pub id: String,
    /// What exactly was tried.
    pub name: String,
    /// The outcome.
    pub status: Status,
    /// The reason if it did not pass, else empty.
    pub error: String,
}

/// All checks of a run, ordered.
#[derive(Debug, Clone)]
pub struct Verdict(Vec<Check>);

impl Suite {
    /// The suite that `cargo xtask setup` installs.
    pub fn installed(places: &Places) -> Result<Self> {
        let script = places.npm().join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
        ensure!(script.exists(), "run `cargo xtask setup` first");
        Ok(Self { node: places.node(), script })
    }

    /// Runs all that a revision of the specification requires of a server, with results in `scratch`.
    ///
    /// # Errors
    ///
    /// Where the suite does not run to its end; not where checks fail.
    pub fn run(&self, url: &str, revision: &str, scratch: &Path) -> Result<Verdict> {
        fs::create_dir_all(scratch)?;
        let (log, results) = (scratch.join("suite.log"), scratch.join("results"));
        let out = fs::File::create(&log)?;
        let mut command = Command::new(&self.node);
        command.arg(&self.script).args(["server", "--url", url, "--requirements", revision]);
        command.args(["--timeout", SCENARIO_MS, "-o"]).arg(&results);
        command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
        let mut suite =
            KilledOnDrop(command.spawn().context("node does not start; it is in the Debian package nodejs")?);
        let status = try_until("the conformance suite ends", || Ok(suite.0.try_wait()?))
            .with_context(|| fs::read_to_string(&log).unwrap_or_default())?;
        let printed = fs::read_to_string(&log)?;
        // Its exit code is an error where checks fail; what matters is that it printed its summary.
        ensure!(printed.contains("=== SUMMARY ==="), "the suite ended with {status}:\n{printed}");
        Verdict::read(&results)
    }
}

impl Verdict {
    fn read(results: &Path) -> Result<Self> {
        let mut checks = Vec::new();
        for entry in fs::read_dir(results)? {
            let folder = entry?;
            let name = folder.file_name().to_string_lossy().into_owned();
            let scenario = scenario_of(&name).with_context(|| format!("of which scenario is {name}?"))?;
            let found: Vec<Value> = serde_json::from_slice(&fs::read(folder.path().join("checks.json"))?)?;
            for check in found {
                checks.push(Check::read(scenario, &check).with_context(|| format!("{name}: {check}"))?);
            }
        }
        checks.sort();
        Ok(Self(checks))
    }

    /// How many checks were done, passed or not.
    pub fn executed(&self) -> usize {
        self.0.iter().filter(|check| check.status != Status::Told).count()
    }

    /// How many checks passed.
    pub fn passed(&self) -> usize {
        self.0.iter().filter(|check| check.status == Status::Passed).count()
    }

    /// The checks that did not pass.
    pub fn failing(&self) -> impl Iterator<Item = &Check> {
        self.0.iter().filter(|check| matches!(check.status, Status::Failed | Status::Warned))
    }

    /// What passes here and does not in another run: scenario and id, once for each time, with why.
    pub fn lost(&self, other: &Self) -> Vec<(String, String)> {
        let (mine, others) = (self.by_name(), other.by_name());
        let mut lost = Vec::new();
        for (key, here) in &mine {
            let there = others.get(key).map_or(&[][..], Vec::as_slice);
            let passed =
                |checks: &[&Check]| checks.iter().filter(|check| check.status == Status::Passed).count();
            let why = match there.iter().find(|check| check.status != Status::Passed) {
                Some(check) => format!("{:?}: {}", check.status, check.error),
                None => "not reached".to_owned(),
            };
            for _ in passed(there)..passed(here) {
                lost.push((format!("{}:{}", key.0, key.1), why.clone()));
            }
        }
        lost
    }

    fn by_name(&self) -> BTreeMap<(&str, &str, &str), Vec<&Check>> {
        let mut by_name: BTreeMap<_, Vec<&Check>> = BTreeMap::new();
        for check in &self.0 {
            by_name.entry((&*check.scenario, &*check.id, &*check.name)).or_default().push(check);
        }
        by_name
    }
}

impl Check {
    fn read(scenario: &str, check: &Value) -> Option<Self> {
        let text = |field: &str| check.get(field).and_then(Value::as_str);
        let status = match text("status")? {
            "SUCCESS" => Status::Passed,
            "WARNING" => Status::Warned,
            "FAILURE" => Status::Failed,
            "INFO" | "SKIPPED" => Status::Told,
            _ => return None,
        };
        Some(Self {
            scenario: scenario.to_owned(),
            id: text("id")?.to_owned(),
            name: text("name")?.to_owned(),
            status,
            error: text("errorMessage").unwrap_or_default().to_owned(),
        })
    }
}

/// The scenario of a folder of results, `server-SCENARIO-2026-07-28T12-00-00-000Z`.
fn scenario_of(folder: &str) -> Option<&str> {
    let name = folder.strip_prefix("server-")?;
    let (scenario, time) =
        name.split_at_checked(name.len().checked_sub("-2026-07-28T12-00-00-000Z".len())?)?;
    (time.starts_with('-') && time.ends_with('Z')).then_some(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, name: &str, status: Status) -> Check {
        let (id, name) = (id.to_owned(), name.to_owned());
        Check { scenario: "s".to_owned(), id, name, status, error: "why".to_owned() }
    }

    #[test]
    fn scenario_is_read_from_folder_name() {
        assert_eq!(scenario_of("server-ping-2026-11-21T14-06-18-236Z"), Some("ping"));
        assert_eq!(
            scenario_of("server-server-sse-polling-2026-11-21T14-06-18-236Z"),
            Some("server-sse-polling")
        );
        assert_eq!(scenario_of("client-ping-2026-11-21T14-06-18-236Z"), None);
        assert_eq!(scenario_of("server-ping"), None);
    }

    #[test]
    fn check_that_passes_only_directly_is_lost() {
        let passed = |id, name| check(id, name, Status::Passed);
        let here = Verdict(vec![
            passed("a", "A"),
            passed("b", "B"),
            passed("b", "B"),
            passed("c", "C"),
            check("d", "D", Status::Failed),
        ]);
        let there = Verdict(vec![
            passed("a", "A"),
            passed("b", "B"),
            check("b", "B", Status::Told),
            passed("c", "another"),
            passed("d", "D"),
        ]);
        let lost = here.lost(&there);
        assert_eq!(
            lost,
            [("s:b".to_owned(), "Told: why".to_owned()), ("s:c".to_owned(), "not reached".to_owned())]
        );
        assert_eq!((here.executed(), here.passed(), here.failing().count()), (5, 4, 1));
        assert_eq!((there.executed(), there.passed()), (4, 4));
        assert!(here.lost(&here).is_empty());
    }
}

//! The program with its data, what was acknowledged to clients, and the conditions that must hold after every fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use super::Random;
use crate::places::{Places, stdio};
use crate::program::{Program, Run, Serve};

/// The tool of the decisions.
pub(super) const DECIDED: &str = "api__get";
/// Tools of the shop that are called.
const TOOLS: &[&str] = &["list_orders", "get_order", "get_customer", "check_stock", "order_total", "refund"];
/// Calls at once.
const CLIENTS: u64 = 3;

/// The program, and what it acknowledged.
pub struct World {
    pub(super) program: Program,
    pub(super) scratch: PathBuf,
    /// Numbers of the calls that were answered with strict durability.
    pub(super) calls: BTreeSet<u64>,
    /// Ids of decisions that were answered.
    pub(super) decisions: BTreeSet<String>,
    next: AtomicU64,
}

/// Everything that must be the same after a rebuild.
type Learned = (Value, BTreeMap<String, String>);

impl World {
    /// With a shop, and a tool that has two versions to decide about.
    pub fn new(places: &Places, scratch: &Path) -> Result<Self> {
        fs::create_dir_all(scratch)?;
        let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
        let program = Program::new(places, scratch, &servers)?;
        let world = Self {
            program,
            scratch: scratch.to_owned(),
            calls: BTreeSet::new(),
            decisions: BTreeSet::new(),
            next: AtomicU64::new(1),
        };
        world.two_versions()?;
        Ok(world)
    }

    /// Calls and decisions acknowledged so far.
    pub fn size(&self) -> (usize, usize) {
        (self.calls.len(), self.decisions.len())
    }

    fn two_versions(&self) -> Result<()> {
        for (trace, more) in [(0..30, false), (30..80, true)] {
            let output = |n: u64| match more {
                false => json!({"id": n, "name": format!("n{n}")}),
                true => json!({"id": n, "name": format!("n{n}"), "more": format!("m{n}")}),
            };
            let line = |n| json!({"tool_id": DECIDED, "output": output(n)}).to_string() + "\n";
            let file = self.scratch.join("trace.ndjson");
            fs::write(&file, trace.map(line).collect::<String>())?;
            self.done(&["backfill", &file.display().to_string()])?;
        }
        Ok(())
    }

    /// Runs a command that must succeed.
    pub(super) fn done(&self, args: &[&str]) -> Result<Run> {
        let run = self.ran(args)?;
        ensure!(run.code == Some(0), "{args:?}: {run:?}");
        Ok(run)
    }

    /// Runs a command that may fail, but must give the reason then.
    pub(super) fn ran(&self, args: &[&str]) -> Result<Run> {
        let run = self.program.run(args)?;
        no_panic(&run.err).with_context(|| format!("{args:?}"))?;
        match run.code {
            Some(0) => {}
            Some(1 | 2) => {
                ensure!(!run.err.trim().is_empty() || !run.out.is_empty(), "{args:?} says nothing");
            }
            code => bail!("{args:?} ended with {code:?}: {}", run.err),
        }
        Ok(run)
    }

    /// Starts the program so that an answer means that the call is on disk.
    pub(super) fn serve(&self) -> Result<Serve> {
        self.program.serve(&["--durability", "strict"])
    }

    /// Some calls, a decision, and an orderly end.
    pub fn work(&mut self, random: &mut Random) -> Result<()> {
        let serve = self.serve()?;
        let asked = 20 + random.below(40);
        let answered = self.call(&serve, asked);
        ensure!(answered.len() as u64 == asked, "{} of {asked} calls were answered", answered.len());
        self.calls.extend(answered);
        // One of them is not promoted already.
        let promoted = super::deed::promote(&serve, 1).or_else(|| super::deed::promote(&serve, 2));
        let id = promoted.context("a decision is not answered")?;
        self.decisions.insert(id);
        let log = serve.log()?;
        ensure!(serve.stop()? == Some(0), "it does not end in order: {log}");
        no_panic(&log)
    }

    /// Makes so many calls by several clients; the numbers of those that were answered.
    pub(super) fn call(&self, serve: &Serve, count: u64) -> Vec<u64> {
        let one_client = |share: u64| {
            let Ok(client) = serve.connect(None) else { return Vec::new() };
            let numbers =
                std::iter::repeat_with(|| self.next.fetch_add(1, Ordering::Relaxed)).take(share as usize);
            let answered = |number: &u64| {
                let tool = TOOLS[(*number % TOOLS.len() as u64) as usize];
                let arguments = json!({"id": format!("n{number}")});
                client
                    .call(&format!("shop__{tool}"), &arguments)
                    .is_ok_and(|exchange| exchange.result().is_ok())
            };
            numbers.take_while(answered).collect()
        };
        std::thread::scope(|scope| {
            let shares = (0..CLIENTS).map(|n| count / CLIENTS + u64::from(n < count % CLIENTS));
            let one_client = &one_client;
            let clients: Vec<_> = shares.map(|share| scope.spawn(move || one_client(share))).collect();
            clients.into_iter().flat_map(|client| client.join().unwrap_or_default()).collect()
        })
    }

    /// Checks that everything acknowledged is stored, the log of decisions is complete and in effect, and what was
    /// learned equals a rebuild.
    pub fn check(&mut self) -> Result<()> {
        self.check_without_rebuild()?;
        let before = self.learned()?;
        self.done(&["rebuild"])?;
        ensure!(self.learned()? == before, "what was learned is not what a rebuild gives");
        self.sound()?;
        let log = fs::read_to_string(self.program.data_dir().with_extension("serve.log")).unwrap_or_default();
        no_panic(&log)
    }

    pub(super) fn check_without_rebuild(&self) -> Result<()> {
        // Mends what a kill left.
        let report = self.program.json(&["report"])?;
        let notes = report["recovery"]["notes"].to_string();
        ensure!(!notes.contains("damaged") && !notes.contains("left out"), "{notes}");
        self.sound()?;
        let missing = self.missing_calls(&self.program)?;
        ensure!(missing.is_empty(), "acknowledged calls are gone: {missing:?}");
        let missing = self.missing_decisions(&self.program)?;
        ensure!(missing.is_empty(), "acknowledged decisions are gone: {missing:?}");
        self.in_force().map(drop)
    }

    fn sound(&self) -> Result<()> {
        let verified = self.program.run(&["verify", "--json"])?;
        ensure!(verified.code == Some(0), "not sound: {verified:?}");
        Ok(())
    }

    /// Numbers of acknowledged calls that a program with a copy of the data does not have.
    pub(super) fn missing_calls(&self, program: &Program) -> Result<Vec<u64>> {
        let calls = program.json_lines(&["calls", "--limit", "1000000"])?;
        let mut ids = BTreeSet::new();
        ensure!(calls.iter().all(|call| ids.insert(call["id"].to_string())), "a call is duplicated");
        let number = |call: &Value| call["arguments"]["id"].as_str()?.strip_prefix('n')?.parse::<u64>().ok();
        let stored: Vec<u64> = calls.iter().filter_map(number).collect();
        let numbers: BTreeSet<u64> = stored.iter().copied().collect();
        ensure!(numbers.len() == stored.len(), "a call was recorded twice");
        Ok(self.calls.difference(&numbers).copied().collect())
    }

    /// Ids of acknowledged decisions that a program with a copy of the data does not have.
    pub(super) fn missing_decisions(&self, program: &Program) -> Result<Vec<String>> {
        let audit = program.json_lines(&["audit", "--limit", "1000000"])?;
        let ids: BTreeSet<String> =
            audit.iter().filter_map(|row| Some(row["id"].as_str()?.to_owned())).collect();
        Ok(self.decisions.difference(&ids).cloned().collect())
    }

    /// The version in effect must equal the fold of the log, also where it is folded from the beginning.
    pub(super) fn in_force(&self) -> Result<(Option<u64>, Option<bool>)> {
        let audit = self.program.json_lines(&["audit", DECIDED, "--limit", "1000000"])?;
        let ids: Vec<&str> = audit.iter().filter_map(|row| row["id"].as_str()).collect();
        ensure!(ids.is_sorted_by(|newer, older| newer > older), "decisions have no order: {ids:?}");
        let tools = self.program.json(&["tools"])?;
        let row = tools.as_array().and_then(|rows| rows.iter().find(|row| row["tool_id"] == DECIDED));
        let row = row.context("the tool that is decided about is gone")?;
        let expected = super::deed::folded(&audit);
        ensure!(
            (row["effective_version"].as_u64(), row["pinned"].as_bool()) == expected,
            "in effect is {row}, the log gives {expected:?}"
        );
        Ok(expected)
    }

    fn learned(&self) -> Result<Learned> {
        let tools = self.program.json(&["tools"])?;
        let ids = tools.as_array().into_iter().flatten().filter_map(|row| row["tool_id"].as_str());
        let schema = |id: &str| Ok((id.to_owned(), self.ran(&["schema", id, "--version", "inferred"])?.out));
        let schemas = ids.map(schema).collect::<Result<_>>()?;
        Ok((tools, schemas))
    }
}

/// Rejects logs with a panic of Schemascope. Panics of sled on damaged files are caught and reported, and are
/// allowed.
pub(super) fn no_panic(text: &str) -> Result<()> {
    let ours = |line: &&str| line.contains("panicked at") && !line.contains("sled");
    match text.lines().find(ours) {
        Some(line) => bail!("a panic: {line}\n{text}"),
        None => Ok(()),
    }
}

/// Copies a folder.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        // Room to spare, and slow to copy.
        if entry.file_name() == "ballast" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

//! The steps, in order. Each works on the store that the previous one left.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use schemascope_engine::Replay;
use schemascope_model::Timestamp;
use schemascope_registry::Registry;
use schemascope_store::{
    CallQuery, Entry, MAX_GROUP_ENTRIES, Policy, Reader, Recovery, Writer, open, rebuild, verify,
};

use crate::Measured;
use crate::calls::{Calls, rare_tool, tool};

/// Fills the store and is killed.
pub const FILL: &str = "fill";
/// All of them.
pub const NAMES: &[&str] = &[FILL, "open-killed", "open", "pages", "verify", "build", "compact", "retain"];

/// What the issue asks for.
const OPEN_S: f64 = 2.0;
const PAGE_MS: f64 = 50.0;
const RESIDENT_MB: f64 = 256.0;
/// Calls in a page.
const PAGE: usize = 100;
/// Calls between two savings of states.
const SAVE_EVERY: u64 = 20_000;

pub fn run(name: &str, dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    match name {
        FILL => fill(dir, calls),
        "open-killed" => opened(dir, "opened after a kill"),
        "open" => opened(dir, "opened after an orderly end"),
        "pages" => pages(dir, calls),
        "verify" => verified(dir, calls),
        "build" => built(dir, calls),
        "compact" => compacted(dir, calls),
        _ => retained(dir, calls),
    }
}

fn fill(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let (mut writer, _reader, learned, _) = begin(dir)?;
    let mut source = Calls::new();
    let (mut made, mut writing) = (0, Duration::ZERO);
    while made < calls {
        let group: Vec<Entry> =
            (0..MAX_GROUP_ENTRIES.min((calls - made) as usize)).map(|_| Entry::Call(source.next())).collect();
        made += group.len() as u64;
        for entry in &group {
            if let Entry::Call(call) = entry {
                learned.registry().record(call);
            }
        }
        let began = Instant::now();
        writer.append(&group)?;
        writer.roll(|| learned.registry().states())?;
        if made % SAVE_EVERY < MAX_GROUP_ENTRIES as u64 {
            writer.save_states(&learned.registry().take_unsaved())?;
        }
        writing += began.elapsed();
    }
    for measured in [
        figure("appended a second, in groups of 64", made as f64 / writing.as_secs_f64(), "", None),
        figure("journal", megabytes(&dir.join("journal")), "MB", None),
        figure("index", megabytes(&dir.join("index")), "MB", None),
        peak("peak while appending", None),
    ] {
        println!("{}", serde_json::to_string(&measured)?);
    }
    // As a kill would: nothing is closed.
    std::process::abort()
}

fn opened(dir: &Path, what: &str) -> Result<Vec<Measured>> {
    let began = Instant::now();
    let (mut writer, _reader, learned, _) = begin(dir)?;
    let seconds = began.elapsed().as_secs_f64();
    writer.save_states(&learned.registry().take_unsaved())?;
    writer.close()?;
    Ok(vec![figure(what, seconds, "s", Some(OPEN_S)), peak(&format!("peak, {what}"), Some(RESIDENT_MB))])
}

fn pages(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let (_writer, reader, ..) = begin(dir)?;
    let all = CallQuery { limit: PAGE, ..CallQuery::default() };
    let of = |tool| CallQuery { tool: Some(tool), ..all.clone() };
    let failures = CallQuery { failures: true, ..all.clone() };
    let queries = [
        ("a page of all calls", all.clone()),
        ("a page of a tool", of(tool(7))),
        ("a page of a tool that is hardly called", of(rare_tool())),
        ("a page of failures", failures.clone()),
        ("a page of a tool's failures", CallQuery { failures: true, ..of(tool(7)) }),
        ("a page of failures of a tool that has none", CallQuery { failures: true, ..of(rare_tool()) }),
    ];
    let mut measured = Vec::new();
    for (what, query) in &queries {
        let longest = longest(&reader, calls, query, |reader, query| {
            let page = reader.calls(query)?;
            ensure!(query.failures || query.tool.is_some() || page.calls.len() == PAGE, "a full page");
            Ok(())
        })?;
        measured.push(figure(&format!("{what}, longest"), longest, "ms", Some(PAGE_MS)));
    }
    let nothing = longest(&reader, calls, &all, |reader, query| {
        ensure!(reader.records(query, |_| false)?.calls.is_empty(), "nothing passes");
        Ok(())
    })?;
    measured.push(figure("a page of a filter that nothing passes, longest", nothing, "ms", Some(PAGE_MS)));
    Ok(measured)
}

/// The longest of pages at places all over the store, in milliseconds.
fn longest(
    reader: &Reader,
    calls: u64,
    query: &CallQuery,
    ask: impl Fn(&Reader, &CallQuery) -> Result<()>,
) -> Result<f64> {
    let mut longest = 0.0_f64;
    for share in (1..=20).rev() {
        let at = Calls::now(calls * share / 20).as_millis();
        let before = schemascope_model::CallId::from_bytes((u128::from(at) << 80).to_be_bytes());
        let query = CallQuery { before: (share < 20).then_some(before), ..query.clone() };
        let began = Instant::now();
        ask(reader, &query)?;
        longest = longest.max(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(longest)
}

fn verified(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let began = Instant::now();
    let report = verify(dir, &mut nothing())?;
    ensure!(report.is_sound() && report.calls == calls, "{report:?}");
    Ok(vec![
        figure("verified", began.elapsed().as_secs_f64(), "s", None),
        peak("peak, verified", Some(RESIDENT_MB)),
    ])
}

fn built(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    fs::remove_dir_all(dir.join("index"))?;
    let began = Instant::now();
    let (mut writer, reader, learned, recovery) = begin(dir)?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(recovery.replayed >= calls, "{recovery:?}");
    ensure!(reader.calls(&CallQuery { limit: 1, ..CallQuery::default() })?.calls.len() == 1, "no calls");
    writer.save_states(&learned.registry().take_unsaved())?;
    writer.close()?;
    Ok(vec![
        figure("index built from the journal", seconds, "s", None),
        peak("peak, index built", Some(RESIDENT_MB)),
    ])
}

fn compacted(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let began = Instant::now();
    let rebuilt = rebuild(dir, &mut nothing())?;
    ensure!(rebuilt.entries >= calls, "{rebuilt:?}");
    Ok(vec![
        figure("index rebuilt and swapped", began.elapsed().as_secs_f64(), "s", None),
        figure("index before", rebuilt.bytes_before as f64 / 1e6, "MB", None),
        figure("index after", rebuilt.bytes_after as f64 / 1e6, "MB", None),
        peak("peak while rebuilding", Some(RESIDENT_MB)),
    ])
}

fn retained(dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let (mut writer, _reader, learned, _) = begin(dir)?;
    let policy = Policy { count: Some(calls / 2), ..Policy::default() };
    let (mut removed, mut segments, mut longest) = (0, 0, 0.0_f64);
    let began = Instant::now();
    loop {
        let round = Instant::now();
        let done = writer.retain(&policy, Calls::now(calls), || learned.registry().states())?;
        longest = longest.max(round.elapsed().as_secs_f64() * 1e3);
        removed += done.calls_removed;
        segments += done.segments_removed;
        if !done.more {
            break;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    ensure!(removed == calls - calls / 2, "{removed} calls were removed");
    writer.close()?;
    Ok(vec![
        figure("half of the calls removed", seconds, "s", None),
        figure("longest round", longest, "ms", None),
        figure("segments unlinked", f64::from(u32::try_from(segments)?), "", None),
        peak("peak, half removed", Some(RESIDENT_MB)),
    ])
}

/// A program that knows nothing yet.
fn nothing() -> Replay {
    Replay::new(Registry::default())
}

fn begin(dir: &Path) -> Result<(Writer, Reader, Replay, Recovery)> {
    let mut learned = nothing();
    let (writer, reader, recovery) = open(dir, &mut learned, Timestamp::from_millis(1))?;
    Ok((writer, reader, learned, recovery))
}

fn figure(what: &str, value: f64, unit: &str, bar: Option<f64>) -> Measured {
    Measured { what: what.to_owned(), value, unit: unit.to_owned(), bar }
}

/// The most this process ever held in memory; zero where `/proc` does not tell.
fn peak(what: &str, bar: Option<f64>) -> Measured {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    figure(what, kilobytes.unwrap_or_default() / 1e3, "MB", bar)
}

fn megabytes(folder: &Path) -> f64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes: u64 = files.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum();
    bytes as f64 / 1e6
}

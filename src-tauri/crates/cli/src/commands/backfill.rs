//! `backfill`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use schemascope_api::{Backfill as Batch, BackfillReply};
use schemascope_engine::Front;
use schemascope_model::Timestamp;
use serde::Deserialize;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count};

verbs!(Files: engine Backfill);

/// Number of lines sent at a time.
const BATCH: usize = 1_000;
/// Bytes sent at a time.
const BATCH_BYTES: usize = 8 << 20;
/// Bytes of lines that are held back until they can be put in order.
const MAX_HELD: usize = 256 << 20;
/// Malformed lines that are reported one by one.
const REPORTED: usize = 10;
/// Longest line in bytes. A call is never longer: results are limited to 64 MB.
const MAX_LINE: usize = 100 << 20;

/// Learn from traces of calls that were made without Schemascope
#[derive(Debug, clap::Args)]
#[command(after_help = "Each line is one call: a line of our own export (schemascope calls --json), or\n  \
    {\"tool_id\": \"git__git_log\", \"output\": …}   with these optional fields:\n  \
    \"is_error\": bool, \"at\": \"2026-11-20T12:00:00Z\", \"arguments\": {…},\n  \
    \"session\": \"…\"\n\n\
    An output is a value, a text, or a whole MCP result with \"content\". Malformed lines are reported with \
    their number and left out; the exit code is then 1. Exported calls that are recorded already are left \
    out, and so are those that were recorded here and removed since. Lines of the second form have no id: \
    each time such a file is read, its calls count again.")]
pub struct Backfill {
    /// The trace, one JSON object per line; - reads standard input
    file: PathBuf,
    /// Check the lines without recording anything
    #[arg(long)]
    dry_run: bool,
}

impl WithEngine for Backfill {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let (reader, length): (Box<dyn Read>, u64) = if self.file == Path::new("-") {
            (Box::new(std::io::stdin()), 0)
        } else {
            let file =
                File::open(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
            let length = file.metadata().map_or(0, |meta| meta.len());
            (Box::new(file), length)
        };
        let progress =
            output::bar(length, "{decimal_bytes} of {decimal_total_bytes} {wide_bar:.cyan/black} {eta}");
        let mut reader = BufReader::new(progress.wrap_read(reader));
        let mut total = BackfillReply::default();
        let read = self.read(front, &mut reader, &mut total).await;
        progress.finish_and_clear();
        total.tools.sort();
        total.tools.dedup();
        total.rejected.sort_by_key(|rejected| rejected.line);
        for rejected in total.rejected.iter().take(REPORTED) {
            output::note(&format!("line {}: {}", rejected.line, output::harmless(&rejected.reason)));
        }
        let others = total.rejected.len().saturating_sub(REPORTED) as u64;
        if others > 0 {
            output::note(&format!("… and {} more malformed lines; --json lists all", count(others)));
        }
        read?;
        let written = if args.json {
            output::json(&total)
        } else {
            let did = if self.dry_run { "would be recorded" } else { "recorded" };
            output::line(&format!(
                "{} calls of {} tools {did}; {} known already, {} malformed",
                count(total.accepted),
                count(total.tools.len() as u64),
                count(total.known),
                count(total.rejected.len() as u64)
            ))
            .map_err(Into::into)
        };
        if total.removed > 0 {
            output::note(&format!(
                "{} of the known calls were recorded here and removed since; what was learned from them is kept, so they \
                 are not counted again",
                count(total.removed)
            ));
        }
        output::coded(written, ExitCode::from(u8::from(!total.rejected.is_empty())))
    }
}

impl Backfill {
    /// Reads and sends the whole trace. If that fails, `total` has what was rejected until then.
    async fn read(&self, front: &Front, reader: &mut impl BufRead, total: &mut BackfillReply) -> Result<()> {
        let mut line_number = 1;
        let mut unordered = Unordered::default();
        loop {
            let mut batch = read_batch(reader, line_number, self.dry_run)?;
            let is_end = batch.lines.is_empty();
            line_number += batch.lines.len() as u64;
            unordered.hold_from(&mut batch);
            if !batch.lines.is_empty() {
                send(front, batch, total).await?;
            }
            while is_end || unordered.bytes > MAX_HELD {
                let Some(batch) = unordered.next(self.dry_run) else { break };
                send(front, batch, total).await?;
            }
            if is_end {
                return Ok(());
            }
        }
    }
}

/// Sends lines.
async fn send(front: &Front, batch: Batch, total: &mut BackfillReply) -> Result<()> {
    let reply = front.call(batch).await?;
    total.accepted += reply.accepted;
    total.known += reply.known;
    total.removed += reply.removed;
    total.rejected.extend(reply.rejected);
    total.tools.extend(reply.tools);
    Ok(())
}

/// Calls with a time. They are sent in the order in which they ended, whatever the order of the trace: an export
/// begins with the newest, and what is learned can depend on what came before.
#[derive(Default)]
struct Unordered {
    lines: Vec<Held>,
    bytes: usize,
}

struct Held {
    ended: u64,
    number: u64,
    line: String,
}

/// The part of a line that says when the call ended.
#[derive(Deserialize)]
struct Times {
    at: Timestamp,
    #[serde(default)]
    total_us: Option<u64>,
}

impl Unordered {
    /// Takes the calls out of a batch that have a time.
    fn hold_from(&mut self, batch: &mut Batch) {
        let lines = std::mem::take(&mut batch.lines);
        for (line, number) in lines.into_iter().zip(batch.first_line..) {
            let Ok(times) = serde_json::from_str::<Times>(&line) else {
                batch.lines.push(line);
                batch.numbers.push(number);
                continue;
            };
            let ended = times.at.as_millis().saturating_add(times.total_us.unwrap_or(0) / 1_000);
            self.bytes += line.len();
            self.lines.push(Held { ended, number, line });
        }
    }

    /// The next calls in order.
    fn next(&mut self, dry_run: bool) -> Option<Batch> {
        if self.lines.is_empty() {
            return None;
        }
        // The first ones are at the end.
        self.lines.sort_by_key(|held| std::cmp::Reverse((held.ended, held.number)));
        let mut batch = Batch { first_line: 0, numbers: Vec::new(), lines: Vec::new(), dry_run };
        let mut bytes = 0;
        while batch.lines.len() < BATCH
            && bytes < BATCH_BYTES
            && let Some(held) = self.lines.pop()
        {
            bytes += held.line.len();
            batch.numbers.push(held.number);
            batch.lines.push(held.line);
        }
        self.bytes -= bytes;
        Some(batch)
    }
}

/// Reads the next lines. A line that is too long or not UTF-8 is replaced by a text that is not JSON, so that it is
/// reported with its number like any other malformed line.
fn read_batch(reader: &mut impl BufRead, first_line: u64, dry_run: bool) -> Result<Batch> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < BATCH && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        let read = reader
            .by_ref()
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut line)
            .context("cannot read the rest of the input")?;
        if read == 0 {
            break;
        }
        if !line.ends_with(b"\n") && line.len() == MAX_LINE {
            reader.skip_until(b'\n').context("cannot read the rest of the input")?;
            line = b"(a line longer than 100 MB)".to_vec();
        }
        bytes += line.len();
        lines.push(String::from_utf8(line).unwrap_or_else(|_| "(a line that is not UTF-8)".to_owned()));
    }
    Ok(Batch { first_line, numbers: Vec::new(), lines, dry_run })
}

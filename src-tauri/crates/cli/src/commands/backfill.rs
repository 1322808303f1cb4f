//! `backfill`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_api::{Backfill as Command, BackfillReply};
use schemascope_engine::Front;

use crate::args::{Args, Backfill};
use crate::output::{self, count};

/// Lines, and bytes, sent at a time.
const BATCH: usize = 1_000;
const BATCH_BYTES: usize = 8 << 20;
/// A longer line is no call: results end at 64 MB, and so do requests before that.
const MAX_LINE: usize = 100 << 20;

pub async fn run(args: &Args, verb: &Backfill, front: &Front) -> Result<ExitCode> {
    let (reader, length): (Box<dyn Read>, u64) = if verb.file == Path::new("-") {
        (Box::new(std::io::stdin()), 0)
    } else {
        let file = File::open(&verb.file).with_context(|| format!("cannot read {}", verb.file.display()))?;
        let length = file.metadata().map_or(0, |meta| meta.len());
        (Box::new(file), length)
    };
    let style = ProgressStyle::with_template("{bytes} of {total_bytes} {wide_bar:.cyan/black} {eta}");
    let progress =
        ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut reader = BufReader::new(progress.wrap_read(reader));
    let mut total = BackfillReply::default();
    let mut line_number = 1;
    loop {
        let batch = read_batch(&mut reader, line_number, verb.dry_run)?;
        if batch.lines.is_empty() {
            break;
        }
        line_number += batch.lines.len() as u64;
        let reply = front.call(batch).await?;
        for rejected in &reply.rejected {
            progress.suspend(|| {
                output::note(&format!("line {}: {}", rejected.line, output::harmless(&rejected.reason)));
            });
        }
        total.accepted += reply.accepted;
        total.known += reply.known;
        total.rejected.extend(reply.rejected);
        total.tools.extend(reply.tools);
    }
    progress.finish_and_clear();
    total.tools.sort();
    total.tools.dedup();
    if args.json {
        output::json(&total)?;
    } else {
        let did = if verb.dry_run { "would be recorded" } else { "recorded" };
        output::line(&format!(
            "{} calls of {} tools {did}; {} known already, {} malformed",
            count(total.accepted),
            count(total.tools.len() as u64),
            count(total.known),
            count(total.rejected.len() as u64)
        ))?;
    }
    Ok(ExitCode::from(u8::from(!total.rejected.is_empty())))
}

/// The next lines. One that is too long, or no text, is passed on as what is no JSON, so that it is
/// reported by its number like any other.
fn read_batch(reader: &mut impl BufRead, first_line: u64, dry_run: bool) -> Result<Command> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < BATCH && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        let read =
            reader.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line).context("cannot read on")?;
        if read == 0 {
            break;
        }
        if !line.ends_with(b"\n") && line.len() == MAX_LINE {
            reader.skip_until(b'\n').context("cannot read on")?;
            line = b"(a line longer than 100 MB)".to_vec();
        }
        bytes += line.len();
        lines.push(String::from_utf8(line).unwrap_or_else(|_| "(a line that is not UTF-8)".to_owned()));
    }
    Ok(Command { first_line, lines, dry_run })
}

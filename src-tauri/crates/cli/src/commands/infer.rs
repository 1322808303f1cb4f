//! `infer`: a schema from JSON documents, without an engine.
//!
//! The threads in turn read a part of the input and split it into lines or documents. Each counts what it read into a
//! shape of its own, and the shapes are merged at the end, which gives the same result as a single thread. Each thread
//! has one part of the input in memory at a time.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use schemascope_shape::{Policy, Shape};
use serde_json::value::RawValue;

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::documents::{Batch, Broken, Documents, foreign, read_apart};
use crate::output::{self, count, counted};

verbs!(Files: alone Infer);

const EMPTY: &str = "the input has no JSON document";

/// Number of malformed documents that are reported one by one; further ones are counted.
const REPORTED: usize = 10;

/// Malformed documents.
#[derive(Default)]
struct Malformed {
    count: u64,
    /// The first ones, with the reason by line.
    first: BTreeSet<(u64, String)>,
}

impl Malformed {
    fn add(&mut self, Broken { line, reason }: Broken) {
        self.count += 1;
        self.first.insert((line, reason));
        if self.first.len() > REPORTED {
            self.first.pop_last();
        }
    }

    fn report(&self) {
        for (line, reason) in &self.first {
            output::note(&format!("line {line}: {reason}"));
        }
        let others = self.count - self.first.len() as u64;
        if others > 0 {
            output::note(&format!("… and {} more malformed documents", count(others)));
        }
    }
}

/// Infer a schema from JSON documents, without recording anything
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Documents may be one per line, or follow each other in any other layout. Malformed documents are \
    reported with their line and left out; the exit code is then 1."
)]
pub struct Infer {
    /// The documents [default: standard input]
    file: Option<PathBuf>,
    /// Number of objects that must have a field before it is required [default: 8, or 3 if few fields are
    /// optional]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    required_after: Option<u64>,
    /// Take each item of an array for a document, where a document is an array
    #[arg(long)]
    items: bool,
    /// Print each decision about the schema, with the numbers behind it, instead of the schema
    #[arg(long)]
    explain: bool,
}

impl Alone for Infer {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        let verb = self;
        let (reader, length): (Box<dyn Read + Send>, Option<u64>) = match &verb.file {
            Some(path) => {
                let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
                let length = file.metadata().ok().map(|meta| meta.len());
                (Box::new(file), length)
            }
            None => {
                if io::stdin().is_terminal() {
                    output::note("Reading JSON documents from the keyboard; end with Ctrl-D.");
                }
                (Box::new(io::stdin()), None)
            }
        };
        let mut reader = BufReader::new(reader);
        let start = reader.fill_buf().context("cannot read the input")?;
        if let Some(what) = foreign(start) {
            anyhow::bail!("the input {what}");
        }
        // Not read again: a terminal would have to send its end twice.
        if start.is_empty() {
            anyhow::bail!(EMPTY);
        }
        let progress = bar(length);
        let documents = Documents::new(progress.wrap_read(reader));
        let (shape, malformed) = learn(documents, verb.items)?;
        progress.finish_and_clear();
        malformed.report();
        if shape.observations() == 0 {
            anyhow::bail!(EMPTY);
        }
        let policy = policy(verb);
        let schema = shape.schema(&policy);
        if verb.explain {
            explain(args, &shape, &policy)?;
        } else {
            output::schema(&schema)?;
        }
        summarize(&shape, malformed.count);
        if shape.observations() == 1 && schema["type"] == "array" && !verb.items {
            output::note("the only document is an array; with --items, each of its items is a document");
        }
        Ok(ExitCode::from(u8::from(malformed.count > 0)))
    }
}

fn policy(verb: &Infer) -> Policy {
    match verb.required_after {
        // A number that the user chose is used exactly.
        Some(required_after) => Policy {
            required_after,
            required_rejects: f64::MAX,
            mistakes: f64::MAX,
            required_mistaken: 0.0,
            ..Policy::default()
        },
        None => Policy::default(),
    }
}

/// Counts all documents on all processors. Also returns the malformed ones.
fn learn<R: Read + Send>(documents: Documents<R>, items: bool) -> Result<(Shape, Malformed)> {
    let counters = thread::available_parallelism().map_or(1, |count| count.get());
    let documents = Mutex::new(documents);
    let malformed = Mutex::new(Malformed::default());
    let add = |broken| malformed.lock().unwrap_or_else(PoisonError::into_inner).add(broken);
    let shapes = thread::scope(|scope| -> Result<Vec<Shape>> {
        let counting: Vec<_> =
            (0..counters).map(|_| scope.spawn(|| count_batches(&documents, items, &add))).collect();
        let shapes = counting.into_iter().map(|thread| match thread.join() {
            Ok(shape) => shape.context("cannot read the rest of the input"),
            Err(_) => Err(anyhow::anyhow!("counting failed; please report this")),
        });
        shapes.collect()
    })?;
    let mut shapes = shapes.into_iter();
    let mut whole = shapes.next().unwrap_or_default();
    for shape in shapes {
        whole.merge(&shape)?;
    }
    Ok((whole, malformed.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

fn count_batches<R: Read>(
    documents: &Mutex<Documents<R>>,
    items: bool,
    malformed: &(dyn Fn(Broken) + Sync),
) -> io::Result<Shape> {
    let (mut shape, mut batch) = (Shape::new(), Batch::default());
    while documents.lock().unwrap_or_else(PoisonError::into_inner).next_batch(&mut batch, malformed)? {
        for (line, part) in batch.parts() {
            if items || shape.observe(part).is_err() {
                read_apart(line, part, |next| count_one(&mut shape, next, items, malformed));
            }
        }
    }
    Ok(shape)
}

fn count_one(shape: &mut Shape, next: Result<(u64, &[u8]), Broken>, items: bool, malformed: &dyn Fn(Broken)) {
    let counted = next.and_then(|(line, document)| {
        let items = items.then(|| serde_json::from_slice::<Vec<&RawValue>>(document).ok()).flatten();
        let documents = match &items {
            Some(items) => items.iter().map(|item| item.get().as_bytes()).collect(),
            None => vec![document],
        };
        documents
            .into_iter()
            .try_for_each(|document| shape.observe(document))
            .map_err(|error| Broken { line, reason: error.to_string() })
    });
    if let Err(broken) = counted {
        malformed(broken);
    }
}

fn explain(args: &Args, shape: &Shape, policy: &Policy) -> Result<()> {
    let decisions = shape.explain(policy);
    if args.json {
        return output::json(&decisions);
    }
    let mut table = output::table(&["path", "decision", "because"], &[]);
    for one in decisions {
        let path = if one.path.is_empty() { "(root)".to_owned() } else { output::harmless(&one.path) };
        table.add_row([path, output::harmless(&one.decision), output::harmless(&one.because)]);
    }
    Ok(output::print(&table)?)
}

/// Reports how much was read, and what was unusual about it.
fn summarize(shape: &Shape, broken: u64) {
    let consistency = shape.consistency();
    let left_out = if broken > 0 { format!(", {} left out", count(broken)) } else { String::new() };
    output::note(&format!(
        "{}, {}, mean consistency {:.2}{left_out}",
        counted(shape.observations(), "document"),
        counted(consistency.map_or(0, |consistency| consistency.fields), "field"),
        consistency.map_or(0.0, |consistency| consistency.mean),
    ));
    for note in shape.notes() {
        output::note(&format!("unusual: {} {}", count(note.count), note.note));
    }
    let (paths, without_values) = (shape.paths() as u64, shape.bare_paths() as u64);
    if shape.is_trimmed() {
        output::note(&format!(
            "too many paths: {} are kept, {} of them without values; of the others only types are known",
            count(paths),
            count(without_values)
        ));
    } else if without_values > 0 {
        output::note(&format!(
            "too many paths: {} of {} are kept without values, so their formats and enums are not known",
            count(without_values),
            count(paths)
        ));
    }
}

/// The progress bar; indicatif shows it on a terminal only.
fn bar(length: Option<u64>) -> ProgressBar {
    let template =
        "{decimal_bytes} of {decimal_total_bytes} {wide_bar:.cyan/black} {decimal_bytes_per_sec} {eta}";
    match length {
        Some(length) => output::bar(length, template),
        None => output::spinner("reading"),
    }
}

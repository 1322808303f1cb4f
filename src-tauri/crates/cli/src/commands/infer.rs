//! `infer`: a schema from documents, without engine or data.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_shape::{Policy, Shape};

use crate::args::Infer;
use crate::documents::Documents;
use crate::output::{self, count};

/// Broken documents named one by one; further ones are only counted.
const NAMED: u64 = 10;

pub fn run(verb: &Infer) -> Result<ExitCode> {
    let (reader, length): (Box<dyn Read>, Option<u64>) = match &verb.file {
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            let length = file.metadata().ok().map(|meta| meta.len());
            (Box::new(file), length)
        }
        None => {
            if io::stdin().is_terminal() {
                output::note("Reading JSON documents from the keyboard; end with Ctrl-D.");
            }
            (Box::new(io::stdin().lock()), None)
        }
    };
    let progress = bar(length);
    let mut documents = Documents::new(progress.wrap_read(reader));
    let mut shape = Shape::new();
    let mut broken = 0;
    while let Some(next) = documents.next().context("cannot read on")? {
        let (line, reason) = match next {
            Ok(document) => match shape.observe(document) {
                Ok(()) => continue,
                Err(error) => (None, error.to_string()),
            },
            Err(document) => (Some(document.line), document.reason),
        };
        broken += 1;
        if broken <= NAMED {
            let place = line.map_or_else(
                || format!("document {}", shape.observations() + broken),
                |line| format!("line {line}"),
            );
            progress.suspend(|| output::note(&format!("{place}: {reason}")));
        }
    }
    progress.finish_and_clear();
    if broken > NAMED {
        output::note(&format!("… and {} more that are no JSON", count(broken - NAMED)));
    }
    if shape.observations() == 0 {
        anyhow::bail!("there was no JSON document to learn from");
    }
    output::schema(&shape.schema(&Policy { required_after: verb.required_after, ..Policy::default() }))?;
    let left_out = if broken > 0 { format!(", {} left out", count(broken)) } else { String::new() };
    output::note(&format!(
        "{} documents, {} fields, mean consistency {:.2}{left_out}",
        count(shape.observations()),
        count(shape.fields(&Policy::default()).len() as u64),
        shape.mean_consistency().unwrap_or_default(),
    ));
    Ok(ExitCode::from(u8::from(broken > 0)))
}

/// Shown on a terminal only; indicatif sees to that.
fn bar(length: Option<u64>) -> ProgressBar {
    let template = "{bytes} of {total_bytes} {wide_bar:.cyan/black} {bytes_per_sec} {eta}";
    match length {
        Some(length) => ProgressBar::new(length).with_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        ),
        None => ProgressBar::new_spinner(),
    }
}

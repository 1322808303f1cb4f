//! Input files with one document in each line, made for every run and removed after it. See `statuses`, `payloads`
//! and `hostile` for their content.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use schemascope_benches::places::target;
use schemascope_benches::random::Random;

use crate::{hostile, payloads, statuses};

/// How much there is of everything.
#[derive(Debug)]
pub struct Sizes {
    /// Megabytes of each ordinary input.
    pub ordinary: usize,
    /// Megabytes of each hostile one.
    pub hostile: usize,
    /// Rounds that the medians are of; hostile inputs have one, as nothing is compared there.
    pub rounds: usize,
}

impl Sizes {
    /// What published numbers come from.
    pub const FULL: Self = Self { ordinary: 200, hostile: 100, rounds: 5 };
    /// Enough to see where one stands.
    pub const QUICK: Self = Self { ordinary: 40, hostile: 20, rounds: 3 };
}

/// One input.
#[derive(Debug)]
pub struct Input {
    pub name: &'static str,
    pub path: PathBuf,
    pub bytes: u64,
    /// Random keys; the others could take forever.
    pub hostile: bool,
}

/// Their names, and whether they are hostile.
const ALL: &[(&str, bool)] = &[
    ("statuses", false),
    ("webhooks", false),
    ("random data as keys", true),
    ("random words as keys", true),
];

/// Writes all inputs. A process of its own does it: what it needs must not count for those measured.
pub fn make(sizes: &Sizes) -> Result<Vec<Input>> {
    let folder = target()?.join("bench-inputs");
    fs::create_dir_all(&folder)?;
    let mut inputs = Vec::new();
    for (name, hostile) in ALL {
        let path = folder.join(format!("{}.ndjson", name.replace(' ', "-")));
        let megabytes = if *hostile { sizes.hostile } else { sizes.ordinary };
        let mut maker = Command::new(std::env::current_exe()?);
        maker.args(["work", "make", name]).arg(&path).arg(megabytes.to_string());
        if !maker.status()?.success() {
            bail!("cannot make the input {name}");
        }
        let bytes = fs::metadata(&path)?.len();
        inputs.push(Input { name, path, bytes, hostile: *hostile });
    }
    Ok(inputs)
}

/// Writes one input of so many megabytes.
pub fn write(name: &str, path: &str, megabytes: usize) -> Result<()> {
    let mut random = Random::new(1, name);
    let mut next: Box<dyn FnMut(&mut Random) -> String> = match name {
        "statuses" => Box::new(statuses::status),
        "webhooks" => {
            let payloads = payloads::Payloads::read()?;
            Box::new(move |random| payloads.one(random))
        }
        "random data as keys" => Box::new(hostile::data),
        "random words as keys" => Box::new(hostile::words),
        _ => bail!("{name} is no input"),
    };
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = 0;
    while written < megabytes * 1_000_000 {
        let line = next(&mut random);
        written += line.len() + 1;
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

/// Removes the files.
pub fn remove(inputs: &[Input]) {
    for input in inputs {
        // One that is left behind is overwritten by the next run.
        let _ = fs::remove_file(&input.path);
    }
}

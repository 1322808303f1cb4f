//! What was found: panics caught, inputs made small and written down.
//!
//! Refuses to know: what is checked.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::checks::{self, Outcome};
use crate::input::Input;

/// Where and why a check last panicked.
static PANIC: Mutex<String> = Mutex::new(String::new());
static CHECKING: AtomicBool = AtomicBool::new(false);

/// From now on panics of checks are kept, not printed.
pub fn listen() {
    let print = take_hook();
    set_hook(Box::new(move |panic| match PANIC.lock() {
        Ok(mut last) if CHECKING.load(Ordering::Relaxed) => *last = panic.to_string(),
        _ => print(panic),
    }));
}

/// Checks an input; why it does not hold, if it does not.
pub fn of(input: &Input) -> Result<Outcome, String> {
    CHECKING.store(true, Ordering::Relaxed);
    let checked = catch_unwind(AssertUnwindSafe(|| checks::all(input)));
    CHECKING.store(false, Ordering::Relaxed);
    checked.unwrap_or_else(|_| {
        Err(PANIC.lock().map_or_else(|_| "it panicked".to_owned(), |last| last.replace('\n', " ")))
    })
}

/// An input that does not hold.
pub struct Finding {
    pub reason: String,
    pub input: Input,
}

impl Finding {
    /// The same without the documents and bytes it does not need.
    pub fn shrunk(&self) -> Self {
        let mut input = self.input.clone();
        let mut reason = self.reason.clone();
        let mut try_input = |smaller: Input, input: &mut Input| match of(&smaller) {
            Err(again) => {
                *input = smaller;
                reason = again;
                true
            }
            Ok(_) => false,
        };
        for at in (0..input.documents.len()).rev() {
            let mut smaller = input.clone();
            smaller.documents.remove(at);
            try_input(smaller, &mut input);
        }
        for at in 0..input.documents.len() {
            let mut length = input.documents[at].len() / 2;
            while length > 0 {
                let mut from = 0;
                while from < input.documents[at].len() {
                    let mut smaller = input.clone();
                    let to = (from + length).min(smaller.documents[at].len());
                    smaller.documents[at].drain(from..to);
                    if !try_input(smaller, &mut input) {
                        from += length;
                    }
                }
                length /= 2;
            }
        }
        Self { reason, input }
    }

    /// Writes it beside this program; where.
    pub fn write(&self) -> Result<PathBuf> {
        let own = std::env::current_exe()?;
        let folder = own.parent().context("this program lies in a folder")?.join("findings");
        fs::create_dir_all(&folder)?;
        let mut hasher = DefaultHasher::new();
        (&self.input.documents, self.input.seed).hash(&mut hasher);
        let file = folder.join(format!("{:016x}.json", hasher.finish()));
        fs::write(&file, self.input.written(&self.reason))?;
        Ok(file)
    }
}

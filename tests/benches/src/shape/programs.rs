//! The programs that are measured: how each is started, and on which input.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use schemascope_benches::places;

use crate::inputs::Input;

/// What a program is to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The full state of every document.
    Ours,
    /// A schema after every document, of the first ones.
    Emission,
    Value,
    Ignored,
    GensonRs,
    Genson,
    /// The command, on all cores.
    Infer,
    /// The same on one core.
    InferOnOne,
}

/// One measured program.
#[derive(Debug)]
pub struct Program {
    pub role: Role,
    pub name: &'static str,
    command: Vec<OsString>,
}

impl Program {
    /// Whether it is run on an input: only we face hostile ones.
    pub fn takes(&self, input: &Input) -> bool {
        !input.hostile || matches!(self.role, Role::Ours | Role::Emission | Role::Infer)
    }

    /// Whether it must stay on one core.
    pub fn pinned(&self) -> bool {
        self.role != Role::Infer
    }

    /// Whether it tells people on the error stream what it did.
    pub fn tells(&self) -> bool {
        matches!(self.role, Role::Infer | Role::InferOnOne)
    }

    /// Its command line for an input.
    pub fn command(&self, input: &Path, pin: Option<usize>) -> Command {
        let mut words = self.command.clone();
        words.push(input.into());
        if let Some(core) = pin {
            let pinned = ["taskset".into(), "-c".into(), OsString::from(core.to_string())];
            words.splice(0..0, pinned);
        }
        let mut command = Command::new(&words[0]);
        // genson-rs has no option for it; it is the number of threads of its thread pool.
        command.args(&words[1..]).env("RAYON_NUM_THREADS", "1");
        command
    }
}

/// All that are there; who is missing is said.
pub fn all() -> Result<Vec<Program>> {
    let own = std::env::current_exe()?;
    let work = |role, name, what: &str| Program {
        role,
        name,
        command: vec![own.clone().into(), "work".into(), what.into()],
    };
    let mut programs = vec![
        work(Role::Ours, "ours, full state", "observe"),
        work(Role::Emission, "ours, a schema after each", "emit"),
        work(Role::Value, "serde_json to Value, parse only", "value"),
        work(Role::Ignored, "serde_json ignoring all, parse only", "ignore"),
    ];
    let infer = places::target()?.join("release/schemascope");
    let infer = || infer.is_file().then(|| vec![infer.clone().into(), "infer".into()]);
    let others = [
        (
            Role::GensonRs,
            "genson-rs, one thread",
            places::genson_rs().map(|path| vec![path.into(), "--delimiter".into(), "newline".into()]),
        ),
        (
            Role::Genson,
            "GenSON (Python)",
            places::python().map(|path| vec![path.into(), places::script().into()]),
        ),
        (Role::Infer, "schemascope infer, all cores", infer()),
        (Role::InferOnOne, "schemascope infer, one core", infer()),
    ];
    for (role, name, command) in others {
        match command {
            Some(command) => programs.push(Program { role, name, command }),
            None => println!("Not installed, left out: {name}"),
        }
    }
    Ok(programs)
}

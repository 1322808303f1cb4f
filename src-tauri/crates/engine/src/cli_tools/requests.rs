//! Requests of agents to use a program. Nothing is run for one before a person approves it.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use schemascope_api::CliRequest;
use schemascope_helptext::is_interpreter;
use schemascope_model::Timestamp;
use schemascope_program::find;

use super::cache::ProgramFile;
use super::entry::CliEntry;
use crate::files;

/// Name of the file in the data directory.
const FILE: &str = "cli-requests.json";
/// Most requests that wait.
const MAX_WAITING: usize = 20;
/// Most requests within an hour.
const MAX_PER_HOUR: usize = 10;
/// An hour, in milliseconds.
const HOUR: u64 = 3_600_000;
/// Longest text of a request, in bytes.
const MAX_TEXT: usize = 8_000;

/// What an agent asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    pub(crate) command: String,
    pub(crate) alias: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) system_prompt: Option<String>,
    pub(crate) persist: bool,
    pub(crate) client: Option<String>,
}

/// Requests that await a decision. They survive a restart.
#[derive(Debug)]
pub(crate) struct Requests {
    path: PathBuf,
    state: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    requests: Vec<CliRequest>,
    /// Files of the requested programs, by path. After a restart, they are those of then.
    programs: BTreeMap<String, ProgramFile>,
    /// Times of the latest requests.
    recent: VecDeque<Timestamp>,
}

impl Requests {
    pub(crate) fn open(data: &Path) -> Self {
        let path = data.join(FILE);
        let text = files::read_text(&path).ok().flatten();
        let requests: Vec<CliRequest> =
            text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let recent = requests.iter().map(|request| request.at).collect();
        let programs = requests.iter().filter_map(|request| {
            Some((request.program.clone(), ProgramFile::look(Path::new(&request.program))?))
        });
        let programs = programs.collect();
        Self { path, state: Mutex::new(Waiting { requests, programs, recent }) }
    }

    pub(crate) fn all(&self) -> Vec<CliRequest> {
        self.state.lock().requests.clone()
    }

    /// Takes a request, or says why it is rejected. `is_taken` says whether an alias is in use.
    pub(crate) fn add(
        &self,
        wish: Wish,
        now: Timestamp,
        is_taken: impl Fn(&str) -> bool,
    ) -> Result<CliRequest, String> {
        let command = wish.command.trim();
        if command.contains(['/', '\\']) {
            return Err(format!("{command:?} is a path; name a program that is in PATH"));
        }
        if command.is_empty() || command.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(format!(
                "{command:?} is not the name of a program; give the name alone, without arguments"
            ));
        }
        let texts = [&wish.alias, &wish.description, &wish.system_prompt];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT) || command.len() > MAX_TEXT {
            return Err(format!("a text is longer than {MAX_TEXT} bytes"));
        }
        if is_interpreter(command) {
            return Err(format!(
                "{command} runs whatever it is given and cannot be registered; a person can add it to ai-tools.json"
            ));
        }
        let mut entry = CliEntry::of_command(command);
        if let Some(alias) = wish.alias.filter(|alias| !alias.trim().is_empty()) {
            entry.alias = alias.trim().to_owned();
        }
        if let Some(problem) = entry.problem() {
            return Err(problem);
        }
        let program = find(command, std::env::var_os("PATH").as_deref());
        let program = program.map_err(|problem| format!("command {command:?} {problem}"))?;
        let mut state = self.state.lock();
        if is_taken(&entry.alias) || state.requests.iter().any(|request| request.alias == entry.alias) {
            return Err(format!("the alias {:?} is in use; choose another one", entry.alias));
        }
        if state.requests.len() >= MAX_WAITING {
            return Err(format!("{MAX_WAITING} requests already await a person's decision; try again later"));
        }
        state.recent.retain(|at| now.as_millis().saturating_sub(at.as_millis()) < HOUR);
        if state.recent.len() >= MAX_PER_HOUR {
            return Err(format!("{MAX_PER_HOUR} requests were made within an hour; try again later"));
        }
        let request = CliRequest {
            alias: entry.alias,
            command: entry.command,
            program: program.display().to_string(),
            description: wish.description,
            system_prompt: wish.system_prompt,
            persist: wish.persist,
            client: wish.client,
            at: now,
        };
        // A request that already waits is bound to the file that it was made for.
        let is_known = state.requests.iter().any(|other| other.program == request.program);
        if let Some(file) = ProgramFile::look(&program).filter(|_| !is_known) {
            state.programs.insert(request.program.clone(), file);
        }
        state.recent.push_back(now);
        state.requests.push(request.clone());
        self.write(&state.requests);
        Ok(request)
    }

    /// Whether a request's program is the file that it was when it was requested, or last looked at.
    pub(crate) fn is_same_program(&self, request: &CliRequest) -> bool {
        let program = ProgramFile::look(Path::new(&request.program));
        self.state.lock().programs.get(&request.program).is_none_or(|known| Some(known) == program.as_ref())
    }

    /// Notes that a person has seen what a program says of itself now.
    pub(crate) fn looked_at(&self, program: &Path, file: ProgramFile) {
        let program = program.display().to_string();
        let mut state = self.state.lock();
        if state.requests.iter().any(|request| request.program == program) {
            state.programs.insert(program, file);
        }
    }

    /// Puts back a request that could not be decided.
    pub(crate) fn put_back(&self, request: CliRequest) {
        let mut state = self.state.lock();
        let at = state.requests.partition_point(|other| other.at <= request.at);
        state.requests.insert(at, request);
        self.write(&state.requests);
    }

    /// Takes a request out for a decision.
    pub(crate) fn take(&self, alias: &str) -> Option<CliRequest> {
        let mut state = self.state.lock();
        let at = state.requests.iter().position(|request| request.alias == alias)?;
        let request = state.requests.remove(at);
        self.write(&state.requests);
        Some(request)
    }

    fn write(&self, requests: &[CliRequest]) {
        let written = serde_json::to_vec(requests).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|bytes| files::write_whole(&self.path, &bytes)) {
            tracing::warn!(%error, file = %self.path.display(), "requests for command-line tools cannot be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(command: &str, alias: &str) -> Wish {
        let alias = (!alias.is_empty()).then(|| alias.to_owned());
        Wish { command: command.to_owned(), alias, ..Wish::default() }
    }

    #[test]
    fn requests_are_checked_bounded_and_survive() {
        let scratch = tempfile::tempdir().unwrap();
        let requests = Requests::open(scratch.path());
        let at = Timestamp::from_millis(1_000_000_000_000);
        let add =
            |command: &str, alias: &str| requests.add(wish(command, alias), at, |alias| alias == "taken");
        for (command, alias, says) in [
            ("/bin/ls", "", "is a path"),
            ("ls -l", "", "without arguments"),
            ("", "", "not the name"),
            ("bash", "", "runs whatever it is given"),
            ("no-such-program", "", "was not found"),
            ("ls", "a__b", "\"alias\""),
            ("ls", "taken", "in use"),
        ] {
            let problem = add(command, alias).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
        for number in 0..MAX_PER_HOUR {
            add("ls", &format!("ls{number}")).unwrap();
        }
        assert!(add("ls", "ls0").unwrap_err().contains("in use"));
        assert!(add("ls", "more").unwrap_err().contains("within an hour"));
        let later = Timestamp::from_millis(at.as_millis() + HOUR);
        for number in 0..MAX_WAITING - MAX_PER_HOUR {
            requests.add(wish("ls", &format!("later{number}")), later, |_| false).unwrap();
        }
        assert!(requests.add(wish("ls", "x"), later, |_| false).unwrap_err().contains("already await"));
        let again = Requests::open(scratch.path());
        assert_eq!(again.all(), requests.all());
        assert!(again.take("ls3").is_some() && again.take("ls3").is_none());
        assert_eq!(Requests::open(scratch.path()).all().len(), MAX_WAITING - 1);
    }
}

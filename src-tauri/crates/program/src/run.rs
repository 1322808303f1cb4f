//! Running a program to its end.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::captured::Captured;
use crate::confine::Confinement;
use crate::environment::{UPSTREAM_OF, inherited};
use crate::group::ProcessGroup;
use crate::resources::Resources;

/// How long the output of an ended program is read. A process that it left behind may keep its pipes open.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);
/// Time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Longest line that is reported as progress, in bytes.
const MAX_PROGRESS: usize = 200;

/// A program, and the limits it runs within.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments. No shell is involved.
    pub arguments: Vec<String>,
    /// Variables it gets besides the inherited ones.
    pub env: BTreeMap<String, String>,
    /// Its working directory; ours by default.
    pub cwd: Option<PathBuf>,
    /// Text for its standard input, which is empty otherwise.
    pub stdin: Option<String>,
    /// Time after which its group is ended.
    pub timeout: Duration,
    /// Bytes of stdout that are kept, and of stderr.
    pub max_output: usize,
    /// What the kernel gives it.
    pub resources: Resources,
    /// What it can do, if it is confined.
    pub confine: Option<Confinement>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// By us, because its time was over.
    TimedOut,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
}

/// Runs a program to its end. `progress` gets the latest line of stderr, or of stdout if there is none, at most ten
/// times a second. Dropping the future kills the whole process group.
pub async fn run(run: Run, progress: impl Fn(String)) -> io::Result<Outcome> {
    let mut command = Command::new(&run.program);
    command.args(&run.arguments).env_clear().envs(inherited()).envs(&run.env);
    command.env(UPSTREAM_OF, std::process::id().to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if run.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    if let Some(cwd) = &run.cwd {
        command.current_dir(cwd);
    }
    let mut group = match run.confine {
        Some(confinement) => ProcessGroup::spawn_confined(command, confinement).await?,
        None => ProcessGroup::spawn(command)?,
    };
    // Dropping the group ends a process that could not be limited.
    run.resources.limit(group.id())?;
    let stdin = group.child().stdin().take();
    let latest = Latest::default();
    let stdout = Reader::start(group.child().stdout().take(), run.max_output, &latest, Stream::Out);
    let stderr = Reader::start(group.child().stderr().take(), run.max_output, &latest, Stream::Err);
    let feeding = run.stdin.zip(stdin).map(|(text, mut pipe)| {
        Task(tokio::spawn(async move {
            // A program that does not read its input closes it; that is its business.
            let _ = pipe.write_all(text.as_bytes()).await;
        }))
    });
    let ended = wait(&mut group, run.timeout, &latest, progress).await;
    drop(feeding);
    let (stdout, stderr) = (stdout.finish().await, stderr.finish().await);
    Ok(Outcome { ended, stdout, stderr })
}

async fn wait(
    group: &mut ProcessGroup,
    limit: Duration,
    latest: &Latest,
    progress: impl Fn(String),
) -> Ended {
    let deadline = tokio::time::sleep_until(Instant::now() + limit);
    tokio::pin!(deadline);
    let mut ticks = interval(PROGRESS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            status = group.wait() => {
                // What it left behind in its group would hold its pipes open.
                group.kill_rest();
                return status.map_or(Ended::Signal(0), ended);
            }
            () = &mut deadline => {
                group.terminate().await;
                return Ended::TimedOut;
            }
            _ = ticks.tick() => {
                if let Some(line) = latest.take() {
                    progress(line);
                }
            }
        }
    }
}

fn ended(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Exit(status.code().unwrap_or(-1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

/// The latest line that was not reported yet.
#[derive(Debug, Clone, Default)]
struct Latest(Arc<Mutex<(Option<String>, bool)>>);

impl Latest {
    fn set(&self, line: String, stream: Stream) {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Once there is progress on stderr, stdout is the result.
        latest.1 |= stream == Stream::Err;
        if stream == Stream::Err || !latest.1 {
            latest.0 = Some(line);
        }
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

struct Reader {
    captured: Arc<Mutex<Captured>>,
    task: Option<Task>,
}

/// A task that ends when this is dropped: what it waits for can be held open by a process that left the group.
struct Task(tokio::task::JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Reader {
    fn start<R: AsyncRead + Unpin + Send + 'static>(
        pipe: Option<R>,
        limit: usize,
        latest: &Latest,
        stream: Stream,
    ) -> Self {
        let captured = Arc::new(Mutex::new(Captured::new(limit)));
        let task = pipe.map(|mut pipe| {
            let (captured, latest) = (Arc::clone(&captured), latest.clone());
            Task(tokio::spawn(async move {
                let mut buffer = vec![0_u8; 64 << 10];
                while let Ok(count) = pipe.read(&mut buffer).await {
                    let Some(piece) = buffer.get(..count).filter(|piece| !piece.is_empty()) else { break };
                    captured.lock().unwrap_or_else(PoisonError::into_inner).push(piece);
                    if let Some(line) = last_line(piece) {
                        latest.set(line, stream);
                    }
                }
            }))
        });
        Self { captured, task }
    }

    async fn finish(self) -> Captured {
        if let Some(mut task) = self.task {
            // What does not end in time is ended.
            let _ = timeout(LAST_OUTPUT_TIMEOUT, &mut task.0).await;
        }
        std::mem::take(&mut *self.captured.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The last line with something in it. Progress bars return the carriage within a line.
fn last_line(piece: &[u8]) -> Option<String> {
    let tail = piece.get(piece.len().saturating_sub(4 * MAX_PROGRESS)..)?;
    let text = String::from_utf8_lossy(tail);
    let line = text.split(['\n', '\r']).map(str::trim).rfind(|line| !line.is_empty())?;
    let plain: String = line.chars().filter(|c| !c.is_control()).take(MAX_PROGRESS).collect();
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Run {
        Run {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            env: BTreeMap::new(),
            cwd: None,
            stdin: None,
            timeout: Duration::from_secs(20),
            max_output: 1 << 20,
            resources: Resources::default(),
            confine: None,
        }
    }

    async fn done(what: Run) -> Outcome {
        run(what, |_| {}).await.unwrap()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn resources_are_limited_for_the_program_and_what_it_starts() {
        use crate::resources::FILE_TOO_LARGE;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("large");
        let resources = Resources { memory_bytes: Some(256 << 20), file_bytes: Some(1 << 20) };
        // The limits hold from just after the start.
        let write = format!("sleep 0.2; exec dd if=/dev/zero of={} bs=4096 count=1000", file.display());
        let outcome = done(Run { resources, ..sh(&write) }).await;
        assert_eq!(outcome.ended, Ended::Signal(FILE_TOO_LARGE));
        assert_eq!(file.metadata().unwrap().len(), 1 << 20);
        let allocate = "sleep 0.2; python3 -c 'print(len(bytearray(1 << 30)))'";
        let outcome = done(Run { resources, ..sh(allocate) }).await;
        assert!(
            outcome.ended == Ended::Exit(1) && outcome.stderr.text().contains("MemoryError"),
            "{outcome:?}"
        );
        let outcome = done(sh(allocate)).await;
        assert_eq!(outcome.stdout.text(), "1073741824\n");
    }

    #[tokio::test]
    async fn output_and_exit_code_are_those_of_the_program() {
        let outcome = done(sh("echo out; echo err >&2; exit 3")).await;
        assert_eq!(outcome.ended, Ended::Exit(3));
        assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("out\n", "err\n"));
        let outcome = done(Run { stdin: Some("a\nb\n".into()), ..sh("cat; kill -9 $$") }).await;
        assert_eq!((outcome.ended, outcome.stdout.text().as_str()), (Ended::Signal(9), "a\nb\n"));
        let outcome = done(sh("cat; echo ${CARGO_MANIFEST_DIR:-none}")).await;
        assert!(outcome.stdout.text().ends_with("none\n"), "{:?}", outcome.stdout.text());
    }

    /// A program in our session that reads a password from the terminal was stopped until its time was over.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn program_has_a_session_of_its_own() {
        let outcome = done(sh("echo $$; cut -d ' ' -f 6 /proc/$$/stat")).await;
        let text = outcome.stdout.text();
        let ids: Vec<&str> = text.lines().collect();
        assert!(matches!(ids[..], [process, session] if process == session), "{text}");
    }

    #[tokio::test]
    async fn program_that_ignores_sigterm_ends_with_its_children() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("pid");
        let script = format!("trap '' TERM; sleep 600 & echo $! > {}; wait; sleep 600", file.display());
        let began = Instant::now();
        let outcome = done(Run { timeout: Duration::from_secs(3), ..sh(&script) }).await;
        assert_eq!(outcome.ended, Ended::TimedOut);
        assert!(began.elapsed() < Duration::from_secs(15));
        let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        // The kernel ends it soon, not at once.
        while is_running(pid) {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn dropped_run_kills_the_group() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("pid");
        let script = format!("trap '' TERM; sleep 600 & echo $! > {}; wait", file.display());
        let running = tokio::spawn(run(sh(&script), |_| {}));
        let pid = loop {
            match std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<i32>().ok()) {
                Some(pid) => break pid,
                None => tokio::task::yield_now().await,
            }
        };
        running.abort();
        assert!(running.await.is_err());
        while is_running(pid) {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn flood_is_bounded_and_progress_is_the_last_line() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&lines);
        let script =
            "echo step one >&2; head -c 3000000 /dev/zero | tr '\\0' x; while [ ! -e $DONE ]; do :; done";
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("done");
        let env = BTreeMap::from([("DONE".to_owned(), file.display().to_string())]);
        let outcome = run(Run { env, max_output: 1_000, ..sh(script) }, move |line| {
            seen.lock().unwrap().push(line);
            std::fs::write(&file, "").unwrap();
        });
        let outcome = outcome.await.unwrap();
        assert_eq!(outcome.stdout.left_out(), 2_999_000);
        assert_eq!(lines.lock().unwrap().first().map(String::as_str), Some("step one"));
    }

    /// Whether a process exists and is no zombie.
    fn is_running(pid: i32) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    }
}

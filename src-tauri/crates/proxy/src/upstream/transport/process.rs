//! The process of an upstream: which variables it inherits, and that its whole group ends with it.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

use crate::config::StdioSpec;

/// Variables an upstream inherits, besides every `LC_*`: those the MCP SDKs pass on, and those programs need to find
/// their locale, temporary files and settings. All others may be secrets.
const INHERITED: &[&str] = &[
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERPROFILE",
];

/// Variable that names the process that started an upstream. A Schemascope that is its own upstream would list its
/// own tools again and again, under ever longer names.
pub const UPSTREAM_OF: &str = "SCHEMASCOPE_UPSTREAM_OF";

/// How long a process may take to end after its stdin was closed, and again after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_millis(1_500);
/// The same when Schemascope itself ends.
const HURRIED_END_TIMEOUT: Duration = Duration::from_millis(300);

/// Size of the pipe for stdout: a large result is then written and read in one go. Not larger, because Linux limits
/// the total for all processes of a user.
#[cfg(target_os = "linux")]
const STDOUT_PIPE_BYTES: usize = 256 << 10;

/// A running process and its pipes.
pub(crate) struct Process {
    pub(crate) child: ProcessGroup,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts a process in a group of its own.
pub(crate) fn start(spec: &StdioSpec) -> Result<Process, String> {
    let mut command = Command::new(&spec.command);
    command.args(&spec.args).env_clear().envs(inherited()).envs(&spec.env);
    command.env(UPSTREAM_OF, std::process::id().to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    if let Some(cwd) = &spec.cwd {
        if !cwd.is_dir() {
            return Err(format!("its \"cwd\" {} is not a folder", cwd.display()));
        }
        command.current_dir(cwd);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("command {:?} was not found; is it installed and in PATH?", spec.command)
        }
        io::ErrorKind::PermissionDenied => format!("command {:?} may not be executed", spec.command),
        _ => format!("command {:?} could not be started: {error}", spec.command),
    })?;
    match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
        (Some(stdin), Some(stdout), Some(stderr)) => {
            // A smaller pipe works as well.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(&stdout, STDOUT_PIPE_BYTES);
            Ok(Process { child: ProcessGroup::new(child), stdin, stdout, stderr })
        }
        _ => Err("its pipes could not be opened".into()),
    }
}

fn inherited() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        // Shells export functions as variables that begin with `()`; programs do not need them.
        let wanted = INHERITED.contains(&name.to_ascii_uppercase().as_str()) || name.starts_with("LC_");
        (wanted && !value.starts_with("()")).then_some((name, value))
    })
}

/// A process whose whole group is killed when this is dropped.
pub(crate) struct ProcessGroup {
    child: Child,
    /// Id of the group: that of the child, which leads it. Kept because the child forgets its id once it was waited
    /// for, while other processes of the group may live on.
    group: Option<i32>,
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.signal(Signal::Kill);
    }
}

impl ProcessGroup {
    fn new(child: Child) -> Self {
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        Self { child, group }
    }

    /// Waits until the process ends by itself.
    pub(crate) async fn wait(&mut self) -> Option<ExitStatus> {
        self.child.wait().await.ok()
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the process ends by itself, as it should once its stdin is closed. Sends SIGTERM and then SIGKILL
    /// where it does not, sooner if `hurry` is cancelled. No process of its group is left.
    pub(crate) async fn end(&mut self, hurry: &CancellationToken) -> Option<ExitStatus> {
        let mut ended = self.ended_in_time(hurry).await;
        if ended.is_none() {
            self.signal(Signal::Terminate);
            ended = self.ended_in_time(hurry).await;
        }
        // Grandchildren may outlive the process. The system may reuse the id after it was waited for.
        self.signal(Signal::Kill);
        let status = match ended {
            Some(status) => status,
            None => self.child.wait().await.ok(),
        };
        self.group = None;
        status
    }

    /// How the process ended, or `None` if it has not ended in time.
    async fn ended_in_time(&mut self, hurry: &CancellationToken) -> Option<Option<ExitStatus>> {
        let hurried = async {
            hurry.cancelled().await;
            tokio::time::sleep(HURRIED_END_TIMEOUT).await;
        };
        tokio::select! {
            status = self.child.wait() => Some(status.ok()),
            () = tokio::time::sleep(END_TIMEOUT) => None,
            () = hurried => None,
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        use rustix::process::{Pid, Signal as Unix, kill_process_group};
        let Some(group) = self.group.and_then(Pid::from_raw) else { return };
        let signal = match signal {
            Signal::Terminate => Unix::TERM,
            Signal::Kill => Unix::KILL,
        };
        // Fails where all processes ended by themselves.
        let _ = kill_process_group(group, signal);
    }
}

impl ProcessGroup {
    #[cfg(not(unix))]
    fn signal(&mut self, _: Signal) {
        let _ = self.child.start_kill();
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

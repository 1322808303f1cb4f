//! Starting and ending an upstream's process.
//!
//! Owns: what the process inherits and that its whole group ends with it. Refuses to know: MCP.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::config::StdioSpec;

/// Variables an upstream inherits, beside every `LC_*`: what the MCP SDKs pass on, and what programs
/// need to find their locale, temporary files and settings. Never ours: those may be secrets.
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

/// Tells an upstream whose it is, by process id: Schemascope behind itself would see its own tools again and
/// again, under ever longer names.
pub const UPSTREAM_OF: &str = "SCHEMASCOPE_UPSTREAM_OF";

/// How long a process may take to end after its stdin was closed, and again after it was asked to.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Bytes a process may write before it has to wait for us, where more than usual can be had: a large result is then
/// written and read in one go. Not more: what all processes of a user may have together is bounded.
#[cfg(target_os = "linux")]
const ROOM: usize = 256 << 10;

/// A running process and its pipes.
pub(crate) struct Process {
    pub(crate) child: ProcessGroup,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts the process in a group of its own.
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
            // With less room it works as well.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(&stdout, ROOM);
            Ok(Process { child: ProcessGroup::new(child), stdin, stdout, stderr })
        }
        _ => Err("its pipes could not be opened".into()),
    }
}

fn inherited() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        // Shells export functions as variables that begin so; no program needs them.
        let wanted = INHERITED.contains(&name.to_ascii_uppercase().as_str()) || name.starts_with("LC_");
        (wanted && !value.starts_with("()")).then_some((name, value))
    })
}

/// A process whose whole group is killed when this is dropped.
pub(crate) struct ProcessGroup {
    child: Child,
    /// The group's id: that of the child, which leads it. Kept because the child forgets its own id
    /// once it was waited for, while others of the group may live on.
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

    /// Waits until the process has ended by itself.
    pub(crate) async fn wait(&mut self) -> Option<ExitStatus> {
        self.child.wait().await.ok()
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for the process to end by itself, as it should when its stdin is closed; asks it to when
    /// it does not; makes it when that does not help either. Nothing of its group is left.
    pub(crate) async fn end(&mut self) -> Option<ExitStatus> {
        let status = match tokio::time::timeout(PATIENCE, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                self.signal(Signal::Terminate);
                match tokio::time::timeout(PATIENCE, self.child.wait()).await {
                    Ok(status) => status,
                    Err(_) => {
                        self.signal(Signal::Kill);
                        self.child.wait().await
                    }
                }
            }
        };
        // Grandchildren may outlive the process; the id must not be used again after this.
        self.signal(Signal::Kill);
        self.group = None;
        status.ok()
    }

    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        use rustix::process::{Pid, Signal as Unix, kill_process_group};
        let Some(group) = self.group.and_then(Pid::from_raw) else { return };
        let signal = match signal {
            Signal::Terminate => Unix::TERM,
            Signal::Kill => Unix::KILL,
        };
        // There is nobody left to signal when all ended by themselves.
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

//! The process of an upstream, and its pipes.

use std::io;
use std::process::Stdio;

use schemascope_program::{ProcessGroup, UPSTREAM_OF, inherited};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::config::StdioSpec;

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

/// Starts a process in a group and a session of its own.
pub(crate) fn start(spec: &StdioSpec) -> Result<Process, String> {
    let mut command = Command::new(&spec.command);
    command.args(&spec.args).env_clear().envs(inherited()).envs(&spec.env);
    command.env(UPSTREAM_OF, std::process::id().to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = &spec.cwd {
        if !cwd.is_dir() {
            return Err(format!("its \"cwd\" {} is not a folder", cwd.display()));
        }
        command.current_dir(cwd);
    }
    let mut group = ProcessGroup::spawn(command).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("command {:?} was not found; is it installed and in PATH?", spec.command)
        }
        io::ErrorKind::PermissionDenied => format!("command {:?} may not be executed", spec.command),
        _ => format!("command {:?} could not be started: {error}", spec.command),
    })?;
    let child = group.child();
    match (child.stdin().take(), child.stdout().take(), child.stderr().take()) {
        (Some(stdin), Some(stdout), Some(stderr)) => {
            // A smaller pipe works as well.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(&stdout, STDOUT_PIPE_BYTES);
            Ok(Process { child: group, stdin, stdout, stderr })
        }
        _ => Err("its pipes could not be opened".into()),
    }
}

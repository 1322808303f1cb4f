//! A process whose whole group ends with it.

use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// How long a process may take to end after its stdin was closed, and again after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_millis(1_500);
/// The same when Schemascope itself ends.
const HURRIED_END_TIMEOUT: Duration = Duration::from_millis(300);

/// A process whose whole group is killed when this is dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Box<dyn ChildWrapper>,
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
    /// Starts a process that leads a group and a session of its own. So it has no terminal: where it asks for a
    /// password there, it fails, while in a group of our session the system would stop it until its time is over.
    pub fn spawn(mut command: Command) -> std::io::Result<Self> {
        command.kill_on_drop(true);
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessSession);
        // Of the library's wrapper only the start is wanted: it waits for others of the group, too.
        let child = command.spawn()?.into_inner();
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        Ok(Self { child, group })
    }

    /// The process, to take its pipes.
    pub fn child(&mut self) -> &mut dyn ChildWrapper {
        &mut *self.child
    }

    /// Waits until the process ends by itself.
    pub async fn wait(&mut self) -> Option<ExitStatus> {
        self.child.wait().await.ok()
    }

    /// Id of the process, until it was waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the process ends by itself, as it should once its stdin is closed. Sends SIGTERM and then SIGKILL
    /// where it does not, sooner if `hurry` is cancelled. No process of its group is left.
    pub async fn end(&mut self, hurry: &CancellationToken) -> Option<ExitStatus> {
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

    /// Asks the group to end, and kills it if it does not.
    pub async fn terminate(&mut self) -> Option<ExitStatus> {
        self.signal(Signal::Terminate);
        self.end(&CancellationToken::new()).await
    }

    /// Ends what is left of the group after the process ended by itself.
    pub fn kill_rest(&mut self) {
        self.signal(Signal::Kill);
        self.group = None;
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

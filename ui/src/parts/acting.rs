//! Progress of the action of a dialog, which the user may leave before it ends.

use crate::app::App;
use crate::cells::RwSignal;

/// Progress of the action of a dialog.
#[derive(Clone, Copy)]
pub struct Acting {
    app: App,
    /// Whether the action runs.
    pub busy: RwSignal<bool>,
    /// Why the last attempt failed.
    pub problem: RwSignal<Option<String>>,
}

impl Acting {
    /// Nothing was done yet.
    pub fn new() -> Self {
        Self { app: App::get(), busy: RwSignal::new(false), problem: RwSignal::new(None) }
    }

    /// Starts the action; returns whether it does not run already.
    pub fn begin(self) -> bool {
        if self.busy.get_untracked() {
            return false;
        }
        self.busy.set(true);
        self.problem.set(None);
        true
    }

    /// Reports that the action failed, and allows another attempt. If the dialog was left meanwhile, a message says so.
    pub fn fail(self, why: String) {
        match self.busy.try_update(|busy| *busy = false) {
            Some(()) => self.problem.set(Some(why)),
            None => self.app.report_error(why),
        }
    }

    /// Whether the dialog was not left meanwhile.
    pub fn is_open(self) -> bool {
        self.busy.try_with_untracked(|_| ()).is_some()
    }

    /// Closes the dialog, unless it was left meanwhile: another may be open by now.
    pub fn close(self) {
        if self.is_open() {
            self.app.close_dialog();
        }
    }
}

//! Which client has the shared session to itself.
//!
//! An upstream may keep state for its client: a working folder, an open browser. The first client that could notice has
//! the shared session, so that one client needs one process only; others get sessions of their own. Once the first has
//! left, no other client takes that session over. It is replaced when it is no longer used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::session::Live;

/// The client of the shared session.
#[derive(Default)]
pub(crate) struct Occupancy(Mutex<Occupant>);

#[derive(Default)]
struct Occupant {
    /// The shared session that is meant. Another one is free.
    of: Weak<Live>,
    state: State,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    /// This client session has it.
    Taken(Box<str>),
    /// Its client has left. The number of requests is that of the last check.
    Left(u64),
}

impl Occupancy {
    fn lock(&self) -> MutexGuard<'_, Occupant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a client has the shared session to itself. It takes it if no other client did.
    pub(super) fn take(&self, shared: &Arc<Live>, session: &str) -> bool {
        let mut occupant = self.lock();
        let shared = Arc::downgrade(shared);
        if !Weak::ptr_eq(&occupant.of, &shared) {
            *occupant = Occupant { of: shared, state: State::Free };
        }
        if occupant.state == State::Free {
            occupant.state = State::Taken(session.into());
        }
        matches!(&occupant.state, State::Taken(by) if **by == *session)
    }

    /// Notes that a client has left, or was silent for long.
    pub(super) fn leave(&self, session: &str) {
        let mut occupant = self.lock();
        if matches!(&occupant.state, State::Taken(by) if **by == *session) {
            occupant.state = State::Left(0);
        }
    }

    /// Returns whether the client of this shared session has left, and nobody used the session since the last check.
    pub(super) fn is_over(&self, shared: &Arc<Live>) -> bool {
        let mut occupant = self.lock();
        let is_meant = Weak::ptr_eq(&occupant.of, &Arc::downgrade(shared));
        let State::Left(before) = &mut occupant.state else { return false };
        let now = shared.link.requests();
        let unused = std::mem::replace(before, now) == now;
        is_meant && unused && shared.link.is_idle()
    }
}

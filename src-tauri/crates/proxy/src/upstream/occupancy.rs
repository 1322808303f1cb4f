//! Which client has the shared session to itself.
//!
//! An upstream may keep state for its client: a working folder, an open browser. The first client that could notice has
//! the shared session, so that one client needs one process only; others get sessions of their own. Once the first has
//! left, no other client takes that session over. It is replaced when it is no longer used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The client of the shared session, which is an `S`.
pub(crate) struct Occupancy<S>(Mutex<Occupant<S>>);

struct Occupant<S> {
    /// The shared session that is meant. Another one is free.
    of: Weak<S>,
    state: State,
}

impl<S> Default for Occupancy<S> {
    fn default() -> Self {
        Self(Mutex::new(Occupant { of: Weak::new(), state: State::Free }))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Free,
    /// This client session has it.
    Taken(Box<str>),
    /// Its client has left.
    Left {
        /// Number of requests at the last check.
        requests: u64,
    },
}

impl<S> Occupancy<S> {
    fn lock(&self) -> MutexGuard<'_, Occupant<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a client has the shared session to itself. It takes it if no other client did.
    pub(super) fn take(&self, shared: &Arc<S>, session: &str) -> bool {
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

    /// Notes that a client has left.
    pub(super) fn leave(&self, session: &str) {
        let mut occupant = self.lock();
        if matches!(&occupant.state, State::Taken(by) if **by == *session) {
            occupant.state = State::Left { requests: 0 };
        }
    }

    /// Returns whether the client of this shared session has left, and the session was not used since the last check.
    /// `requests` is the number of its requests so far.
    pub(super) fn is_over(&self, shared: &Arc<S>, requests: u64) -> bool {
        let mut occupant = self.lock();
        let is_meant = Weak::ptr_eq(&occupant.of, &Arc::downgrade(shared));
        let State::Left { requests: before } = &mut occupant.state else { return false };
        std::mem::replace(before, requests) == requests && is_meant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_client_has_the_session_until_another_one_replaces_it() {
        let occupancy = Occupancy::default();
        let (first, second) = (Arc::new(1), Arc::new(2));
        assert!(
            occupancy.take(&first, "ann") && !occupancy.take(&first, "bob") && occupancy.take(&first, "ann")
        );
        occupancy.leave("bob");
        assert!(!occupancy.is_over(&first, 5), "its client is there");
        occupancy.leave("ann");
        assert!(
            !occupancy.take(&first, "bob") && !occupancy.take(&first, "ann"),
            "it has the state of a client"
        );
        assert!(!occupancy.is_over(&first, 5), "not checked before");
        assert!(!occupancy.is_over(&first, 6), "used in between");
        assert!(!occupancy.is_over(&second, 6), "another session");
        assert!(occupancy.is_over(&first, 6));
        assert!(occupancy.take(&second, "bob"), "a new session is free");
        assert!(!occupancy.is_over(&second, 0));
    }
}

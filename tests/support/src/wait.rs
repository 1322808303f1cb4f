//! Waiting for a condition. All tests share one deadline, and a failure says what was awaited.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Longer than anything takes on a busy machine. A test that passes never waits so long.
pub const DEADLINE: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The result of one look at a condition: `bool`, or `Option` where the condition has a value.
pub trait Condition {
    /// What a condition that holds gives.
    type Value;

    /// The value, if the condition holds.
    fn value(self) -> Option<Self::Value>;
}

impl Condition for bool {
    type Value = ();

    fn value(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Condition for Option<T> {
    type Value = T;

    fn value(self) -> Self {
        self
    }
}

/// Polls until the condition holds. Panics at the deadline, with what was awaited.
#[track_caller]
#[expect(clippy::panic, reason = "a test that waits in vain has failed")]
pub fn until<C: Condition>(awaited: &str, mut condition: impl FnMut() -> C) -> C::Value {
    match try_until(awaited, || Ok(condition())) {
        Ok(value) => value,
        Err(error) => panic!("{error:#}"),
    }
}

/// Polls until the condition holds. An error of a look ends the wait; so does the deadline.
pub fn try_until<C: Condition>(awaited: &str, mut condition: impl FnMut() -> Result<C>) -> Result<C::Value> {
    let began = Instant::now();
    loop {
        if let Some(value) = condition()?.value() {
            return Ok(value);
        }
        if began.elapsed() > DEADLINE {
            bail!("waited {} s for this: {awaited}", DEADLINE.as_secs());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Polls for this long and panics once the condition does not hold: for what must not happen.
#[track_caller]
pub fn throughout(condition: &str, time: Duration, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    loop {
        assert!(holds(), "this did not last {time:?}: {condition}");
        if began.elapsed() > time {
            return;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn until_returns_the_value_of_the_first_look_that_has_one() {
        let mut looks = 0;
        let value = until("the third look", || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(value, 3);
    }

    #[test]
    fn try_until_ends_with_the_error_of_a_look() {
        let ended = try_until::<bool>("a process", || bail!("it ended with code 3"));
        assert_eq!(ended.unwrap_err().to_string(), "it ended with code 3");
    }

    #[test]
    #[should_panic(expected = "this did not last")]
    fn throughout_panics_when_the_condition_stops_holding() {
        let mut looks = 0;
        throughout("two looks at most", DEADLINE, || {
            looks += 1;
            looks <= 2
        });
    }
}

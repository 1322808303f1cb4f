//! The priority of the recorder's threads in the background.
//!
//! It is one of Linux. Elsewhere all threads are equal, and only the slowest answers take longer.

/// Gives this thread only the time that no other thread wants. Any thread that wakes up gets the processor at once.
pub(super) fn background() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
            thread_native_id,
        };
        let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        if let Err(error) = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy) {
            tracing::debug!(?error, "the priority of a thread could not be lowered to idle");
        }
    }
}

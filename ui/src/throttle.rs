//! Loads something again when what it depends on changes, with a pause between two loads.

use std::pin::Pin;

use crate::browser;
use crate::cells::{RwSignal, StoredValue, effect};

/// The work of one load.
type Load = Pin<Box<dyn Future<Output = ()>>>;

/// Loads now, and again when a signal that `is_wanted` reads has changed. Changes during a load, or within
/// `pause` milliseconds of one, cause one later load together. While `is_wanted` is false, nothing is loaded.
pub fn throttled<F>(pause: i32, is_wanted: impl Fn() -> bool + 'static, load: impl Fn() -> F + 'static)
where
    F: Future<Output = ()> + 'static,
{
    follow(pause, Box::new(is_wanted), Box::new(move || Box::pin(load())));
}

fn follow(pause: i32, is_wanted: Box<dyn Fn() -> bool>, load: Box<dyn Fn() -> Load>) {
    let (busy, changed) = (StoredValue::new(false), StoredValue::new(false));
    let again = RwSignal::new(0_u32);
    effect(move || {
        again.track();
        if !is_wanted() {
            return;
        }
        if busy.get_value() {
            changed.set_value(true);
            return;
        }
        busy.set_value(true);
        changed.set_value(false);
        let load = load();
        leptos::task::spawn_local(async move {
            load.await;
            browser::sleep(pause).await;
            busy.update_value(|busy| *busy = false);
            if changed.try_with_value(Clone::clone) == Some(true) {
                again.update(|again| *again += 1);
            }
        });
    });
}

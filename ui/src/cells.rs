//! Signals whose insides are of one type, whatever they hold; event handlers of one type, too.
//!
//! Leptos makes the code of a signal anew for every type in one. Here the value is boxed, so that code
//! exists once; that is a third of the dashboard's size. The names and methods are those of Leptos. Owns:
//! the boxes. Refuses to know: values.

use std::any::Any;
use std::marker::PhantomData;

use leptos::ev::MouseEvent;
use leptos::prelude::{self as base, *};

type Boxed = Box<dyn Any + Send + Sync>;

/// A value that can be set and is watched.
pub struct RwSignal<T> {
    inner: base::RwSignal<Boxed>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for RwSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RwSignal<T> {}

impl<T: Default + Send + Sync + 'static> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Send + Sync + 'static> RwSignal<T> {
    /// A signal with its first value.
    pub fn new(value: T) -> Self {
        Self { inner: signal(Box::new(value)), value: PhantomData }
    }

    /// Reads, and again whenever it changes.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.inner.track();
        self.with_untracked(read)
    }

    /// Reads once.
    #[expect(clippy::expect_used, reason = "reading a signal of a page that is gone is a mistake here")]
    pub fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_untracked(read).expect("the signal's page is still there")
    }

    /// Reads once, if its page is still there.
    pub fn try_with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        look(self.inner)?.downcast_ref().map(read)
    }

    /// Its value, and again whenever it changes.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Its value.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }

    /// Takes a value; nothing happens when its page is gone.
    pub fn set(&self, value: T) {
        set(self.inner, Box::new(value));
    }

    /// Changes the value; nothing happens when its page is gone.
    pub fn update(&self, change: impl FnOnce(&mut T)) {
        let _ = self.try_update(change);
    }

    /// Changes the value and gives what came of it, if its page is still there.
    pub fn try_update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.inner.try_write()?.downcast_mut().map(change)
    }

    /// Is told of changes without reading.
    pub fn track(&self) {
        self.inner.track();
    }
}

fn signal(value: Boxed) -> base::RwSignal<Boxed> {
    base::RwSignal::new(value)
}

/// A signal's value, if its page is still there. Not inlined: it is asked for everywhere.
#[inline(never)]
fn look(signal: base::RwSignal<Boxed>) -> Option<<base::RwSignal<Boxed> as ReadUntracked>::Value> {
    signal.try_read_untracked()
}

fn set(signal: base::RwSignal<Boxed>, value: Boxed) {
    // Its page may be gone.
    let _ = signal.try_set(value);
}

/// A value made from others, and when it is another than before.
pub struct Memo<T> {
    inner: base::Memo<Made>,
    value: PhantomData<fn() -> T>,
}

/// A boxed value that knows whether it equals another.
struct Made {
    value: Boxed,
    same: fn(&Boxed, &Boxed) -> bool,
}

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        (self.same)(&self.value, &other.value)
    }
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memo<T> {}

impl<T: Send + Sync + 'static> Memo<T> {
    /// Tells when the value made is not equal to the one before.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self
    where
        T: PartialEq,
    {
        fn same<T: PartialEq + 'static>(a: &Boxed, b: &Boxed) -> bool {
            matches!((a.downcast_ref::<T>(), b.downcast_ref::<T>()), (Some(a), Some(b)) if a == b)
        }
        Self {
            inner: memo(Box::new(move || Made { value: Box::new(make()), same: same::<T> })),
            value: PhantomData,
        }
    }

    /// Tells whenever it is made anew: for what costs more to compare than to show.
    pub fn always(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self {
            inner: memo(Box::new(move || Made { value: Box::new(make()), same: |_, _| false })),
            value: PhantomData,
        }
    }

    /// Reads, and again whenever it changes.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.inner.track();
        self.with_untracked(read)
    }

    /// Reads once.
    #[expect(clippy::expect_used, reason = "reading a signal of a page that is gone is a mistake here")]
    pub fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_untracked(read).expect("the signal's page is still there")
    }

    /// Reads once, if its page is still there.
    pub fn try_with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        look_at_memo(self.inner)?.value.downcast_ref().map(read)
    }

    /// Its value, and again whenever it changes.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Its value.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }
}

fn memo(make: Box<dyn Fn() -> Made + Send + Sync>) -> base::Memo<Made> {
    base::Memo::new(move |_| make())
}

/// A memo's value, if its page is still there.
#[inline(never)]
fn look_at_memo(memo: base::Memo<Made>) -> Option<<base::Memo<Made> as ReadUntracked>::Value> {
    memo.try_read_untracked()
}

/// Does something now, and again whenever what it read changes.
pub fn effect(act: impl FnMut() + 'static) {
    boxed_effect(Box::new(act));
}

fn boxed_effect(mut act: Box<dyn FnMut()>) {
    Effect::new(move |_| act());
}

/// A place for a value that nobody watches.
pub struct StoredValue<T> {
    inner: base::StoredValue<Boxed>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for StoredValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StoredValue<T> {}

impl<T: Send + Sync + 'static> StoredValue<T> {
    /// A place with its first value.
    pub fn new(value: T) -> Self {
        Self { inner: stored(Box::new(value)), value: PhantomData }
    }

    /// Reads.
    #[expect(clippy::expect_used, reason = "reading a value of a page that is gone is a mistake here")]
    pub fn with_value<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_value(read).expect("the value's page is still there")
    }

    /// Reads, if its page is still there.
    pub fn try_with_value<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        look_at_stored(self.inner)?.downcast_ref().map(read)
    }

    /// Its value.
    pub fn get_value(&self) -> T
    where
        T: Clone,
    {
        self.with_value(T::clone)
    }

    /// Takes a value; nothing happens when its page is gone.
    pub fn set_value(&self, value: T) {
        let _ = self.inner.try_set_value(Box::new(value));
    }

    /// Changes the value, if its page is still there.
    pub fn update_value<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.inner.try_write_value()?.downcast_mut().map(change)
    }
}

fn stored(value: Boxed) -> base::StoredValue<Boxed> {
    base::StoredValue::new(value)
}

/// What is in a place, if its page is still there.
#[inline(never)]
fn look_at_stored(place: base::StoredValue<Boxed>) -> Option<<base::StoredValue<Boxed> as ReadValue>::Value> {
    place.try_read_value()
}

/// What a click does.
pub fn click(act: impl FnMut(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

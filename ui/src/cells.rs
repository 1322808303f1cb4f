//! Signals with boxed values, and boxed event handlers.
//!
//! Leptos compiles the code of a signal for every type of value. Here the value is boxed, so the code exists
//! once, which saves a third of the dashboard's size. Names and methods are those of Leptos.

use std::any::Any;
use std::marker::PhantomData;

use leptos::ev::MouseEvent;
use leptos::prelude::{self as base, *};

type Boxed = Box<dyn Any + Send + Sync>;

/// A value that can be set and followed.
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

    /// Reads the value and follows its changes.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.inner.track();
        self.with_untracked(read)
    }

    /// Reads the value once.
    #[expect(clippy::expect_used, reason = "reading a signal of a removed page is a bug")]
    pub fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_untracked(read).expect("the signal's page still exists")
    }

    /// Reads the value once, if its page still exists.
    pub fn try_with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        read_signal(self.inner)?.downcast_ref().map(read)
    }

    /// The value, whose changes are followed.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// The value.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }

    /// Sets the value; does nothing if its page was removed.
    pub fn set(&self, value: T) {
        set(self.inner, Box::new(value));
    }

    /// Changes the value; does nothing if its page was removed.
    pub fn update(&self, change: impl FnOnce(&mut T)) {
        let _ = self.try_update(change);
    }

    /// Changes the value and returns the result, if its page still exists.
    pub fn try_update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.inner.try_write()?.downcast_mut().map(change)
    }

    /// Follows changes without reading.
    pub fn track(&self) {
        self.inner.track();
    }
}

fn signal(value: Boxed) -> base::RwSignal<Boxed> {
    base::RwSignal::new(value)
}

/// A signal's value, if its page still exists. Not inlined, because it is called everywhere.
#[inline(never)]
fn read_signal(signal: base::RwSignal<Boxed>) -> Option<<base::RwSignal<Boxed> as ReadUntracked>::Value> {
    signal.try_read_untracked()
}

fn set(signal: base::RwSignal<Boxed>, value: Boxed) {
    // The page may be removed.
    let _ = signal.try_set(value);
}

/// A value computed from others; notifies when it changes.
pub struct Memo<T> {
    inner: base::Memo<Computed>,
    value: PhantomData<fn() -> T>,
}

/// A boxed value that can be compared.
struct Computed {
    value: Boxed,
    same: fn(&Boxed, &Boxed) -> bool,
}

impl PartialEq for Computed {
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
    /// Notifies when the value differs from the previous one.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self
    where
        T: PartialEq,
    {
        fn same<T: PartialEq + 'static>(a: &Boxed, b: &Boxed) -> bool {
            matches!((a.downcast_ref::<T>(), b.downcast_ref::<T>()), (Some(a), Some(b)) if a == b)
        }
        Self {
            inner: memo(Box::new(move || Computed { value: Box::new(make()), same: same::<T> })),
            value: PhantomData,
        }
    }

    /// Notifies whenever the value is computed: for values that cost more to compare than to draw.
    pub fn always(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self {
            inner: memo(Box::new(move || Computed { value: Box::new(make()), same: |_, _| false })),
            value: PhantomData,
        }
    }

    /// Reads the value and follows its changes.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.inner.track();
        self.with_untracked(read)
    }

    /// Reads the value once.
    #[expect(clippy::expect_used, reason = "reading a signal of a removed page is a bug")]
    pub fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_untracked(read).expect("the signal's page still exists")
    }

    /// Reads the value once, if its page still exists.
    pub fn try_with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        read_memo(self.inner)?.value.downcast_ref().map(read)
    }

    /// The value, whose changes are followed.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// The value.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }
}

fn memo(make: Box<dyn Fn() -> Computed + Send + Sync>) -> base::Memo<Computed> {
    base::Memo::new(move |_| make())
}

/// A memo's value, if its page still exists.
#[inline(never)]
fn read_memo(memo: base::Memo<Computed>) -> Option<<base::Memo<Computed> as ReadUntracked>::Value> {
    memo.try_read_untracked()
}

/// Runs a function now, and again whenever a value it read changes.
pub fn effect(act: impl FnMut() + 'static) {
    boxed_effect(Box::new(act));
}

fn boxed_effect(mut act: Box<dyn FnMut()>) {
    Effect::new(move |_| act());
}

/// A value that is not followed.
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
    /// A value.
    pub fn new(value: T) -> Self {
        Self { inner: stored(Box::new(value)), value: PhantomData }
    }

    /// Reads the value.
    #[expect(clippy::expect_used, reason = "reading a value of a removed page is a bug")]
    pub fn with_value<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.try_with_value(read).expect("the value's page still exists")
    }

    /// Reads the value, if its page still exists.
    pub fn try_with_value<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        read_stored(self.inner)?.downcast_ref().map(read)
    }

    /// The value.
    pub fn get_value(&self) -> T
    where
        T: Clone,
    {
        self.with_value(T::clone)
    }

    /// Sets the value; does nothing if its page was removed.
    pub fn set_value(&self, value: T) {
        let _ = self.inner.try_set_value(Box::new(value));
    }

    /// Changes the value, if its page still exists.
    pub fn update_value<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.inner.try_write_value()?.downcast_mut().map(change)
    }
}

fn stored(value: Boxed) -> base::StoredValue<Boxed> {
    base::StoredValue::new(value)
}

/// A stored value, if its page still exists.
#[inline(never)]
fn read_stored(place: base::StoredValue<Boxed>) -> Option<<base::StoredValue<Boxed> as ReadValue>::Value> {
    place.try_read_value()
}

/// A handler of clicks.
pub fn click(act: impl FnMut(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

//! Parameters of the measurement: effect sizes, base rates and lengths. Fixed before the detector was tuned, and not
//! changed to please it.

/// Tools, each with a stream of [`LENGTH`] calls on which nothing changes.
pub const STATIONARY: usize = 600;
/// Calls of a stationary stream.
pub const LENGTH: usize = 1_000;
/// Calls before a change.
pub const BEFORE: [usize; 3] = [150, 400, 1_000];
/// Observations within which a change is to be found.
pub const WITHIN: usize = 30;
/// Tools by length, effect and traffic.
pub const CHANGED: usize = 60;
/// Fields of a tool.
pub const FIELDS: (i64, i64) = (5, 60);
/// Presence of fields that are not always there.
pub const BASE: (f64, f64) = (0.8, 1.0);
/// Presence of the least a field must have to be changed.
pub const TARGET: f64 = 0.8;
/// How often rare fields and rare forms are there.
pub const RARE: (f64, f64) = (0.005, 0.05);
/// Arrays that are empty.
pub const EMPTY: f64 = 0.1;
/// How often a field that became null is.
pub const NULLED: f64 = 0.95;
/// Calls over which a slow change goes on.
pub const SLOW: usize = 4_000;
/// Calls of one burst, all asking for the same thing.
pub const BURST: (i64, i64) = (20, 200);
/// How often another call begins a burst.
pub const BEGINS: f64 = 0.012;
/// Calls for something else during a burst.
pub const BETWEEN: f64 = 0.1;
/// How often another call changes which classes are asked for.
pub const SHIFTS: f64 = 0.008;

/// The bars: tools with a false alarm, changes found.
pub const FALSE_ALARMS: f64 = 0.01;
/// Removed, renamed and retyped.
pub const FOUND: f64 = 0.95;

/// Simple tools of each form, and calls of them before a change.
pub const SIMPLE: u64 = 10;
pub const SIMPLE_BEFORE: [usize; 3] = [60, 100, 200];

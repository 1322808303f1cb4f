//! Doing to the program what may happen to it, and looking whether anything is lost.
//!
//! A [`World`] is the program with a data directory, and all that was acknowledged to its clients. A [`Fault`] is
//! done to it; then everything acknowledged must be there, what was learned must be what a rebuild gives, and no
//! process may have panicked or given up without saying why. Owns: that loop. Refuses to know: the program's
//! insides.

mod deed;
mod disk;
mod fault;
mod world;

use std::path::Path;

use anyhow::{Context, Result};

pub use fault::{Fault, Outcome};
pub use world::World;

use crate::places::Places;

/// Random numbers that a seed decides.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Those of a round of a seed.
    pub fn new(seed: u64, round: u64) -> Self {
        let mut random = Self(seed ^ round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (0..4).for_each(|_| _ = random.next());
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// One of the numbers below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn milliseconds(&mut self, limit: u64) -> std::time::Duration {
        std::time::Duration::from_millis(self.below(limit))
    }
}

/// Does some faults to a new world in `scratch`, one after the other: for a test.
pub fn suffer(places: &Places, scratch: &Path, faults: &[Fault], seed: u64) -> Result<()> {
    let mut world = World::new(places, scratch)?;
    let mut random = Random::new(seed, 0);
    world.work(&mut random)?;
    for fault in faults {
        fault.strike(&mut world, &mut random).with_context(|| fault.name())?;
        world.check_without_rebuild().with_context(|| format!("after {}", fault.name()))?;
    }
    world.check()
}

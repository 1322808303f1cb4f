//! Torture: subjects the program to faults and checks that nothing is lost.
//!
//! A [`World`] is the program with a data directory, and all that was acknowledged to its clients. After each
//! [`Fault`], everything acknowledged must be stored, what was learned must equal a rebuild, and no process may have
//! panicked or given up without a reason.

mod deed;
mod disk;
mod fault;
mod world;

use std::path::Path;

use anyhow::{Context, Result};

pub use fault::{Fault, Outcome};
pub use world::World;

use crate::places::Places;

/// Random numbers that repeat with their seed.
#[derive(Debug, Clone)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The numbers for a round of a seed.
    pub fn new(seed: u64, round: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed ^ round.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0.u64(..limit.max(1))
    }

    fn milliseconds(&mut self, limit: u64) -> std::time::Duration {
        std::time::Duration::from_millis(self.below(limit))
    }
}

/// Subjects a new world in `scratch` to some faults, one after the other, and checks it after each.
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

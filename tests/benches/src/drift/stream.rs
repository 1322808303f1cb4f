//! The order of calls: bursts, shifts in the mix of arguments, weekly patterns.

use std::collections::HashMap;

use schemascope_benches::random::Random;

use crate::frozen::*;
use crate::world::{Asked, Change, Identity, Tool};

/// One call with its result.
pub struct Call {
    pub arguments: String,
    pub document: String,
    pub millis: u64,
    /// It asks for what the burst under way asked for before.
    pub repeats: bool,
}

/// How calls come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// One by one.
    Spread,
    /// Now and then the same is asked for many times.
    Bursts,
}

pub struct Stream<'t> {
    tool: &'t Tool,
    random: Random,
    traffic: Traffic,
    millis: u64,
    number: usize,
    weights: Vec<f64>,
    burst: Option<(u64, usize, usize)>,
    things: u64,
    polls: HashMap<u64, usize>,
}

const HOUR: u64 = 3_600_000;
const FORMS: [&str; 6] = ["user", "order", "invoice", "ticket", "device", "report"];

impl<'t> Stream<'t> {
    pub fn new(tool: &'t Tool, seed: u64, traffic: Traffic) -> Self {
        let mut random = Random::new(seed, "stream");
        let weights = weights(tool, &mut random);
        let things = random.bits();
        let millis = 490_000 * HOUR;
        Self { tool, random, traffic, millis, number: 0, weights, burst: None, things, polls: HashMap::new() }
    }

    pub fn next(&mut self, change: Option<&Change>) -> Call {
        self.number += 1;
        if self.random.chance(SHIFTS) {
            self.weights = weights(self.tool, &mut self.random);
        }
        let burst = self.burst.filter(|_| !self.random.chance(BETWEEN));
        let (thing, class) = match burst {
            Some((thing, class, left)) => {
                self.burst = (left > 1).then_some((thing, class, left - 1));
                self.millis += 2_000;
                (thing, class)
            }
            None => self.another(),
        };
        let polls = self.polls.entry(thing).or_default();
        *polls += 1;
        let asked = Asked { thing, class, number: self.number, polls: *polls - 1, change };
        let document = self.tool.write(&asked, &mut self.random);
        let repeats = burst.is_some();
        Call { repeats, arguments: self.arguments(thing, class), document, millis: self.millis }
    }

    fn another(&mut self) -> (u64, usize) {
        self.millis += 1 + (self.random.bits() % HOUR);
        let weekend = self.tool.weekly && self.millis / (24 * HOUR) % 7 < 2;
        let weights = self.weights.iter().enumerate();
        let weights =
            weights.map(|(at, weight)| if weekend && at % 2 == 0 { weight * 0.1 } else { *weight + 1e-9 });
        let class = self.random.weighted(weights);
        let thing = match self.tool.identity {
            Identity::Pool(size) => self.random.below(size) as u64,
            _ => self.random.bits() >> 20,
        };
        let thing = self.things ^ (thing << 3 | class as u64);
        if self.traffic == Traffic::Bursts && self.burst.is_none() && self.random.chance(BEGINS) {
            self.burst = Some((thing, class, self.random.within(BURST.0, BURST.1) as usize));
        }
        (thing, class)
    }

    fn arguments(&mut self, thing: u64, class: usize) -> String {
        let form = FORMS[class];
        let id = thing ^ self.things;
        match (self.tool.identity, self.tool.prefixed) {
            (Identity::None, _) if self.tool.classes == 1 => "{}".to_owned(),
            (Identity::None, _) => format!("{{\"kind\":\"{form}\"}}"),
            (_, true) => format!("{{\"id\":\"{form}_{id}\",\"verbose\":{}}}", id.is_multiple_of(2)),
            (_, false) => format!("{{\"id\":{id},\"kind\":\"{form}\"}}"),
        }
    }
}

/// Which classes are asked for: often one alone, or only some.
fn weights(tool: &Tool, random: &mut Random) -> Vec<f64> {
    let mut weights: Vec<f64> =
        (0..tool.classes).map(|_| if random.chance(0.5) { 0.0 } else { random.share() }).collect();
    if random.chance(0.3) {
        weights.fill(0.0);
        let alone = random.below(tool.classes);
        weights[alone] = 1.0;
    }
    weights
}

//! Small deterministic randomness: splitmix64, seeded by (seed, tool, n).

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, tool: &str, n: u64) -> Self {
        let mixed = tool.bytes().fold(seed ^ 0x9E37_79B9_7F4A_7C15, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let mut random = Self(mixed.wrapping_add(n.wrapping_mul(0xD134_2543_DE82_EF95)));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// True in so many of 100 cases.
    pub fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

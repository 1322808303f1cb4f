//! Estimate of the number of values (HyperLogLog: Flajolet et al. 2007), with three of them as
//! examples.

use std::fmt;

use super::few::written_length;

/// Most examples kept.
pub(super) const EXAMPLES: usize = 3;
/// Most characters of an example.
const EXAMPLE_LENGTH: usize = 60;
/// Most bytes of an example in JSON. At least as many as the hash of a long value reads, so that
/// values with equal hashes give the same example.
const EXAMPLE_BYTES: usize = 64;

#[derive(Debug, Clone, Default)]
pub(super) struct Many {
    registers: Registers,
    /// Values with the lowest hashes, truncated if long.
    examples: Vec<(u64, Box<str>)>,
}

impl Many {
    #[inline]
    pub(super) fn add(&mut self, value: &str, hash: u64) {
        self.registers.add(hash);
        if self.examples.get(EXAMPLES - 1).is_none_or(|last| hash < last.0) {
            self.add_example(hash, || cut(value));
        }
    }

    #[cold]
    fn add_example(&mut self, hash: u64, example: impl FnOnce() -> Box<str>) {
        if let Err(at) = self.examples.binary_search_by_key(&hash, |(hash, _)| *hash)
            && at < EXAMPLES
        {
            self.examples.truncate(EXAMPLES - 1);
            self.examples.insert(at, (hash, example()));
        }
    }

    /// Adds a value of which only the [place](place) is known.
    pub(super) fn add_place(&mut self, (register, zeros): (u8, u8)) {
        let register = &mut self.registers.0[usize::from(register)];
        *register = zeros.max(*register);
    }

    /// Returns the same estimate without the examples.
    pub(super) fn without_examples(&self) -> Self {
        Self { registers: self.registers.clone(), examples: Vec::new() }
    }

    pub(super) fn merge(&mut self, theirs: &Self) {
        for (mine, theirs) in self.registers.0.iter_mut().zip(&theirs.registers.0) {
            *mine = (*mine).max(*theirs);
        }
        for (hash, example) in &theirs.examples {
            self.add_example(*hash, || example.clone());
        }
    }

    /// Removes examples. Returns whether any was removed.
    pub(super) fn forget(&mut self, forgets: impl Fn(&str) -> bool) -> bool {
        let before = self.examples.len();
        self.examples.retain(|(_, example)| !forgets(example));
        self.examples.len() < before
    }

    pub(super) fn estimate(&self) -> u64 {
        self.registers.estimate()
    }

    /// Returns the examples with their hashes, ordered by hash.
    pub(super) fn examples(&self) -> impl Iterator<Item = (u64, &str)> {
        self.examples.iter().map(|(hash, example)| (*hash, &**example))
    }

    /// Returns the written form of the registers.
    pub(super) fn letters(&self) -> String {
        self.registers.0.iter().map(|register| char::from(LETTERS[usize::from(register & 63)])).collect()
    }

    /// Reads the written form. Returns the reason if it is invalid.
    pub(super) fn read(letters: &str, mut examples: Vec<(u64, Box<str>)>) -> Result<Self, &'static str> {
        let mut registers = Registers::default();
        if letters.len() != REGISTERS {
            return Err("a wrong number of registers");
        }
        for (register, letter) in registers.0.iter_mut().zip(letters.bytes()) {
            *register = LETTERS.iter().position(|known| *known == letter).ok_or("an invalid register")? as u8;
        }
        if examples.iter().any(|(_, example)| written_length(example) > EXAMPLE_BYTES + "…".len()) {
            return Err("an example that is too long");
        }
        examples.sort();
        examples.dedup_by_key(|(hash, _)| *hash);
        examples.truncate(EXAMPLES);
        Ok(Self { registers, examples })
    }
}

fn cut(value: &str) -> Box<str> {
    if value.len() <= EXAMPLE_LENGTH && written_length(value) <= EXAMPLE_BYTES {
        return value.into();
    }
    let (mut end, mut bytes) = (0, 0);
    for (at, letter) in value.char_indices().take(EXAMPLE_LENGTH) {
        let next = at + letter.len_utf8();
        bytes += written_length(&value[at..next]);
        if bytes > EXAMPLE_BYTES {
            break;
        }
        end = next;
    }
    if end == value.len() { value.into() } else { [&value[..end], "…"].concat().into() }
}

/// Returns the register for a hash and the smallest value it must have.
#[inline(always)]
pub(super) fn place(hash: u64) -> (u8, u8) {
    ((hash >> 56) as u8, (hash << 8 | 0x80).leading_zeros() as u8 + 1)
}

/// Largest value of a register.
pub(super) const MAX_ZEROS: u8 = 57;

const REGISTERS: usize = 256;

/// Registers of HyperLogLog, chosen by 8 bits of the hash. The standard error is 1.04 / √256 = 6.5
/// %.
#[derive(Clone)]
struct Registers([u8; REGISTERS]);

impl Default for Registers {
    fn default() -> Self {
        Self([0; REGISTERS])
    }
}

impl fmt::Debug for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {}", self.estimate())
    }
}

impl Registers {
    #[inline(always)]
    fn add(&mut self, hash: u64) {
        let (register, zeros) = place(hash);
        let register = &mut self.0[usize::from(register)];
        *register = zeros.max(*register);
    }

    fn estimate(&self) -> u64 {
        let count = REGISTERS as f64;
        // Two to the power of minus the register, which is at most 63.
        let power = |register: &u8| f64::from_bits((1023 - u64::from(*register)) << 52);
        let sum: f64 = self.0.iter().map(power).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.0.iter().filter(|register| **register == 0).count();
        let estimate =
            if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// Letters of the written form, one for each register value; the largest is 57.
const LETTERS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

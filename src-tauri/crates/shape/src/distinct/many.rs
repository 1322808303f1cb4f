//! Many values: how many, about, and three of them.
//!
//! Owns: the estimate (HyperLogLog: Flajolet et al. 2007) and which values are examples. Refuses to know: how
//! values are hashed.

use std::fmt;

use super::few::written_length;

/// Examples kept.
pub(super) const EXAMPLES: usize = 3;
/// Characters of an example.
const EXAMPLE_LENGTH: usize = 60;
/// Bytes of an example as JSON writes it. No fewer than those that the hash of a long value looks at at least,
/// so that values of one hash give one example.
const EXAMPLE_BYTES: usize = 64;

#[derive(Debug, Clone, Default)]
pub(super) struct Many {
    registers: Registers,
    /// The values with the lowest hashes, cut where long.
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

    /// Takes a value of which only its [place](place) is known.
    pub(super) fn add_place(&mut self, (register, zeros): (u8, u8)) {
        let register = &mut self.registers.0[usize::from(register)];
        *register = zeros.max(*register);
    }

    /// The same without the values kept as examples.
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

    /// Forgets examples. Whether any is forgotten.
    pub(super) fn forget(&mut self, forgets: impl Fn(&str) -> bool) -> bool {
        let before = self.examples.len();
        self.examples.retain(|(_, example)| !forgets(example));
        self.examples.len() < before
    }

    pub(super) fn estimate(&self) -> u64 {
        self.registers.estimate()
    }

    /// With their hashes, by these.
    pub(super) fn examples(&self) -> impl Iterator<Item = (u64, &str)> {
        self.examples.iter().map(|(hash, example)| (*hash, &**example))
    }

    /// The written form of the registers.
    pub(super) fn letters(&self) -> String {
        self.registers.0.iter().map(|register| char::from(LETTERS[usize::from(register & 63)])).collect()
    }

    /// Reads the written form back; what is wrong where it is none.
    pub(super) fn read(letters: &str, mut examples: Vec<(u64, Box<str>)>) -> Result<Self, &'static str> {
        let mut registers = Registers::default();
        if letters.len() != REGISTERS {
            return Err("a wrong number of registers");
        }
        for (register, letter) in registers.0.iter_mut().zip(letters.bytes()) {
            *register = LETTERS.iter().position(|known| *known == letter).ok_or("no register")? as u8;
        }
        if examples.iter().any(|(_, example)| written_length(example) > EXAMPLE_BYTES + "…".len()) {
            return Err("too long an example");
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

/// The register that a hash goes to, and what it sets it to at least.
#[inline(always)]
pub(super) fn place(hash: u64) -> (u8, u8) {
    ((hash >> 56) as u8, (hash << 8 | 0x80).leading_zeros() as u8 + 1)
}

/// The most a register can be.
pub(super) const MAX_ZEROS: u8 = 57;

const REGISTERS: usize = 256;

/// HyperLogLog's, with 8 bits of the hash choosing one: a standard error of 1.04 / √256 = 6.5 %.
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
        let sum: f64 = self.0.iter().map(|register| (-f64::from(*register)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.0.iter().filter(|register| **register == 0).count();
        let estimate =
            if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// One letter a register; they are 57 at most.
const LETTERS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

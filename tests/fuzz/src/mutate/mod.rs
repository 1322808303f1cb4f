//! Mutates an input, within size limits.
//!
//! libFuzzer mutates bytes, by its dictionary and by compared values. The mutations here change documents: members,
//! keys, several documents of one tool. This module chooses between the two.

mod one;
pub mod parts;
mod several;
mod words;
mod writing;

use libfuzzer_sys::fuzzer_mutate;

use crate::input::SEPARATOR;
use crate::random::Random;

pub use words::Words;

/// Choices are the first bytes of an input, a byte each.
const CHOICES: usize = 18;

/// How a target's inputs are made.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Bytes that choose stand before the documents.
    pub has_choices: bool,
    /// Keys and values to put in.
    pub words: Words,
}

impl Kind {
    /// Changes the first `size` bytes of `data`, to `most` at most; how many there are now.
    pub fn mutate(&self, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
        let mut random = Random::new(u64::from(seed));
        let mutated = if most < size {
            self.shrunk(&data[..size], most, &mut random)
        } else if random.once_in(5) {
            None
        } else {
            Some(self.changed(&data[..size], &mut random)).filter(|mutated| mutated.len() <= most)
        };
        match mutated {
            Some(mutated) => {
                data[..mutated.len()].copy_from_slice(&mutated);
                mutated.len()
            }
            None => fuzzer_mutate(data, size, most),
        }
    }

    /// Documents of two inputs in one, or only the first one changed; how many bytes of `out` that takes.
    pub fn cross(&self, a: &[u8], b: &[u8], out: &mut [u8], seed: u32) -> usize {
        let mut random = Random::new(u64::from(seed));
        // libFuzzer would cross inputs as often as it changes them.
        let crossed =
            if random.once_in(4) { self.crossed(a, b, &mut random) } else { self.changed(a, &mut random) };
        let length = crossed.len().min(out.len());
        out[..length].copy_from_slice(&crossed[..length]);
        length
    }

    fn crossed(&self, a: &[u8], b: &[u8], random: &mut Random) -> Vec<u8> {
        let (first, second) = (self.split(a), self.split(b));
        let mut documents = [first.documents, second.documents].concat();
        documents.retain(|_| !random.once_in(3));
        if !self.has_choices {
            random.shuffle(&mut documents);
        }
        self.join(Sections { choices: first.choices, documents })
    }

    fn split(&self, bytes: &[u8]) -> Sections {
        let mut sections = bytes.split(|byte| *byte == SEPARATOR).map(<[u8]>::to_vec);
        let choices = if self.has_choices { sections.next().unwrap_or_default() } else { Vec::new() };
        Sections { choices, documents: sections.collect() }
    }

    fn join(&self, sections: Sections) -> Vec<u8> {
        let mut all = sections.documents;
        if self.has_choices {
            all.insert(0, sections.choices);
        }
        all.join(&SEPARATOR)
    }

    fn changed(&self, bytes: &[u8], random: &mut Random) -> Vec<u8> {
        let mut sections = self.split(bytes);
        for _ in 0..=random.below(3) {
            let documents = &mut sections.documents;
            if self.has_choices && random.once_in(8) {
                choose(&mut sections.choices, random);
            } else if documents.is_empty() {
                documents.push(random.one(self.words.values).as_bytes().to_vec());
            } else if random.once_in(3) {
                several::change(documents, &self.words, random);
            } else {
                let donor = documents[random.below(documents.len())].clone();
                let at = random.below(documents.len());
                if random.once_in(6) {
                    writing::change(&mut documents[at], random);
                } else {
                    one::change(&mut documents[at], &donor, &self.words, random);
                }
            }
        }
        self.join(sections)
    }

    /// An input without some of its parts, if that makes it short enough.
    fn shrunk(&self, bytes: &[u8], most: usize, random: &mut Random) -> Option<Vec<u8>> {
        let mut sections = self.split(bytes);
        for _ in 0..8 {
            let documents = &mut sections.documents;
            let at = random.below(documents.len());
            match random.below(4) {
                0 if documents.len() > 1 => drop(documents.remove(at)),
                _ if !documents.is_empty() => one::shrink(&mut documents[at], random),
                _ => {}
            }
            let length = sections.length();
            if length <= most {
                return Some(self.join(sections));
            }
        }
        None
    }
}

struct Sections {
    choices: Vec<u8>,
    documents: Vec<Vec<u8>>,
}

impl Sections {
    /// Bytes with separators.
    fn length(&self) -> usize {
        self.choices.len() + self.documents.iter().map(|document| document.len() + 1).sum::<usize>()
    }
}

/// Changes one of the bytes that choose.
fn choose(choices: &mut Vec<u8>, random: &mut Random) {
    choices.resize(CHOICES.max(choices.len()), 0);
    choices.truncate(CHOICES);
    let byte = random.bits() as u8;
    choices[random.below(CHOICES)] = if byte == SEPARATOR { 0 } else { byte };
}

//! One round's input: documents, and a number that all choices of the checks come from.
//!
//! Owns: how it is made, written and read. Refuses to know: what is done with it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use schemascope_benches::random::Random;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::mutate::mutate;

/// Documents of a round.
const MOST: usize = 10;

#[derive(Clone)]
pub struct Input {
    pub documents: Vec<Vec<u8>>,
    pub seed: u64,
}

impl Input {
    /// Documents from the corpus, most of them mutated. Often they are of one origin, as those of a tool are.
    pub fn new(corpus: &Corpus, random: &mut Random) -> Self {
        let origin = random.chance(0.6).then(|| corpus.pick(random));
        let count = 1 + random.below(MOST);
        let documents = (0..count).map(|_| {
            let mut document = origin.unwrap_or_else(|| corpus.pick(random)).to_vec();
            for _ in 0..random.one(&[0, 1, 1, 2, 3, 6]) {
                document = mutate(&document, corpus.pick(random), random);
            }
            document
        });
        Self { documents: documents.collect(), seed: random.bits() }
    }

    /// The written form: each byte of a document is one character.
    pub fn written(&self, reason: &str) -> String {
        let texts: Vec<String> = self
            .documents
            .iter()
            .map(|document| document.iter().copied().map(char::from).collect())
            .collect();
        format!("{:#}\n", json!({"found": reason, "seed": self.seed, "documents": texts}))
    }

    /// Reads the written form.
    pub fn read(file: &Path) -> Result<Self> {
        let written: Value = serde_json::from_slice(&fs::read(file)?)?;
        let texts = written["documents"].as_array().context("no documents")?;
        let bytes = |text: &Value| {
            let letters = text.as_str().unwrap_or_default().chars();
            letters.filter_map(|letter| u8::try_from(letter).ok()).collect()
        };
        let seed = written["seed"].as_u64().context("no seed")?;
        Ok(Self { documents: texts.iter().map(bytes).collect(), seed })
    }
}

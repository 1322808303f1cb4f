//! Estimate of how likely the next document has a new structure.
//!
//! A document's signature is a hash of its outer structure. The lowest hashes are kept with exact
//! counts: a uniform sample of all signatures, whatever the order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::node::Type;
use crate::observe::{Circumstances, Seen};
use crate::rank::{HashKey, Rank};
use crate::scan::{Sink, Token};

/// Number of levels that make up a document's signature: the first item of arrays, and the keys of
/// objects that do not look like data.
pub(crate) const SIGNED_DEPTH: u32 = 3;

/// Returns the contribution of a value of this type, at the path with this hash, to the signature.
pub(crate) fn mix(path: u64, kind: Type) -> u64 {
    (path ^ (kind as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Computes the signature of a document of which some paths are not kept.
pub(crate) struct Signer<'c> {
    key: HashKey,
    circumstances: Circumstances<'c>,
    stack: Vec<(Rank, bool)>,
    next: Option<Rank>,
    /// Number of open containers inside a value that does not count.
    skipped: usize,
    signature: u64,
}

impl<'c> Signer<'c> {
    pub(crate) fn new(key: HashKey, circumstances: Circumstances<'c>) -> Self {
        Self { key, circumstances, stack: Vec::new(), next: Some(Rank::ROOT), skipped: 0, signature: 0 }
    }

    pub(crate) fn signature(&self) -> u64 {
        self.signature
    }
}

impl<'d> Sink<'d> for Signer<'_> {
    fn token(&mut self, token: &Token<'d>) {
        let begins = matches!(token, Token::BeginArray | Token::BeginObject);
        let ends = matches!(token, Token::EndArray | Token::EndObject);
        if self.skipped > 0 {
            self.skipped += usize::from(begins);
            self.skipped -= usize::from(ends);
            return;
        }
        match *token {
            Token::Key(text) => {
                let parent = self.stack.last().map_or(Rank::ROOT, |(rank, _)| *rank);
                self.next = Some(parent.field(&text.decoded(), self.key)).filter(|rank| !rank.data);
                return;
            }
            Token::EndArray | Token::EndObject => {
                self.stack.pop();
                return;
            }
            _ => {}
        }
        let kind = Seen::new(*token, false, self.circumstances).kind;
        if let Some((rank, first @ true)) = self.stack.last_mut() {
            *first = false;
            self.next = Some(rank.items(self.key));
        }
        if let Some(rank) = self.next.take() {
            self.signature = self.signature.wrapping_add(mix(rank.hash, kind));
            if begins && self.stack.len() + 1 < SIGNED_DEPTH as usize {
                self.stack.push((rank, kind == Type::Array));
                return;
            }
        }
        self.skipped = usize::from(begins);
    }
}

/// Most signatures kept.
const MAX_SIGNATURES: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signatures {
    kept: BTreeMap<u64, u64>,
    /// Whether there were more signatures.
    more: bool,
}

impl Signatures {
    pub(crate) fn add(&mut self, signature: u64, count: u64) {
        if let Some(known) = self.kept.get_mut(&signature) {
            *known += count;
            return;
        }
        let full = self.kept.len() == MAX_SIGNATURES;
        if full && self.kept.last_key_value().is_some_and(|(last, _)| signature > *last) {
            self.more = true;
            return;
        }
        self.kept.insert(signature, count);
        if full {
            self.kept.pop_last();
            self.more = true;
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self) {
        self.more |= theirs.more;
        for (signature, count) in &theirs.kept {
            self.add(*signature, *count);
        }
    }

    /// Removes signatures beyond the limit.
    pub(crate) fn bounded(mut self) -> Self {
        while self.kept.len() > MAX_SIGNATURES {
            self.kept.pop_last();
            self.more = true;
        }
        self
    }

    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.kept.values().copied()
    }

    /// Returns the chance that the next document's signature is new: the share of documents with a
    /// signature seen once (Good 1953). If not all signatures were kept, the number is scaled by
    /// the density of the sample.
    pub(crate) fn unseen(&self, documents: u64) -> Option<f64> {
        if documents == 0 {
            return None;
        }
        let once = self.kept.values().filter(|count| **count == 1).count() as f64;
        let scale = match self.kept.last_key_value() {
            Some((last, _)) if self.more => u64::MAX as f64 / (*last as f64 + 1.0),
            _ => 1.0,
        };
        Some((once * scale / documents as f64).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_share_equals_the_share_of_signatures_seen_once() {
        let mut signatures = Signatures::default();
        for n in 0..100_u64 {
            signatures.add((n % 10).wrapping_mul(0x9E37_79B9_7F4A_7C15), 1);
        }
        assert_eq!(signatures.unseen(100), Some(0.0));
        let mut all_new = Signatures::default();
        for n in 0..10_000_u64 {
            all_new.add((n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15), 1);
        }
        assert!(all_new.unseen(10_000).is_some_and(|share| share > 0.7));
        assert_eq!(Signatures::default().unseen(0), None);
    }
}

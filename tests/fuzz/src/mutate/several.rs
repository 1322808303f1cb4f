//! Changes of several documents at once, as documents of one tool are related.

use super::one;
use super::parts::{Part, parts};
use super::words::Words;
use crate::random::Random;

/// Documents of an input.
const MOST: usize = 24;

/// Changes the list of documents, or all documents in the same way.
pub fn change(documents: &mut Vec<Vec<u8>>, words: &Words, random: &mut Random) {
    let at = random.below(documents.len());
    match random.below(10) {
        0 => drop(documents.remove(at)),
        1 => documents.push(random.one(words.values).as_bytes().to_vec()),
        2 => {
            let other = random.below(documents.len());
            documents.swap(at, other);
        }
        3 | 4 => vary(documents, at, words, random),
        5 => nest(documents, at, random),
        6 | 7 => twin(documents, words, random),
        8 => wrap_all(documents, words, random),
        _ => change_all(documents, at, words, random),
    }
    documents.truncate(MOST);
}

/// Copies of a document, each with a change.
fn vary(documents: &mut Vec<Vec<u8>>, at: usize, words: &Words, random: &mut Random) {
    let parts = parts(&documents[at]);
    let Some(part) = one::pick(&parts, random).cloned() else { return };
    for _ in 0..1 + random.below(4) {
        let mut copy = documents[at].clone();
        match random.below(5) {
            0 => one::remove(&mut copy, part.whole()),
            1 => one::replace(&mut copy, part.value.clone(), random.one(words.values).as_bytes()),
            2 => one::vary(&mut copy, part.value.clone(), random),
            _ => one::change(&mut copy, &documents[random.below(documents.len())], words, random),
        }
        documents.insert(at + 1, copy);
    }
}

/// The second document like the first, but for a change or two.
pub fn twin(documents: &mut Vec<Vec<u8>>, words: &Words, random: &mut Random) {
    let mut second = documents[0].clone();
    let donor = &documents[documents.len() - 1];
    for _ in 0..=random.below(2) {
        one::change(&mut second, donor, words, random);
    }
    documents.splice(1..documents.len().min(2), [second]);
}

/// One document in the place of a value of another one, or of itself.
fn nest(documents: &mut [Vec<u8>], at: usize, random: &mut Random) {
    let inner = documents[random.below(documents.len())].clone();
    let parts = parts(&documents[at]);
    if let Some(part) = one::pick(&parts, random) {
        one::replace(&mut documents[at], part.value.clone(), &inner);
    }
}

/// All documents in an array or an object.
fn wrap_all(documents: &mut [Vec<u8>], words: &Words, random: &mut Random) {
    let (key, way) = (one::key(words, random), random.below(3));
    for document in documents {
        let wrapped = match way {
            0 => [b"[", &document[..], b"]"].concat(),
            1 => [b"[", &document[..], b",", document, b"]"].concat(),
            _ => [b"{", &key[..], b":", document, b"}"].concat(),
        };
        let all = 0..document.len();
        one::replace(document, all, &wrapped);
    }
}

/// The same change to the members with one key in all documents.
fn change_all(documents: &mut [Vec<u8>], at: usize, words: &Words, random: &mut Random) {
    let named = |part: &Part| part.key.clone();
    let keys: Vec<_> = parts(&documents[at]).iter().filter_map(named).collect();
    let Some(range) = keys.get(random.below(keys.len())) else { return };
    let key = documents[at][range.clone()].to_vec();
    let (another, way) = (one::key(words, random), random.below(4));
    let few: Vec<&str> = (0..1 + random.below(3)).map(|_| random.one(words.values)).collect();
    for (n, document) in documents.iter_mut().enumerate() {
        // The last one first: what is before it stays in its place.
        let mut found: Vec<Part> = parts(document);
        found.retain(|part| part.key.as_ref().is_some_and(|range| document[range.clone()] == key));
        found.sort_by_key(|part| part.value.start);
        // Members may be in one another.
        let Some(part) = found.pop() else { continue };
        match (way, &part.key) {
            (0, Some(range)) => one::replace(document, range.clone(), &another),
            (1, _) => one::remove(document, part.whole()),
            (2, _) if random.once_in(2) => {}
            _ => one::replace(document, part.value.clone(), few[n % few.len()].as_bytes()),
        }
    }
}

//! Base64 that says something readable.
//!
//! Owns: how far a blob goes, and whether it is text. Most blobs are pictures and hashes: the first twelve bytes
//! tell. Refuses to know: what is secret about the text.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::spans::Span;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// Characters of a blob that are decoded to see whether it is text.
const LOOK: usize = 16;

fn is_blob(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The blob around a run of word characters: over line breaks, and with what it is padded with.
pub(super) fn blob(text: &[u8], run: &Span) -> Span {
    let left = text[..run.start].iter().rev().take_while(|&&byte| is_blob(byte)).count();
    let mut end = run.end;
    loop {
        end += text[end..].iter().take_while(|&&byte| is_blob(byte)).count();
        let gap = match &text[end..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => break,
        };
        // A line of another blob, or of prose, is no part of this one.
        let line = text[end + gap..].iter().take_while(|&&byte| is_blob(byte)).count();
        if line < 20 && !text[end + gap + line..].starts_with(b"=") || line == 0 {
            break;
        }
        end += gap;
    }
    end += text[end..].iter().take(2).take_while(|&&byte| byte == b'=').count();
    run.start - left..end
}

/// The text in a blob, if it is text.
pub(super) fn readable(blob: &[u8]) -> Option<String> {
    if !looks_readable(blob) {
        return None;
    }
    let plain: Vec<u8> =
        blob.iter().filter(|byte| !byte.is_ascii_whitespace()).map(|&byte| usual(byte)).collect();
    let cut = plain.len() - usize::from(plain.len() % 4 == 1);
    let mut decoded = LENIENT.decode(&plain[..cut]).ok()?;
    // Behind text something else may follow, an archive's padding for instance.
    if let Err(error) = std::str::from_utf8(&decoded) {
        decoded.truncate(error.valid_up_to());
    }
    String::from_utf8(decoded).ok()
}

fn usual(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    }
}

/// Whether a blob begins with text.
pub(super) fn looks_readable(blob: &[u8]) -> bool {
    // The first bits of text in the letters of most languages' syntax are those of ASCII.
    let ascii = |at: usize| matches!(blob.get(at), Some(b'A'..=b'Z' | b'a'..=b'f'));
    if !ascii(0) && !ascii(4) {
        return false;
    }
    let mut first = [0; LOOK];
    let Some(known) = blob.get(..LOOK) else { return false };
    for (to, from) in first.iter_mut().zip(known) {
        *to = usual(*from);
    }
    let mut decoded = [0; LOOK];
    LENIENT.decode_slice(first, &mut decoded).is_ok_and(|length| {
        let text = &decoded[..length];
        let plain = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\n' | b'\r' | b'\t');
        // Text of other scripts: the last character may be cut.
        text.iter().all(plain)
            && std::str::from_utf8(text).map_or_else(|error| error.valid_up_to() + 3 >= length, |_| true)
    })
}

/// Where a blob may begin anew: behind each `/`, which is a sign of blobs and of paths.
pub(super) fn beginnings(text: &[u8], blob: &Span) -> impl Iterator<Item = usize> {
    let slashes = text[blob.clone()].iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let start = blob.start;
    std::iter::once(start).chain(slashes.map(move |(at, _)| start + at + 1).take(32).collect::<Vec<_>>())
}

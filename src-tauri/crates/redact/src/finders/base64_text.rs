//! Base64 that decodes to readable text, in which secrets are looked for as in any other text.
//!
//! Most blobs are pictures and hashes. The first twelve bytes show which are text.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::edits::Span;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// Number of characters of a blob that are decoded to see whether it is text.
const SAMPLE_CHARS: usize = 16;

fn is_blob(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The blob around a run of word characters, across line breaks and with its padding.
pub(crate) fn blob(text: &[u8], run: &Span) -> Span {
    let left = text[..run.start].iter().rev().take_while(|&&byte| is_blob(byte)).count();
    let mut end = run.end;
    loop {
        end += text[end..].iter().take_while(|&&byte| is_blob(byte)).count();
        let gap = match &text[end..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => break,
        };
        // A short line is part of another blob, or of prose.
        let line = text[end + gap..].iter().take_while(|&&byte| is_blob(byte)).count();
        if line < 20 && !text[end + gap + line..].starts_with(b"=") || line == 0 {
            break;
        }
        end += gap;
    }
    end += text[end..].iter().take(2).take_while(|&&byte| byte == b'=').count();
    run.start - left..end
}

/// Decodes a blob that is text; `None` if it is not.
pub(crate) fn decoded_text(blob: &[u8]) -> Option<String> {
    if !starts_with_text(blob) {
        return None;
    }
    let plain: Vec<u8> = blob
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|&byte| standard_character(byte))
        .collect();
    let cut = plain.len() - usize::from(plain.len() % 4 == 1);
    let mut decoded = LENIENT.decode(&plain[..cut]).ok()?;
    // Other bytes may follow the text, such as the padding of an archive.
    if let Err(error) = std::str::from_utf8(&decoded) {
        decoded.truncate(error.valid_up_to());
    }
    String::from_utf8(decoded).ok()
}

fn standard_character(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    }
}

/// Whether a blob begins with text.
pub(crate) fn starts_with_text(blob: &[u8]) -> bool {
    // `A` to `f` mean that the first or the fourth byte is ASCII, as in nearly every text.
    let ascii = |at: usize| matches!(blob.get(at), Some(b'A'..=b'Z' | b'a'..=b'f'));
    if !ascii(0) && !ascii(4) {
        return false;
    }
    let mut first = [0; SAMPLE_CHARS];
    let Some(known) = blob.get(..SAMPLE_CHARS) else { return false };
    for (to, from) in first.iter_mut().zip(known) {
        *to = standard_character(*from);
    }
    let mut decoded = [0; SAMPLE_CHARS];
    LENIENT.decode_slice(first, &mut decoded).is_ok_and(|length| {
        let text = &decoded[..length];
        let plain = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\n' | b'\r' | b'\t');
        // In other scripts the last character may be incomplete.
        text.iter().all(plain)
            && std::str::from_utf8(text).map_or_else(|error| error.valid_up_to() + 3 >= length, |_| true)
    })
}

/// Places where base64 may begin: at the start and after each `/`, which occurs in base64 and in paths.
pub(crate) fn possible_starts(text: &[u8], blob: &Span) -> impl Iterator<Item = usize> {
    let slashes = text[blob.clone()].iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let start = blob.start;
    std::iter::once(start).chain(slashes.map(move |(at, _)| start + at + 1).take(32).collect::<Vec<_>>())
}

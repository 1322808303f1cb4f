//! Classes of characters that several searches share.

/// Whether a byte is a letter, a digit, `_` or `-`.
pub(crate) fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        word[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte == b'-' as usize;
        byte += 1;
    }
    word
};

/// Whether a byte may be part of a name such as `db.password`.
pub(crate) fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

/// The last boundary between characters up to a place.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Whether a run of characters contains a random piece rather than names, words or numbers only: at least 12 letters
/// and digits in a row that mix both, or that switch to a capital four times.
pub(crate) fn has_random_piece(run: &[u8]) -> bool {
    run.split(|byte| !byte.is_ascii_alphanumeric()).any(|piece| {
        let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        let rises =
            piece.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
        piece.len() >= 12 && (digits >= 2 && digits < piece.len() || rises >= 4)
    })
}

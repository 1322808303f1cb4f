//! Tokens that are recognised by their structure, not by a prefix: JSON web tokens, bot tokens, keys of a fixed layout.
//!
//! Each is looked for around a run of word characters.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::chars::is_word;
use crate::edits::Span;

/// Finds the token around a run of word characters.
pub(crate) fn find(text: &[u8], run: &Span, spans: &mut Vec<Span>) {
    let found = web_token(text, run)
        .or_else(|| discord(text, run))
        .or_else(|| telegram_or_asana(text, run))
        .or_else(|| airtable(text, run))
        .or_else(|| terraform(text, run))
        .or_else(|| salesforce(text, run))
        .or_else(|| whole_run(text, run));
    spans.extend(found);
}

fn word_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|&byte| !is_word(byte)).map_or(text.len(), |length| start + length)
}

/// Lengths of the parts that follow, each after a dot, up to four, and the end of the last.
fn parts(text: &[u8], run: &Span) -> (Vec<usize>, usize) {
    // Most runs have none; nothing is allocated for them.
    let (mut lengths, mut end) = (Vec::new(), run.end);
    while lengths.len() < 4 && text.get(end) == Some(&b'.') {
        let next = word_end(text, end + 1);
        lengths.push(next - end - 1);
        end = next;
    }
    (lengths, end)
}

/// JSON web token: `header.payload.signature`, where the header is JSON. An encrypted one has five parts.
fn web_token(text: &[u8], run: &Span) -> Option<Span> {
    let start = (run.start..run.start + 8).find(|&at| text[at..].starts_with(b"eyJ"))?;
    let (lengths, end) = parts(text, run);
    let known = text[start..run.end].get(..16)?;
    let header = URL_SAFE_NO_PAD.decode(known).ok()?;
    (lengths.first().is_some_and(|&length| length >= 8) && header.starts_with(b"{\"")).then_some(start..end)
}

/// Discord: an id in base64, a time and a signature.
fn discord(text: &[u8], run: &Span) -> Option<Span> {
    if !(18..=30).contains(&run.len()) || text.get(run.end) != Some(&b'.') {
        return None;
    }
    let (lengths, end) = parts(text, run);
    let structured = matches!(lengths.as_slice(), [5..=7, 25..=45]);
    let id = URL_SAFE_NO_PAD.decode(text[run.clone()].get(..16)?).ok()?;
    let alone = run.start == 0 || !matches!(text[run.start - 1], b'.' | b'/');
    (structured && alone && id.iter().all(u8::is_ascii_digit)).then_some(run.start..end)
}

/// `number:token`: Telegram's bots (35 characters), Asana (32 characters).
fn telegram_or_asana(text: &[u8], run: &Span) -> Option<Span> {
    let colon = run.start.checked_sub(1).filter(|&before| text[before] == b':')?;
    let digits = text[..colon].iter().rev().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    let start = colon - digits;
    let before = start.checked_sub(1).map(|before| text[before]);
    let token = &text[run.clone()];
    let mixed = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_alphabetic);
    let telegram = (6..=12).contains(&digits) && (33..=37).contains(&run.len());
    let asana = digits >= 10 && before == Some(b'/') && run.len() == 32;
    let bot = text[..start].ends_with(b"bot");
    let free =
        bot || !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b':');
    (mixed && free && (telegram || asana)).then_some(start..run.end)
}

/// Airtable: `pat` and 14 characters, a dot, 64 characters.
fn airtable(text: &[u8], run: &Span) -> Option<Span> {
    if run.len() != 17 {
        return None;
    }
    let (lengths, end) = parts(text, run);
    (text[run.clone()].starts_with(b"pat") && lengths == [64]).then_some(run.start..end)
}

/// Terraform: 14 characters, `.atlasv1.`, then at least 40 characters, which are the run.
fn terraform(text: &[u8], run: &Span) -> Option<Span> {
    const SIGN: &[u8] = b".atlasv1.";
    let before = text[..run.start].strip_suffix(SIGN)?;
    let id = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (run.len() >= 40).then_some(before.len() - id..run.end)
}

/// Salesforce session: the id of an organisation, `!`, the rest.
fn salesforce(text: &[u8], run: &Span) -> Option<Span> {
    let before = text[..run.start].strip_suffix(b"!")?;
    let id = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let start = before.len() - id;
    let end = parts(text, run).1;
    (id >= 12 && before[start..].starts_with(b"00D")).then_some(start..end)
}

/// Tokens that are exactly one run.
fn whole_run(text: &[u8], run: &Span) -> Option<Span> {
    if run.len() < 35 {
        return None;
    }
    let whole = &text[run.clone()];
    let hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    let plain = whole.iter().all(u8::is_ascii_alphanumeric);
    let pieces: Vec<&[u8]> = whole.split(|&byte| byte == b'-').take(8).collect();
    let secret = match pieces.as_slice() {
        // Mailgun.
        [key, a, b] if key.len() == 32 && a.len() == 8 && b.len() == 8 => hex(key) && hex(a) && hex(b),
        // Mailchimp.
        [key, [b'u', b's', number @ ..]] if key.len() == 32 => {
            hex(key) && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
        }
        // LaunchDarkly, HubSpot, Plaid: a UUID after a word.
        [b"sdk" | b"api" | b"mob", a, b, c, d, e] => {
            [a.len(), b.len(), c.len(), d.len(), e.len()] == [8, 4, 4, 4, 12]
                && [a, b, c, d, e].into_iter().all(|part| hex(part))
        }
        // ClickUp.
        [one] if one.starts_with(b"pk_") => {
            let (digits, key) = one[3..].split_at(one[3..].iter().take_while(|b| b.is_ascii_digit()).count());
            !digits.is_empty()
                && key.len() == 33
                && key[1..].iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        }
        // New Relic's licence keys, Azure's keys of all kinds, crates.io, NuGet.
        [one] if plain => {
            one.len() == 40 && one.ends_with(b"NRAL")
                || (52..=100).contains(&one.len()) && AZURE.iter().any(|sign| contains(one, sign))
                || one.len() == 35 && one.starts_with(b"cio") && mixed_case(&one[3..])
                || one.len() == 46 && one.starts_with(b"oy2") && one.iter().any(u8::is_ascii_digit)
        }
        _ => false,
    };
    secret.then(|| run.clone())
}

const AZURE: &[&[u8]] = &[b"JQQJ99", b"AZDO", b"AzFu", b"AzSe", b"ACDb", b"AzCa", b"ASt"];

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

/// Whether a text contains capitals, small letters and digits.
pub(crate) fn mixed_case(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_uppercase)
        && text.iter().any(u8::is_ascii_lowercase)
        && text.iter().any(u8::is_ascii_digit)
}

//! Decides whether the value after a keyword is a secret, or a type, a placeholder, code or the next word of a sentence.
//!
//! A doubtful value counts as a secret after `password`. After `token` it must look like one.

use super::keyword::SecretKind;
use super::value::{Notation, Separator};

/// Values that are no secrets: words of sentences about secrets, and types and literals of programming languages.
const COMMON_WORDS: &[&str] = &[
    "string",
    "str",
    "text",
    "value",
    "is",
    "are",
    "was",
    "the",
    "a",
    "an",
    "required",
    "optional",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "must",
    "should",
    "can",
    "cannot",
    "may",
    "for",
    "to",
    "from",
    "in",
    "and",
    "or",
    "not",
    "no",
    "yes",
    "file",
    "path",
    "your",
    "my",
    "be",
    "has",
    "have",
    "with",
    "without",
    "reset",
    "change",
    "changed",
    "field",
    "input",
    "type",
    "name",
    "expired",
    "invalid",
    "missing",
    "wrong",
    "incorrect",
    "empty",
    "enabled",
    "disabled",
    "auto",
    "bearer",
    "basic",
    "prompt",
    "policy",
    "hash",
    "hashed",
    "manager",
    "protected",
    "protection",
    "hidden",
    "secure",
    "object",
    "array",
    "list",
    "number",
    "integer",
    "boolean",
    "bool",
    "bytes",
    "any",
    "unknown",
    "include",
    "same-origin",
    "omit",
    "optional",
    "redacted",
    "masked",
    "placeholder",
    "example",
    "changeme",
    "default",
    "generated",
    "rotated",
    "revoked",
    "sent",
    "set",
    "unset",
    "given",
    "stored",
    "saved",
    "found",
    "updated",
    "created",
    "deleted",
    "refreshed",
    "provided",
    "supplied",
    "of",
    "on",
    "at",
    "by",
    "if",
    "as",
    "it",
    "that",
    "this",
    "which",
    "when",
    "used",
    "use",
    "using",
    "via",
    "char",
    "varchar",
    "option",
    "self",
    "this",
    "new",
    "await",
    "return",
    "function",
    "let",
    "const",
    "var",
    "env",
    "environ",
    "process",
    "config",
    "settings",
    "request",
    "response",
    "user",
    "username",
    "email",
    "login",
    "admin",
    "authentication",
    "authenticated",
    "verification",
    "verified",
    "valid",
    "strength",
    "length",
    "minimum",
    "maximum",
    "confirmation",
    "recovery",
    "forgotten",
    "encrypted",
    "encryption",
    "plaintext",
    "available",
    "active",
    "inactive",
    "n/a",
    "todo",
    "tbd",
    "keychain",
    "keyring",
    "vault",
    "jwt",
    "oauth",
    "oauth2",
    "apikey",
    "utf-8",
    "utf8",
    "base64",
    "sha256",
    "sha512",
    "md5",
    "bcrypt",
    "argon2",
    "rs256",
    "hs256",
    "es256",
    "aes-256",
    "aes256",
    "header",
    "query",
    "body",
    "cookie",
    "keyword",
    "comment",
    "identifier",
    "punctuation",
    "operator",
    "uuid",
    "public",
    "private",
    "internal",
];

/// Whether a value of a kind is plausibly a secret.
pub(crate) fn is_plausible(value: &[u8], kind: SecretKind, notation: &Notation, name: &[u8]) -> bool {
    let value = value.trim_ascii();
    if value.is_empty() || is_placeholder(value) || is_common_word(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let contains = |part: &[u8]| memchr::memmem::find(&lower, part).is_some();
    if lower.eq_ignore_ascii_case(name) || !notation.quoted && is_code(value) {
        return false;
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
    let names = [&b"secret"[..], b"password", b"token", b"passwd"].iter().any(|part| contains(part));
    let phrase = notation.quoted && value.contains(&b' ');
    match kind {
        SecretKind::Phrase => value.split(|byte| *byte == b' ').filter(|word| word.len() >= 3).count() >= 10,
        SecretKind::Random => value.len() >= 8 && looks_random(value) && !value.starts_with(b"/"),
        SecretKind::Token => {
            let long =
                value.len() >= 16 && !value.contains(&b' ') && (!names || digits > 0) && !is_name_like(value);
            let number = letters == 0 && value.len() <= 12;
            !phrase
                && !number
                && value.len() >= 6
                && (digits > 0 && !is_sentence(value) || long || looks_random(value))
        }
        _ if notation.separator == Separator::Prose => {
            value.len() >= 6 && digits > 0 && letters > 0 && !is_date(value)
        }
        _ if digits == value.len() => value.len() >= 4,
        // Letters and other characters: a secret unless it is made of words.
        _ if letters < value.len() => {
            value.len() >= 4 && !(phrase && is_sentence(value)) && {
                !is_name_like(value) || !names && is_passphrase(value)
            }
        }
        // Only letters: a word, the name of a variable, or a password.
        _ if names => false,
        _ if notation.quoted || notation.separator == Separator::Tag => value.len() >= 4,
        _ if notation.separator == Separator::Flag => {
            value.len() >= 6 && value.iter().any(u8::is_ascii_lowercase)
        }
        _ if notation.separator == Separator::Equals && (notation.spaced || notation.in_list) => {
            value.len() >= 6 && mixes_cases(value)
        }
        _ => value.len() >= 5,
    }
}

/// Whether a text under an ambiguous key (`auth`, `pass`) is plausibly a secret: one word of letters and digits.
pub(crate) fn is_plausible_under_ambiguous_key(value: &[u8]) -> bool {
    !value.contains(&b' ')
        && value.iter().any(u8::is_ascii_digit)
        && is_plausible(value, SecretKind::Random, &Notation::QUOTED, b"")
}

/// Whether a value is not made of words: letters and digits mixed, several capitals inside, or long and no name.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let turns =
        value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    letters > 0 && digits > 0 && digits + letters >= 6
        || turns * 6 >= value.len().max(12)
        || value.len() >= 24 && !is_name_like(value)
}

/// Whether a value is a variable, a placeholder or a mask of stars.
fn is_placeholder(value: &[u8]) -> bool {
    let opens = matches!(value[0], b'<' | b'{' | b'[' | b'(' | b'&' | b'|')
        || value[0] == b'$' && is_variable(&value[1..])
        || value.starts_with("⟦".as_bytes());
    let format = value.starts_with(b"%s")
        || value.starts_with(b"%(")
        || value.len() > 2 && value[0] == b'%' && value.ends_with(b"%");
    let same = value.iter().all(|byte| *byte == value[0])
        || value.starts_with(b"***")
        || value.starts_with(b"...")
        || value.starts_with("…".as_bytes())
        || value.starts_with("•".as_bytes());
    opens || format || same
}

/// Whether what stands behind `$` is a variable or a command: `$NAME`, `${NAME}`, `$name->member`, `$(command)`.
fn is_variable(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    rest.get(name).is_none_or(|byte| {
        matches!(
            byte,
            b'-' | b'['
                | b'('
                | b'.'
                | b','
                | b';'
                | b':'
                | b')'
                | b'}'
                | b'{'
                | b'/'
                | b'$'
                | b'"'
                | b'\''
                | b'\\'
                | b'|'
                | b'@'
                | b' '
        )
    })
}

fn is_common_word(value: &[u8]) -> bool {
    let plain = value.strip_suffix(b"?").or_else(|| value.strip_suffix(b"!")).unwrap_or(value);
    COMMON_WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(plain))
}

/// Whether a value is code: a call, a path through names, an environment variable.
fn is_code(value: &[u8]) -> bool {
    let calls = value.contains(&b'(') && value[0].is_ascii_alphabetic();
    let name = value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let dotted = name
        && value.contains(&b'.')
        && value
            .split(|byte| *byte == b'.')
            .all(|part| part.len() >= 2 && part.iter().all(|b| !b.is_ascii_digit()));
    let environment = [&b"process.env"[..], b"os.environ", b"getenv", b"ENV[", b"env.", b"self.", b"this."]
        .iter()
        .any(|sign| value.starts_with(sign));
    calls || dotted || environment
}

/// Whether a value is a name without digits: `snake_case`, `kebab-case`, `CONSTANT_CASE`, `a/path`.
fn is_name_like(value: &[u8]) -> bool {
    let joint = |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b'/');
    let joined =
        value.iter().any(joint) && value.iter().all(|byte| byte.is_ascii_alphabetic() || joint(byte));
    joined || value.iter().all(u8::is_ascii_lowercase) && value.len() < 24
}

/// Whether a value is a passphrase such as `correct-horse-battery`.
fn is_passphrase(value: &[u8]) -> bool {
    value.split(|byte| *byte == b'-').filter(|word| word.len() >= 3).count() >= 3
}

/// Whether a value has at least three words.
fn is_sentence(value: &[u8]) -> bool {
    value.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() >= 3
}

fn is_date(value: &[u8]) -> bool {
    value.iter().filter(|byte| matches!(byte, b'-' | b':' | b'/')).count() >= 2
        && value[..4.min(value.len())].iter().all(u8::is_ascii_digit)
}

fn mixes_cases(value: &[u8]) -> bool {
    value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count() >= 2
}

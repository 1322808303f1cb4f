//! Keys that are data, as those of maps are, and keys that are names of fields.
//!
//! Only the key itself is examined. A key with a dot, a colon, a slash or a blank may well be a
//! name (`http.response.status_code`, `dc:title`, `and/or`, `First Name`), so it must look like an
//! address, a path, a version or something else that no one names a field after.

use crate::distinct::written_length;
use crate::format::Format;
use crate::veil;

/// Most bytes of a kept key in JSON. All longer keys look like data.
const MAX_KEY: usize = 128;

/// Beginning of keys and values that were redacted.
pub(crate) const REDACTED: &str = "⟦redacted ";

/// Beginning of keys with a special meaning for serde_json.
const PRIVATE: &str = "$serde_json::private::";

/// Returns whether values of a key may have a path of their own. They may not if the keys would
/// take too much room, or if serde_json gives the key a special meaning in schemas. Both kinds of
/// keys look like data, so their values are counted together.
pub(crate) fn may_be_kept(key: &str) -> bool {
    key.len() <= MAX_KEY && written_length(key) <= MAX_KEY && !key.starts_with(PRIVATE)
}

/// Returns whether a key does not say what the key was: it was a secret, or has bytes that are no text. No schema can name
/// it, so its values have no path of their own.
pub(crate) fn is_hidden(key: &str) -> bool {
    key.starts_with(REDACTED) || key.contains(char::REPLACEMENT_CHARACTER)
}

/// Returns whether a key looks like an id, date, number, version, path, address, host name, package
/// or sentence: typical keys of maps, not names of fields. A record may still have such fields.
pub fn looks_like_data(key: &str) -> bool {
    let bytes = key.as_bytes();
    let is_odd = |byte: &u8| matches!(byte, b'@' | b'/' | b'\\' | b':' | b'.' | b'*' | 0..=b' ');
    looks_like_id(bytes)
        || Format::Uuid.is_of(key)
        || bytes.len() > 60
        || bytes.iter().any(is_odd) && (looks_like_address(key) || veil::was_data(key))
}

/// Returns whether the name of an object says that its members are several of a kind: `services`, `byName`,
/// `name_map`. Then they are likely to be named by data, even if their names are words. A record may have such a name,
/// too.
pub(crate) fn names_several(key: &str) -> bool {
    // Words that end like a plural.
    const SINGULAR: &[&str] =
        &["alias", "always", "canvas", "dns", "https", "news", "previous", "series", "tls"];
    let begins_word = |rest: &str| rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase());
    let start = key
        .rfind(|c: char| !c.is_ascii_lowercase())
        .map_or(0, |at| if key[at..].starts_with(|c: char| c.is_ascii_uppercase()) { at } else { at + 1 });
    let last = key.get(start..).unwrap_or_default().to_ascii_lowercase();
    let is_plural = last.len() >= 4
        && last.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        && !SINGULAR.contains(&last.as_str());
    is_plural
        || matches!(last.as_str(), "map" | "dict" | "env" | "children")
        || key.strip_prefix("by").is_some_and(begins_word)
        || key.contains("_by_")
        || key.split("By").skip(1).any(begins_word)
}

/// Returns whether a key is a number, or has so many digits that it is probably an id or a date.
fn looks_like_id(bytes: &[u8]) -> bool {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return false;
    }
    let run = || bytes.windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    let hexadecimal = || bytes.len() >= 7 && digits >= 2 && bytes.iter().all(u8::is_ascii_hexdigit);
    digits >= 6 || digits == bytes.len() || run() || hexadecimal()
}

/// Returns whether a key with punctuation looks like an address, path, version, package or sentence.
fn looks_like_address(key: &str) -> bool {
    // Names such as `@type` and `@odata.type` begin like this, packages such as `@babel/core` too.
    let (scoped, rest) = key.strip_prefix('@').map_or((false, key), |rest| (true, rest));
    rest.contains('@')
        || scoped && rest.contains('/') && !rest.contains(':')
        || key.chars().any(|c| c.is_ascii_control() || c == '\\')
        || key.len() > 1 && (key.contains('*') || key.starts_with('.'))
        || Format::of(key).is_some()
        || is_path(key)
        || is_version(key)
        || is_file_or_host(key)
        || has_data_behind_colon(key)
        || is_sentence(key)
}

/// Returns whether a text is a path, media type or time zone. One slash between two words is not
/// enough: `and/or`.
fn is_path(text: &str) -> bool {
    let Some((first, rest)) = text.split_once('/') else { return false };
    rest.contains('/')
        || text.len() > 1 && (rest.is_empty() || matches!(first, "" | "~"))
        || FOLDERS.contains(&first)
}

/// Returns whether a text is a version or a range of versions: `1.2.3`, `v2.0-rc.1`, `^1.2`.
fn is_version(text: &str) -> bool {
    let number = text.trim_start_matches(['^', '~', '>', '<', '=', ' ', 'v']);
    let (first, rest) = number.split_once('.').unwrap_or_default();
    !first.is_empty()
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == 'x')
}

/// Returns whether a text ends like the name of a file, or is a host name.
fn is_file_or_host(text: &str) -> bool {
    let Some((before, last)) = text.rsplit_once('.').filter(|(before, _)| !before.is_empty()) else {
        return false;
    };
    let label = |label: &str| {
        let byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(byte)
    };
    let are_labels = || before.split('.').all(label);
    FILES.contains(&last)
        || (HOSTS.contains(&last) || before.starts_with("www.")) && are_labels() && label(last)
        // Packages are named after hosts backwards.
        || text.split('.').next().is_some_and(|first| ["com", "org"].contains(&first))
            && before.contains('.')
}

/// Returns whether a key has several parts behind colons (`arn:aws:s3:::logs`) or a number
/// (`localhost:8080`).
fn has_data_behind_colon(key: &str) -> bool {
    let mut parts = key.splitn(3, ':').skip(1);
    let second = parts.next();
    parts.next().is_some()
        || second.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a text has more words than a name, or punctuation behind one of them.
fn is_sentence(text: &str) -> bool {
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    words.clone().count() > 5
        || text.contains(' ') && words.any(|word| word.ends_with([',', '.', '!', '?', ';']))
}

/// Endings of file names that are hardly ever the last part of a dotted name.
const FILES: [&str; 58] = [
    "bat", "bz2", "cfg", "cjs", "conf", "cpp", "css", "csv", "dll", "exe", "gif", "gz", "h", "htm", "html",
    "ico", "ini", "ipynb", "jar", "java", "jpeg", "jpg", "js", "json", "jsx", "kt", "less", "md", "mjs",
    "pdf", "php", "png", "pom", "py", "pyc", "pyi", "rb", "rs", "rst", "scss", "sh", "svg", "tar", "tgz",
    "toml", "ts", "tsv", "tsx", "ttf", "txt", "vue", "wasm", "whl", "woff", "woff2", "xml", "yaml", "yml",
];

/// First parts of paths, media types and time zones.
const FOLDERS: [&str; 28] = [
    "Africa",
    "America",
    "Antarctica",
    "Asia",
    "Atlantic",
    "Australia",
    "Etc",
    "Europe",
    "Indian",
    "Pacific",
    "application",
    "audio",
    "bin",
    "dist",
    "docs",
    "etc",
    "font",
    "image",
    "lib",
    "model",
    "node_modules",
    "packages",
    "src",
    "test",
    "tests",
    "text",
    "vendor",
    "video",
];

/// Last parts of host names that are hardly ever the last part of a dotted name. Parts such as
/// `name`, `id`, `app` and `network` are both.
const HOSTS: [&str; 42] = [
    "ar", "au", "br", "ca", "ch", "cl", "cn", "com", "cz", "de", "dev", "dk", "edu", "es", "eu", "fi", "fr",
    "gov", "gr", "hu", "ie", "il", "jp", "kr", "mil", "mx", "net", "nl", "nz", "org", "pl", "pt", "ro", "ru",
    "se", "sg", "tr", "tw", "ua", "uk", "us", "za",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_name_several() {
        for name in [
            "services",
            "devDependencies",
            "by_name",
            "byName",
            "usersByTeam",
            "volume_map",
            "env",
            "categories",
        ] {
            assert!(names_several(name), "{name}");
        }
        for name in [
            "service", "status", "address", "series", "analysis", "metadata", "bypass", "body", "is", "",
            "é", "Äs",
        ] {
            assert!(!names_several(name), "{name}");
        }
    }

    #[test]
    fn keys_are_classified_as_data_or_names() {
        for key in [
            "2026-11-20",
            "user@example.org",
            "/etc/passwd",
            "src/main.rs",
            "README.md",
            "what was said here, in a sentence",
            "f81d4fae-7dec-11d0",
            "123",
            "example.org",
            "3fa9c0de",
            "1.2.3",
            "^1.2",
            "@babel/core",
            "left-pad@1.3.0",
            "localhost:8080",
            "arn:aws:s3:::logs",
            "org.apache.commons",
            "src/*",
        ] {
            assert!(looks_like_data(key), "{key}");
        }
        for key in [
            "",
            "id",
            "createdAt",
            "address_line_2",
            "sha256",
            "x-y",
            "facade",
            "x1",
            "@type",
            "@odata.type",
            "iso_639_1",
            "sap.app",
            "service.name",
            "http.response.status_code",
            "k8s.pod.name",
            "editor.fontSize",
            "dc:title",
            "First Name",
            "and/or",
            "*",
            "/",
            ".",
            " ",
            ":",
        ] {
            assert!(!looks_like_data(key), "{key}");
        }
    }

    #[test]
    fn keys_that_may_not_be_kept_look_like_data() {
        let control = "\u{1}".repeat(MAX_KEY / 6 + 1);
        for key in [
            "k".repeat(MAX_KEY + 1),
            "\"".repeat(MAX_KEY / 2 + 1),
            control,
            "$serde_json::private::RawValue".to_owned(),
        ] {
            assert!(!may_be_kept(&key) && looks_like_data(&key), "{key}");
        }
        assert!(may_be_kept(&"k".repeat(MAX_KEY)) && may_be_kept(""));
    }

    /// Keys of real schemas and maps, one by one. Words are not recognised, which is why objects are
    /// judged as a whole (`tests/keys.rs`).
    #[test]
    #[allow(clippy::print_stdout, reason = "the figures are printed with --nocapture")]
    fn real_names_and_real_keys_are_classified() {
        let keys = |text: &str, field: &str| -> Vec<(String, Vec<String>)> {
            let list = |line: &str| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                let keys = line[field].as_array().unwrap().iter();
                let keys = keys.map(|key| key.as_str().unwrap().to_owned()).collect();
                (line["source"].as_str().unwrap().to_owned(), keys)
            };
            text.lines().map(list).collect()
        };
        let names = keys(include_str!("../tests/keys/names.jsonl"), "names");
        let all: std::collections::BTreeSet<&String> = names.iter().flat_map(|(_, names)| names).collect();
        // Columns named after years are a map.
        let wrong = |name: &&&String| looks_like_data(name) && name.parse::<u32>().is_err();
        let wrong: Vec<_> = all.iter().filter(wrong).collect();
        println!("{} of {} names look like data: {wrong:?}", wrong.len(), all.len());
        let data = keys(include_str!("../tests/keys/data.jsonl"), "keys");
        for (source, keys) in &data {
            let missed: Vec<_> = keys.iter().filter(|key| !looks_like_data(key)).collect();
            println!(
                "{source}: {} of {} missed: {:?}",
                missed.len(),
                keys.len(),
                &missed[..missed.len().min(8)]
            );
        }
        assert!(wrong.len() * 100 <= all.len());
    }

    #[test]
    fn endings_are_sorted() {
        assert!(FILES.is_sorted() && FOLDERS.is_sorted() && HOSTS.is_sorted());
    }
}

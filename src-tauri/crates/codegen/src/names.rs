//! Names of files, functions, classes and attributes.
//!
//! An attribute's name depends on its field's name alone, so that it stays whatever fields come later. Names of tools
//! that map to the same file are distinguished by a digest of the whole name.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Hexadecimal digits in a name that distinguish it from others.
const DIGITS: usize = 12;
/// Longest name of a file, function or attribute.
const MAX_NAME: usize = 60;

/// Words that Python reserves, and names that annotations use.
const PYTHON_WORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match",
    "case", "type", "Any", "ClassVar", "Field", "Literal", "Never", "bool", "dict", "float", "int", "list",
    "property", "str", "tuple", "object", "self", "cls",
];
/// Attributes of the wrappers' classes and of Pydantic's.
const PYTHON_ATTRIBUTES: &[&str] = &[
    "get",
    "has",
    "require",
    "raw",
    "fits",
    "parse",
    "root",
    "construct",
    "copy",
    "json",
    "schema",
    "schema_json",
    "validate",
    "fields",
    "parse_obj",
    "parse_raw",
    "parse_file",
    "from_orm",
    "update_forward_refs",
    // Of the classes' metaclass.
    "register",
    "mro",
];
/// Members of the wrappers' objects and of JavaScript's.
const SCRIPT_MEMBERS: &[&str] = &[
    "get",
    "has",
    "require",
    "raw",
    "rawText",
    "fits",
    "then",
    "toJSON",
    "constructor",
    "prototype",
    "__proto__",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toString",
    "toLocaleString",
    "valueOf",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];
/// Words that JavaScript reserves, and names the wrappers use.
const SCRIPT_WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "async",
    "of",
    "call",
    "parse",
    "schema",
    "params",
    "options",
];
/// Words that Rust reserves.
const RUST_WORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];
/// Methods of the wrappers' types in Rust.
const RUST_METHODS: &[&str] =
    &["clone", "fits", "from_map", "get", "has", "new", "parse", "raw", "raw_text", "require", "set"];
/// Names of files that some system or loader gives a meaning, and names that wrappers and indexes import.
const FILE_WORDS: &[&str] = &[
    "lazy",
    "root",
    "call_mcp_tool",
    "annotations",
    "index",
    "mod",
    "crate",
    "con",
    "prn",
    "aux",
    "nul",
    "init",
    "main",
    "call",
    "field",
    "params",
    "result",
    "schema",
    "self",
];

/// A digest of a name, in lower-case letters and digits.
pub(crate) fn digest(name: &str, length: usize) -> String {
    let hash = Sha256::digest(name.as_bytes());
    hash.iter().take(length.div_ceil(2)).map(|byte| format!("{byte:02x}")).collect::<String>()[..length]
        .to_owned()
}

/// Whether Python keeps a name as it is written.
fn is_python_name(name: &str) -> bool {
    let stays = |letter: char| {
        letter.is_ascii_alphanumeric()
            || letter == '_'
            || matches!(letter, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ı' | 'А'..='я' | '一'..='鿿' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '가'..='힣')
    };
    name.chars().all(stays)
        && name.chars().next().is_some_and(|first| !first.is_ascii_digit() && first != '_')
}

/// The attribute of a field in Python.
pub(crate) fn python_attribute(wire: &str) -> String {
    let is_taken =
        PYTHON_WORDS.contains(&wire) || PYTHON_ATTRIBUTES.contains(&wire) || wire.starts_with("model_");
    attribute(wire, is_taken, is_python_name)
}

/// The method of a field in Rust.
pub(crate) fn rust_method(wire: &str) -> String {
    let is_name = |name: &str| name.is_ascii() && is_python_name(name);
    attribute(wire, RUST_WORDS.contains(&wire) || RUST_METHODS.contains(&wire), is_name)
}

/// The name of a function or module in Rust.
pub(crate) fn rust_identifier(name: &str) -> String {
    if RUST_WORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// The attribute of a field in a language with identifiers. `is_taken` says that its own name means something else.
fn attribute(wire: &str, is_taken: bool, is_name: impl Fn(&str) -> bool) -> String {
    if is_name(wire) && !wire.ends_with('_') && wire.len() <= MAX_NAME && !is_taken {
        return wire.to_owned();
    }
    // One kind of change gets a plain name; names that were changed in several ways could meet.
    let spaced = wire.replace('-', "_");
    let is_kebab = spaced != wire && !wire.contains('_');
    if (is_kebab || is_taken) && is_name(&spaced) && !spaced.ends_with('_') && wire.len() <= MAX_NAME {
        return spaced + "_";
    }
    let mut name = plain(wire);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "field_");
    }
    format!("{}_{}_", name.trim_end_matches('_'), digest(wire, 6))
}

/// The member of a field in TypeScript; any text is a name there.
pub(crate) fn script_member(wire: &str) -> String {
    let bare = wire.trim_end_matches('_');
    if SCRIPT_MEMBERS
        .iter()
        .any(|member| *member == wire || member.trim_end_matches('_') == bare && wire != bare)
    {
        return format!("{wire}_");
    }
    wire.to_owned()
}

/// Letters, digits and underscores only, without runs of them.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            plain.push(letter);
        } else if !plain.ends_with('_') && !plain.is_empty() {
            plain.push('_');
        }
        if plain.len() >= MAX_NAME {
            break;
        }
    }
    plain
}

/// `listFiles`, `list-files` and `List Files` as `list_files`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = ' ';
    for letter in plain(name).chars() {
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
        before = letter;
    }
    snake.trim_matches('_').to_owned()
}

/// `git_status` as `GitStatus`.
pub(crate) fn pascal(name: &str) -> String {
    let parts = plain(name);
    let mut pascal = String::new();
    for part in parts.split('_') {
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            pascal.push(first.to_ascii_uppercase());
            pascal.push_str(letters.as_str());
        }
    }
    if !pascal.starts_with(|first: char| first.is_ascii_alphabetic()) {
        pascal.insert(0, 'T');
    }
    pascal
}

/// Names of files and functions for names of one kind, such as the tools of a server. `held` are names of previous
/// runs, which stay. The result does not depend on the order. Names of classes made of them are distinct as well.
pub fn modules<'a>(
    names: impl IntoIterator<Item = &'a str>,
    held: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    // Names in a group would share their classes.
    let mut groups: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
    for name in names {
        let base = base(name);
        groups.entry(pascal(&base)).or_default().push((name, base));
    }
    let mut modules = BTreeMap::new();
    for (class, mut group) in groups {
        group.sort_unstable();
        group.dedup();
        let mut free = group.iter().filter(|(_, base)| !is_digested(base));
        let holder = free
            .clone()
            .find(|(name, base)| held.get(*name) == Some(base))
            .or_else(|| if group.len() == 1 { free.next() } else { free.find(|(name, base)| name == base) });
        let holder = holder.map(|(name, _)| *name);
        let is_other = |name: &str| group.iter().all(|(member, _)| *member != name);
        let taken = held.iter().any(|(name, module)| is_other(name) && pascal(module) == class);
        for (name, base) in &group {
            let digested = format!("{base}_{}", digest(name, DIGITS));
            let has_digest = held.get(*name) == Some(&digested);
            let module = if Some(*name) == holder && !taken && !has_digest { base.clone() } else { digested };
            modules.insert((*name).to_owned(), module);
        }
    }
    modules
}

/// Whether a name ends like those with a digest, so that its file or its classes could be those of another.
fn is_digested(base: &str) -> bool {
    let Some((start, end)) = base.len().checked_sub(DIGITS).and_then(|at| base.split_at_checked(at)) else {
        return false;
    };
    let is_apart = start.ends_with('_') || end.starts_with(|first: char| first.is_ascii_digit());
    is_apart && end.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// The plain name of a file and function.
fn base(name: &str) -> String {
    let mut base = snake(name);
    let numbered = |word: &str| base.strip_prefix(word).is_some_and(|rest| rest.len() == 1);
    let is_word = PYTHON_WORDS.iter().chain(SCRIPT_WORDS).chain(FILE_WORDS).any(|word| *word == base);
    if base.is_empty() || !base.starts_with(|first: char| first.is_ascii_lowercase()) {
        base = format!("tool_{base}");
    } else if is_word || numbered("com") || numbered("lpt") {
        base.push_str("_tool");
    }
    base.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn attributes_are_distinct_and_depend_on_their_field_only() {
        let wire = [
            "a",
            "a_",
            "a-b",
            "a_b",
            "a-b_",
            "a.b",
            "a b",
            "a-b_c",
            "a_b-c",
            "class",
            "class_",
            "get",
            "get_",
            "_id",
            "id",
            "1st",
            "",
            " ",
            "é",
            "日本",
            "model_dump",
            "__proto__",
            "str",
            "then",
            "a\u{202e}",
            "\0",
            "self",
        ];
        let names: BTreeSet<String> = wire.iter().map(|name| python_attribute(name)).collect();
        assert_eq!(names.len(), wire.len(), "{names:?}");
        assert!(names.iter().all(|name| is_python_name(name)), "{names:?}");
        assert_eq!(python_attribute("class"), "class_");
        assert_eq!(python_attribute("repo-path"), "repo_path_");
        assert_eq!(python_attribute("repoPath"), "repoPath");
        assert_eq!(python_attribute(&"x".repeat(300)).len(), 68);
        let methods: BTreeSet<String> = wire.iter().map(|name| rust_method(name)).collect();
        assert_eq!(methods.len(), wire.len(), "{methods:?}");
        assert!(methods.iter().all(|name| name.is_ascii() && is_python_name(name)), "{methods:?}");
        assert!(methods.iter().all(|name| !RUST_WORDS.contains(&name.as_str())), "{methods:?}");
        let members: BTreeSet<String> = wire.iter().map(|name| script_member(name)).collect();
        assert_eq!(members.len(), wire.len(), "{members:?}");
    }

    #[test]
    fn tools_of_one_file_are_distinguished_in_any_order() {
        let none = BTreeMap::new();
        let mut names =
            vec!["a.b", "a-b", "a_b", "A_B", "index", "con", "__init__", "com1", "", "日本", "class", "1st"];
        let first = modules(names.iter().copied(), &none);
        names.reverse();
        assert_eq!(modules(names.iter().copied(), &none), first);
        let distinct: BTreeSet<&String> = first.values().collect();
        assert_eq!(distinct.len(), names.len(), "{first:?}");
        assert_eq!(first["a_b"], "a_b");
        assert!(
            first.values().all(|name| *name == name.to_ascii_lowercase() && is_python_name(name)),
            "{first:?}"
        );
        assert_eq!(modules(["get-library-docs"], &none)["get-library-docs"], "get_library_docs");
        assert_eq!(modules(["listFiles"], &none)["listFiles"], "list_files");
    }

    #[test]
    fn a_name_once_given_stays() {
        let held = BTreeMap::from([("a-b".to_owned(), "a_b".to_owned())]);
        let names = modules(["a_b", "a-b"], &held);
        assert_eq!(names["a-b"], "a_b");
        assert!(names["a_b"].starts_with("a_b_"), "{names:?}");
    }

    #[test]
    fn classes_and_digests_of_other_tools_are_not_shared() {
        let none = BTreeMap::new();
        let distinct = |names: &[&str]| {
            let all = modules(names.iter().copied(), &none);
            let files: BTreeSet<&String> = all.values().collect();
            let classes: BTreeSet<String> = all.values().map(|module| pascal(module)).collect();
            assert_eq!((files.len(), classes.len()), (names.len(), names.len()), "{all:?}");
            all
        };
        assert_eq!(distinct(&["search2", "search_2"])["search2"], "search2");
        distinct(&["a_b", "a-b", &format!("a_b_{}", digest("a-b", DIGITS))]);
        distinct(&["a_b", "a-b", "a_b_d44362d67d92"]);
        // A class's name has no `_` before a digest.
        let digested = modules(["b-y", "b_y"], &none)["b-y"].clone();
        distinct(&["b-y", "b_y", &digested, &digested.replacen("y_", "y", 1)]);
        let same = |name: &str| (name.to_owned(), name.to_owned());
        let held = BTreeMap::from([same("search2"), same("search_2")]);
        assert_eq!(modules(["search2", "search_2"], &held)["search2"], "search2");
        let held = BTreeMap::from([same("search_2")]);
        let names = modules(["search2", "search_2"], &held);
        assert_eq!(names["search_2"], "search_2");
        assert!(names["search2"].starts_with("search2_"), "{names:?}");
    }

    #[test]
    fn names_that_wrappers_import_are_reserved() {
        let none = BTreeMap::new();
        for name in ["lazy", "call_mcp_tool", "annotations"] {
            assert_eq!(modules([name], &none)[name], format!("{name}_tool"));
        }
        for name in ["register", "mro"] {
            assert_eq!(python_attribute(name), format!("{name}_"));
        }
    }
}

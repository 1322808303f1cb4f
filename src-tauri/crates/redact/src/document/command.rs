//! Commands whose words are strings of their own, `["mysql", "-px"]` or `{"command": "mysql", "args": ["-px"]}`, searched
//! as one line: what `-p` takes depends on the program.

use std::borrow::Cow;

use schemascope_json::{Quoted, unescaped};

/// Most words of a command.
const MAX_WORDS: usize = 64;
/// Programs that take secrets without a name, and those that run them.
const PROGRAMS: &[&str] = &[
    "buildah",
    "curl",
    "docker",
    "env",
    "helm",
    "kubectl",
    "ldapsearch",
    "mariadb",
    "mongosh",
    "mysql",
    "mysqladmin",
    "mysqldump",
    "nerdctl",
    "nice",
    "nohup",
    "podman",
    "redis-cli",
    "skopeo",
    "sqlcmd",
    "ssh",
    "sshpass",
    "sudo",
    "timeout",
];

/// What one container of a document says about a command.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// Of an object: the string that names the program.
    program: Option<Quoted>,
    /// Of an array: its items. Of an object: the arguments in it.
    words: Vec<Quoted>,
    /// Of an array: whether its items are words of a command.
    collects: bool,
}

impl Command {
    /// That of an array, under a key such as `args` or not.
    pub(super) fn of_array(is_arguments: bool) -> Self {
        Self { collects: is_arguments, ..Self::default() }
    }

    /// Notes the value of a key such as `command`.
    pub(super) fn named(&mut self, found: &Quoted, written: &str) {
        self.program = is_program(written).then(|| found.clone());
    }

    /// Notes an item of an array.
    pub(super) fn item(&mut self, found: &Quoted, written: &str, is_first: bool) {
        self.collects |= is_first && is_program(written);
        if self.collects && self.words.len() < MAX_WORDS {
            self.words.push(found.clone());
        }
    }

    /// The words of a command that ends with this container. Arguments are given to the object around them.
    pub(super) fn close(self, json: &str, around: Option<&mut Self>) -> Option<Vec<Quoted>> {
        let starts = self.words.first().is_some_and(|word| is_program(&json[word.span.clone()]));
        match (self.program, around) {
            (Some(program), _) => Some(std::iter::once(program).chain(self.words).collect()),
            (None, _) if starts => Some(self.words),
            (None, Some(around)) if self.collects => {
                around.words = self.words;
                None
            }
            _ => None,
        }
    }
}

/// Whether a string names a program of [`PROGRAMS`], with or without a path.
fn is_program(written: &str) -> bool {
    let name = written.trim_matches('"').rsplit(['/', '\\']).next().unwrap_or_default();
    PROGRAMS.contains(&name.strip_suffix(".exe").unwrap_or(name))
}

/// The words as they stand in the document, with a blank between each two.
pub(super) fn line<'a>(words: &[Quoted], json: &'a str) -> Vec<Cow<'a, str>> {
    let texts = words.iter().map(|word| unescaped(&json[word.span.clone()]));
    let mut line: Vec<Cow<'a, str>> = texts.flat_map(|text| [text, " ".into()]).collect();
    line.pop();
    line
}

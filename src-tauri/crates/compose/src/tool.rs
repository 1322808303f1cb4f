//! Tools as the graph sees them: their fields with the words that say what they mean.

use serde_json::Value;

use crate::path::{self, Step};
use crate::schema::{self, Field, Types};
use crate::words;

/// What results no longer have at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The field, with all that it contained.
    Field(Box<str>),
    /// A single value, where there is an object or a list now.
    Value(Box<str>),
    /// The members of an object, where there is a list or a single value now.
    Members(Box<str>),
    /// The items of a list, where there is an object or a single value now.
    Items(Box<str>),
}

impl Lost {
    fn has(&self, path: &str) -> bool {
        match self {
            Self::Field(lost) => path::is_within(path, lost),
            Self::Value(lost) => path == &**lost,
            Self::Members(lost) => {
                path != &**lost && path::is_within(path, lost) && !path[lost.len()..].starts_with("[]")
            }
            Self::Items(lost) => path.strip_prefix(&**lost).is_some_and(|rest| rest.starts_with("[]")),
        }
    }
}

/// A tool as the engine knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Id as `server__tool`.
    pub id: Box<str>,
    /// Schema of the arguments.
    pub input: Option<Value>,
    /// Effective, else declared or inferred schema of the results.
    pub output: Option<Value>,
    /// Fields that results no longer have, whatever the schema says.
    pub lost: Vec<Lost>,
    /// Time from which on results may have more than the schema says, in milliseconds; `None` if it says all.
    pub open_since: Option<u64>,
    /// Whether results were seen as text that cannot be read as structure.
    pub text: bool,
    /// Whether the server annotates it with `readOnlyHint`.
    pub read_only: bool,
    /// Whether it can be called: not hidden, disabled or gone.
    pub usable: bool,
}

impl Tool {
    /// Returns the server's name.
    pub fn server(&self) -> &str {
        self.id.split_once("__").map_or("", |(server, _)| server)
    }

    /// Returns the name on its server.
    pub fn name(&self) -> &str {
        self.id.split_once("__").map_or(&self.id, |(_, name)| name)
    }
}

impl Tool {
    /// Returns those of some paths that its results do not have, as its schema says.
    pub fn lacks<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let known = Known::new(self.clone());
        let has = |path: &str| path.is_empty() || known.outputs.is_empty() || known.output(path).is_some();
        paths.into_iter().filter(|path| !has(path)).collect()
    }

    /// Whether results no longer have a field: it, or what contains it, is lost.
    pub(crate) fn has_lost(&self, path: &str) -> bool {
        self.lost.iter().any(|lost| lost.has(path))
    }
}

/// A field with what its names say.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) field: Field,
    /// What it identifies, as far as names say it.
    pub(crate) entity: Vec<String>,
    /// All words that name a thing: its own, of its container, of its tool.
    pub(crate) around: Vec<String>,
    /// The words above and those of its own name, as hashes that are quick to compare.
    pub(crate) hashes: Hashes,
    pub(crate) steps: Vec<Step>,
    /// Kind of values that every server understands.
    pub(crate) common: Option<&'static str>,
    pub(crate) id: bool,
    pub(crate) amount: bool,
    pub(crate) text: bool,
    /// Whether names suggest that it repeats an argument.
    pub(crate) echo: bool,
    /// Whether it is the name of what its tool creates.
    pub(crate) new: bool,
    /// Words under which the graph finds it.
    pub(crate) words: Box<[Box<str>]>,
}

/// Hashes of words.
#[derive(Debug, Clone)]
pub(crate) struct Hashes {
    pub(crate) leaf: Box<[u64]>,
    pub(crate) entity: Box<[u64]>,
    pub(crate) around: Box<[u64]>,
}

/// Hash of a text for comparisons inside the process.
fn quick(text: &str) -> u64 {
    use std::hash::Hasher;
    let mut hasher = siphasher::sip::SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A tool with its fields.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) tool: Tool,
    /// Hash of the server's name.
    pub(crate) server: u64,
    pub(crate) outputs: Vec<Place>,
    pub(crate) inputs: Vec<Place>,
    /// Whether it can be called without anything.
    pub(crate) source: bool,
}

impl Known {
    pub(crate) fn new(tool: Tool) -> Self {
        let nouns = words::tool_nouns(tool.name(), tool.server());
        let place = |field: Field| place(field, &nouns);
        let mut inputs: Vec<Place> = tool
            .input
            .as_ref()
            .map(schema::fields)
            .unwrap_or_default()
            .into_iter()
            .filter(|field| !field.key)
            .map(place)
            .collect();
        let mut outputs: Vec<Place> =
            tool.output.as_ref().map(schema::fields).unwrap_or_default().into_iter().map(place).collect();
        outputs.retain(|output| !tool.has_lost(&output.field.path));
        if outputs.is_empty() && tool.text {
            outputs.push(place(schema::bare("")));
        }
        for output in &mut outputs {
            output.echo = !output.field.many
                && inputs.iter().any(|input| {
                    let same = input.field.leaf == output.field.leaf
                        && (output.field.container.is_empty()
                            || !words::nouns(&output.field.leaf).is_empty());
                    let id = input.id || (!input.amount && !input.text);
                    (same || (output.id && id && !input.entity.is_empty() && input.entity == output.entity))
                        && input.field.required
                });
        }
        if words::creates(tool.name()) {
            for input in &mut inputs {
                let own = words::nouns(&input.field.leaf);
                input.new = input.entity == nouns && (input.id || own == nouns);
            }
        }
        for input in &mut inputs {
            input.words = found_under(tool.server(), input);
        }
        for output in &mut outputs {
            output.words = found_under(tool.server(), output);
        }
        let source = !inputs.iter().any(|input| input.field.required);
        Self { server: quick(tool.server()), tool, outputs, inputs, source }
    }

    /// Returns the output that a path of evidence belongs to.
    pub(crate) fn output(&self, path: &str) -> Option<&Place> {
        find(&self.outputs, path)
    }

    /// Returns the input that a path of evidence belongs to.
    pub(crate) fn input(&self, path: &str) -> Option<&Place> {
        find(&self.inputs, path)
    }
}

/// Words under which a field is found: those of its server, or those that all servers understand.
fn found_under(server: &str, place: &Place) -> Box<[Box<str>]> {
    let leaf = place.field.leaf.iter().filter(|word| !words::is_id(word));
    let mut found: Vec<Box<str>> =
        place.entity.iter().chain(leaf).map(|word| format!("{server} {word}").into()).collect();
    if !place.field.leaf.is_empty() {
        found.push(format!("{server} ={}", place.field.leaf.join(" ")).into());
    }
    if let Some(common) = place.common {
        found.push(format!("* {common}").into());
    }
    if found.is_empty() {
        found.extend(place.around.iter().map(|word| format!("{server} {word}").into()));
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}

fn find<'a>(places: &'a [Place], path: &str) -> Option<&'a Place> {
    let exact = places.binary_search_by(|place| place.field.path.as_str().cmp(path)).ok();
    exact.and_then(|at| places.get(at)).or_else(|| {
        let steps = path::steps(path);
        places.iter().find(|place| path::matches(&place.steps, &steps))
    })
}

pub(crate) fn place(field: Field, tool_nouns: &[String]) -> Place {
    let own = words::nouns(&field.leaf);
    let container = words::nouns(&field.container);
    let identifies = field.leaf.iter().any(|word| words::is_id(word));
    let generic = own.is_empty() || (!identifies && own.iter().all(|word| words::is_text(word)));
    let entity = match (generic, container.is_empty() || container == ["result"] || container == ["item"]) {
        (false, _) => own.clone(),
        (true, false) => container.clone(),
        (true, true) => tool_nouns.to_vec(),
    };
    let mut around = own;
    around.extend(container);
    around.extend(tool_nouns.iter().cloned());
    around.sort_unstable();
    around.dedup();
    let hashes = |words: &[String]| words.iter().map(|word| quick(word)).collect();
    let hashes = Hashes { leaf: hashes(&field.leaf), entity: hashes(&entity), around: hashes(&around) };
    let leaf = if field.key { &field.container } else { &field.leaf };
    Place {
        common: words::common(leaf),
        id: field.key || leaf.iter().any(|word| words::is_id(word)),
        amount: !field.key && (leaf.last().is_some_and(|word| words::is_amount(word)) || field.counts),
        text: field.types != Types::NUMBER
            && leaf.iter().any(|word| words::is_text(word))
            && !leaf.iter().any(|word| words::is_id(word)),
        steps: path::steps(&field.path),
        echo: false,
        new: false,
        words: Box::default(),
        hashes,
        entity,
        around,
        field,
    }
}

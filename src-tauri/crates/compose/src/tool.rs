//! Tools as the graph sees them: their fields with the words that say what they mean.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use serde_json::Value;

use crate::path::{self, Step};
use crate::schema::{self, Field, Types};
use crate::words::{self, Common};

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
    pub input: Option<Arc<Value>>,
    /// Effective, else declared or inferred schema of the results.
    pub output: Option<Arc<Value>>,
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
    /// A tool of which only the id is known.
    pub(crate) fn unknown(id: &str) -> Self {
        Self {
            id: id.into(),
            input: None,
            output: None,
            lost: Vec::new(),
            open_since: None,
            text: false,
            read_only: false,
            usable: false,
        }
    }

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

/// A field with what its names say. Words are kept as hashes: they are only compared.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: Arc<str>,
    pub(crate) types: Types,
    /// Hash of its format.
    pub(crate) format: Option<NonZeroU64>,
    /// Its own words, those of what it identifies, and all that name a thing, one after the other.
    hashes: Box<[u64]>,
    /// Where the second and the third part begin.
    parts: (u8, u8),
    /// Words under which the graph finds it.
    pub(crate) words: Box<[u64]>,
    /// Kind of values that every server understands.
    pub(crate) common: Option<Common>,
    /// Whether the schema lists its values.
    pub(crate) listed: bool,
    pub(crate) required: bool,
    /// Whether it is in a list or map, so that one result has several.
    pub(crate) many: bool,
    /// Whether it is the keys of a map.
    pub(crate) key: bool,
    /// Whether it is the items of a tuple, each of which means something else.
    pub(crate) tuple: bool,
    pub(crate) date: bool,
    pub(crate) id: bool,
    pub(crate) amount: bool,
    pub(crate) text: bool,
    /// Whether names suggest that it repeats an argument.
    pub(crate) echo: bool,
    /// Whether it is the name of what its tool creates.
    pub(crate) new: bool,
    /// Whether it says where a list continues.
    pub(crate) cursor: bool,
}

impl Place {
    /// Its own words.
    pub(crate) fn leaf(&self) -> &[u64] {
        self.hashes.get(..self.parts.0.into()).unwrap_or_default()
    }

    /// What it identifies, as far as names say it.
    pub(crate) fn entity(&self) -> &[u64] {
        self.hashes.get(self.parts.0.into()..self.parts.1.into()).unwrap_or_default()
    }

    /// All words that name a thing: its own, of its container, of its tool.
    pub(crate) fn around(&self) -> &[u64] {
        self.hashes.get(self.parts.1.into()..).unwrap_or_default()
    }

    pub(crate) fn steps(&self) -> Vec<Step> {
        path::steps(&self.path)
    }
}

/// Hash of a text for comparisons inside the process.
fn quick(text: &str) -> u64 {
    use std::hash::Hasher;
    let mut hasher = siphasher::sip::SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Hashes of words as places have them.
pub(crate) fn hashed(words: &[String]) -> Vec<u64> {
    words.iter().map(|word| quick(word)).collect()
}

/// A tool with its fields.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: Arc<str>,
    pub(crate) tool: Tool,
    /// Hash of the id.
    pub(crate) hash: u64,
    /// Hash of the server's name.
    pub(crate) server: u64,
    pub(crate) outputs: Vec<Place>,
    pub(crate) inputs: Vec<Place>,
    /// Paths at which its arguments may have anything.
    free: Box<[String]>,
    /// Whether it can be called without anything.
    pub(crate) source: bool,
}

impl Known {
    pub(crate) fn new(tool: Tool) -> Self {
        let nouns = words::tool_nouns(tool.name(), tool.server());
        let named = |schema: &Option<Arc<Value>>, fields: fn(&Value) -> Vec<Field>| -> Vec<Named> {
            let fields = schema.as_ref().map(|schema| fields(schema)).unwrap_or_default();
            fields.into_iter().map(|field| Named::new(field, &nouns)).collect()
        };
        let mut inputs = named(&tool.input, schema::inputs);
        inputs.retain(|input| !input.place.key);
        let mut outputs = named(&tool.output, schema::outputs);
        outputs.retain(|output| !tool.has_lost(&output.place.path));
        if outputs.is_empty() && tool.text {
            outputs.push(Named::new(schema::bare(""), &nouns));
        }
        for output in &mut outputs {
            output.place.echo = !output.place.many
                && inputs.iter().any(|input| {
                    let same = input.leaf == output.leaf
                        && (output.container.is_empty() || !words::nouns(&output.leaf).is_empty());
                    let id = input.place.id || (!input.place.amount && !input.place.text);
                    // What is created has a name from its caller and an id from its server.
                    let names = |named: &Named| named.leaf.last().is_some_and(|word| words::is_name(word));
                    let things =
                        output.place.id && id && !input.entity.is_empty() && names(input) == names(output);
                    (same || (things && input.entity == output.entity)) && input.place.required
                });
        }
        if words::creates(tool.name()) {
            for input in &mut inputs {
                let own = words::nouns(&input.leaf);
                input.place.new = input.entity == nouns && (input.place.id || own == nouns);
            }
        }
        let places = |named: Vec<Named>| -> Vec<Place> {
            named.into_iter().map(|named| named.found_under(tool.server())).collect()
        };
        let (inputs, outputs) = (places(inputs), places(outputs));
        let source = !inputs.iter().any(|input| input.required);
        let (hash, server) = (quick(&tool.id), quick(tool.server()));
        let free = tool.input.as_ref().map(|schema| schema::free(schema)).unwrap_or_default().into();
        Self { id: (&*tool.id).into(), hash, server, tool, outputs, inputs, free, source }
    }

    /// Returns the input that a path of evidence belongs to, also one that no schema names.
    pub(crate) fn any_input(&self, path: &str) -> Option<Cow<'_, Place>> {
        self.input(path).map(Cow::Borrowed).or_else(|| self.free_input(path).map(Cow::Owned))
    }

    /// Returns the place of an argument that no schema names, in one that may have anything.
    pub(crate) fn free_input(&self, path: &str) -> Option<Place> {
        let is_free = self.free.iter().any(|free| path != free && path::is_within(path, free));
        is_free.then(|| {
            let nouns = words::tool_nouns(self.tool.name(), self.tool.server());
            let field = Field { required: false, ..schema::bare(path) };
            Named::new(field, &nouns).place
        })
    }

    /// Returns the inputs that every call has.
    pub(crate) fn required(&self) -> impl Iterator<Item = &Place> {
        self.inputs.iter().filter(|input| input.required)
    }

    /// Returns the number of the output that a path of evidence belongs to.
    pub(crate) fn output_at(&self, path: &str) -> Option<usize> {
        find(&self.outputs, path)
    }

    /// Returns the output that a path of evidence belongs to.
    pub(crate) fn output(&self, path: &str) -> Option<&Place> {
        self.outputs.get(self.output_at(path)?)
    }

    /// Returns the input that a path of evidence belongs to.
    pub(crate) fn input(&self, path: &str) -> Option<&Place> {
        self.inputs.get(find(&self.inputs, path)?)
    }
}

/// Where the place of a path is. Names in the one may be keys of a map in the other.
fn find(places: &[Place], path: &str) -> Option<usize> {
    let exact = places.binary_search_by(|place| (*place.path).cmp(path)).ok();
    exact.or_else(|| {
        let is_map = |path: &str| path.contains("{}");
        let any = is_map(path);
        let steps = path::steps(path);
        places.iter().position(|place| (any || is_map(&place.path)) && path::matches(&place.steps(), &steps))
    })
}

/// A place whose words are still known.
pub(crate) struct Named {
    pub(crate) place: Place,
    leaf: Vec<String>,
    container: Vec<String>,
    entity: Vec<String>,
    around: Vec<String>,
}

impl Named {
    pub(crate) fn new(field: Field, tool_nouns: &[String]) -> Self {
        let own = words::nouns(&field.leaf);
        let container = words::nouns(&field.container);
        let identifies = field.leaf.iter().any(|word| words::is_id(word));
        let generic = own.is_empty() || (!identifies && own.iter().all(|word| words::is_text(word)));
        let entity = match (generic, container.is_empty() || container == ["result"] || container == ["item"])
        {
            (false, _) => own.clone(),
            (true, false) => container.clone(),
            (true, true) => tool_nouns.to_vec(),
        };
        let mut around = own;
        around.extend(container);
        around.extend(tool_nouns.iter().cloned());
        around.sort_unstable();
        around.dedup();
        let hashes = [hashed(&field.leaf), hashed(&entity), hashed(&around)].concat();
        // Names have few words.
        let end = |words: usize| u8::try_from(words).unwrap_or(u8::MAX);
        let leaf = if field.key { &field.container } else { &field.leaf };
        let place = Place {
            path: field.path.into(),
            types: field.types,
            format: field.format.as_deref().and_then(|format| NonZeroU64::new(quick(format))),
            hashes: hashes.into(),
            parts: (end(field.leaf.len()), end(field.leaf.len() + entity.len())),
            words: Box::default(),
            common: words::common(leaf),
            listed: field.listed,
            required: field.required,
            many: field.many,
            key: field.key,
            tuple: field.tuple,
            date: field.format.is_some_and(|format| format.starts_with("date")),
            id: field.key || leaf.iter().any(|word| words::is_id(word)),
            amount: !field.key
                && (leaf.last().is_some_and(|word| words::is_amount(word))
                    || words::asks(leaf)
                    || field.counts),
            text: field.types != Types::NUMBER
                && leaf.iter().any(|word| words::is_text(word))
                && !leaf.iter().any(|word| words::is_id(word)),
            echo: false,
            new: false,
            cursor: words::is_cursor(&field.leaf),
        };
        Self { place, leaf: field.leaf, container: field.container, entity, around }
    }

    /// The place with the words under which it is found: those of its server, or those that all servers understand.
    fn found_under(mut self, server: &str) -> Place {
        let leaf = self.leaf.iter().filter(|word| !words::is_id(word));
        let mut found: Vec<u64> =
            self.entity.iter().chain(leaf).map(|word| quick(&format!("{server} {word}"))).collect();
        if !self.leaf.is_empty() {
            found.push(quick(&format!("{server} ={}", self.leaf.join(" "))));
        }
        if let Some(common) = self.place.common {
            found.push(quick(&format!("* {common:?}")));
        }
        if found.is_empty() {
            found.extend(self.around.iter().map(|word| quick(&format!("{server} {word}"))));
        }
        found.sort_unstable();
        found.dedup();
        self.place.words = found.into();
        self.place
    }
}

//! Schemas with values that fit them and values that do not.

use std::fs;

use anyhow::{Context, Result};
use schemascope_benches::places;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Files of the suite that are about something else than values: references to the network, vocabularies, dynamic
/// references, formats and contents.
const OTHERS: [&str; 5] = ["refRemote", "vocabulary", "dynamicRef", "format", "content"];

/// Schemas and values.
#[derive(Debug, Default)]
pub struct Suite {
    /// The schemas, by name of the tool.
    pub schemas: Vec<(String, Value)>,
    /// The values.
    pub cases: Vec<Case>,
}

/// A value.
#[derive(Debug)]
pub struct Case {
    /// Which schema it is for.
    pub schema: usize,
    /// What it shows.
    pub about: String,
    /// Its text.
    pub json: String,
    /// Whether it fits.
    pub valid: bool,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

/// Texts that leave literals, comments or names of careless printers, and names that languages give a meaning.
const TEXTS: [&str; 40] = [
    "\"\"\"\nimport os\n\"\"\"",
    "*/ process.exit(1); /*",
    "`${process.exit(1)}`",
    "\\",
    "\\\"\"\"",
    "'",
    "\\'",
    "a\r\nb",
    "\0",
    "\u{2028}",
    "\u{202e}x",
    "\u{1f600}",
    "# schemascope: end\nx",
    "// schemascope: end\nx",
    "__proto__",
    "constructor",
    "toString",
    "then",
    "get",
    "has",
    "require",
    "raw",
    "raw_",
    "rawText",
    "fits",
    "toJSON",
    "model_dump",
    "model_fields",
    "copy",
    "json",
    "class",
    "str",
    "list",
    "self",
    "None",
    "_private",
    "1st",
    "é",
    "",
    " ",
];

/// Schemas with a hostile text at every place, and values for them.
fn hostile(suite: &mut Suite) {
    for (number, text) in TEXTS.iter().enumerate() {
        let other = TEXTS[(number * 7 + 3) % TEXTS.len()];
        let same = *text == other;
        let schema = json!({"type": "object", "title": text, "description": text, "required": [text], "properties": {
            text.to_owned(): {"description": text, "enum": [text, 1, null], "default": text},
            "other": {"title": text, "type": "object", "properties": {text.to_owned(): {"const": other}}},
            "ref": {"$ref": format!("#/$defs/{}", text.replace('~', "~0").replace('/', "~1").replace('%', "%25"))},
            "map": {"additionalProperties": {"type": "string"}, "type": "object"}},
            "$defs": {text.to_owned(): {"properties": {text.to_owned(): {"type": "array", "items": {"const": text}}}}}});
        let at = suite.schemas.len();
        suite.schemas.push((format!("hostile {number}"), schema));
        let mut add = |json: Value, valid: bool| {
            suite.cases.push(Case {
                schema: at,
                about: format!("hostile {text:?}"),
                json: json.to_string(),
                valid,
            });
        };
        add(json!({text.to_owned(): text, "new": 1.5}), true);
        add(json!({text.to_owned(): null, "map": {text.to_owned(): "x"}}), true);
        add(
            json!({text.to_owned(): 1, "ref": {text.to_owned(): [text, text]}, "other": {text.to_owned(): other}}),
            true,
        );
        add(json!({text.to_owned(): 2}), false);
        add(json!({"map": {}}), false);
        add(json!({text.to_owned(): 1, "map": {text.to_owned(): 1}}), false);
        if !same {
            add(json!({text.to_owned(): 1, "other": {text.to_owned(): text}}), false);
        }
    }
}

/// JSON-Schema-Test-Suite of both drafts, and hostile texts.
pub fn suite() -> Result<Suite> {
    let mut suite = Suite::default();
    hostile(&mut suite);
    add(&mut suite, "draft2020-12", None)?;
    add(&mut suite, "draft7", Some("http://json-schema.org/draft-07/schema#"))?;
    Ok(suite)
}

/// Adds the suite of a draft. Its schemas name no dialect; `dialect` is added where it is not the default.
fn add(suite: &mut Suite, draft: &str, dialect: Option<&str>) -> Result<()> {
    let folder = places::tools()?.join("wrappers/jsonschema-4.26.0/json/tests").join(draft);
    let entries = fs::read_dir(&folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if OTHERS.contains(&stem.as_str()) {
            continue;
        }
        let groups: Vec<Group> = serde_json::from_str(&fs::read_to_string(&path)?)?;
        for (number, mut group) in groups.into_iter().enumerate() {
            let text = group.schema.to_string();
            let is_remote = |scheme: &str| text.contains(&format!("\"$ref\":\"{scheme}://json-schema.org"));
            if is_remote("https") || is_remote("http") {
                continue;
            }
            if let (Some(dialect), Some(schema)) = (dialect, group.schema.as_object_mut()) {
                schema.insert("$schema".to_owned(), dialect.into());
            }
            let at = suite.schemas.len();
            suite.schemas.push((format!("{draft} {stem} {number}"), group.schema));
            suite.cases.extend(group.tests.into_iter().map(|test| Case {
                schema: at,
                about: format!("{draft} {stem}: {}: {}", group.description, test.description),
                json: test.data.get().to_owned(),
                valid: test.valid,
            }));
        }
    }
    Ok(())
}

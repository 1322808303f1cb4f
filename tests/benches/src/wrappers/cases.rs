//! Schemas with values that fit them and values that do not.

use std::fs;

use anyhow::{Context, Result};
use schemascope_benches::places;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

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

/// JSON-Schema-Test-Suite.
pub fn suite() -> Result<Suite> {
    let folder = places::tools()?.join("wrappers/jsonschema-4.26.0/json/tests/draft2020-12");
    let entries = fs::read_dir(&folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut suite = Suite::default();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if OTHERS.contains(&stem.as_str()) {
            continue;
        }
        let groups: Vec<Group> = serde_json::from_str(&fs::read_to_string(&path)?)?;
        for (number, group) in groups.into_iter().enumerate() {
            // The suite's own schema names the dialect, which is the default.
            if group.schema.to_string().contains("\"$ref\":\"https://json-schema.org") {
                continue;
            }
            let at = suite.schemas.len();
            suite.schemas.push((format!("{stem} {number}"), group.schema));
            suite.cases.extend(group.tests.into_iter().map(|test| Case {
                schema: at,
                about: format!("{stem}: {}: {}", group.description, test.description),
                json: test.data.get().to_owned(),
                valid: test.valid,
            }));
        }
    }
    Ok(suite)
}

//! Products that no one wrote a script for: those of the program, with other facts. Texts, quantities and the number of
//! items differ from product to product; what decides the path of an interview stays.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use schemascope_benches::random::Random;
use serde_json::{Map, Value, json};

/// Words that facts are made of; none is an answer of its own.
const WORDS: &[&str] = &[
    "batch", "blade", "boiler", "bracket", "casting", "clamp", "coil", "crate", "cutter", "drum", "felt",
    "flange", "furnace", "glaze", "gear", "hopper", "kiln", "label", "lathe", "mould", "pallet", "press",
    "pulley", "resin", "roller", "rotor", "sheet", "shuttle", "sleeve", "spindle", "tank", "thread", "tray",
    "valve", "weft", "yarn",
];
/// Keys whose texts decide something or name something of the same answer.
const FIXED: &[&str] =
    &["principal-problem-type", "problem-components", "from", "subprocess-flow", "exhausted?"];

/// A product, with the script of its expert.
pub(super) struct Product {
    pub(super) name: String,
    pub(super) level: &'static str,
    pub(super) size: &'static str,
    /// What the expert knows, by Discovery Schema and key.
    pub(super) answers: Map<String, Value>,
    /// The whole file.
    pub(super) script: String,
}

/// Makes products from the scripts in a folder, the same ones each time.
pub(super) fn generate(folder: &Path, count: usize) -> Result<Vec<Product>> {
    let mut models: Vec<Value> = Vec::new();
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let model = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
        models.push(model);
    }
    ensure!(models.len() >= 5, "there are too few scripts in {}", folder.display());
    Ok((0..count).map(|number| product(&models[number % models.len()], number)).collect())
}

fn product(model: &Value, number: usize) -> Product {
    let mut random = Random::new(1, &format!("product {number}"));
    let name = format!("{} {} no. {number}", random.pick(WORDS), random.pick(WORDS));
    let level = schemascope_interview::LEVELS[number / 6 % 3];
    let size = schemascope_interview::SIZES[number / 18 % 3];
    let mut script = model.clone();
    let mut answers = model["answers"].as_object().cloned().unwrap_or_default();
    for ds in answers.values_mut() {
        change(ds, "", &mut random);
    }
    script["product"] = json!(name);
    script["aliases"] = json!([]);
    script["answers"] = Value::Object(answers.clone());
    Product { name, level, size, answers, script: script.to_string() }
}

fn sentence(random: &mut Random) -> String {
    let words: Vec<&str> = (0..random.within(4, 14)).map(|_| *random.pick(WORDS)).collect();
    format!("The {} waits.", words.join(" "))
}

/// Changes the facts of a value in place.
fn change(value: &mut Value, key: &str, random: &mut Random) {
    if FIXED.contains(&key) || key.ends_with("-id") {
        return;
    }
    match value {
        Value::Object(members) => {
            // A number of other things must go with these.
            let is_table = members.contains_key("arity") || members.contains_key("column-headings");
            for (key, member) in members.iter_mut().filter(|_| !is_table) {
                change(member, key, random);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| change(item, key, random));
            let added = random.below(4);
            for number in 0..added {
                items.extend(items.first().and_then(|item| another(item, number, random)));
            }
            if items.iter().all(Value::is_object) && !items.is_empty() && random.chance(0.3) {
                let kept = items.len().div_ceil(2);
                items.truncate(kept);
            }
        }
        Value::String(text) if key == "value-string" && text.parse::<f64>().is_ok() => {
            *text = random.within(1, 900).to_string();
        }
        // Short texts may be choices, units or names.
        Value::String(text) if text.contains(' ') && text.len() > 24 => *text = sentence(random),
        _ => {}
    }
}

/// A further item of a list.
fn another(item: &Value, number: usize, random: &mut Random) -> Option<Value> {
    match item {
        Value::String(text) if text.len() > 24 => Some(sentence(random).into()),
        Value::Object(members) => {
            let (key, id) = members.iter().find(|(key, _)| key.ends_with("-id"))?;
            let mut copy = members.clone();
            copy.insert(key.clone(), json!(format!("{}-{}-{number}", id.as_str()?, random.pick(WORDS))));
            Some(Value::Object(copy))
        }
        _ => None,
    }
}

//! Simulated tools, drawn at random within [`crate::frozen`]: their fields, how often each is present, and what
//! depends on the arguments.

use schemascope_benches::random::Random;
use schemascope_benches::words::WORDS;

use crate::frozen::*;

/// A field of an object.
pub struct Field {
    pub id: usize,
    pub name: String,
    pub value: Value,
    /// How often it is there.
    pub presence: f64,
    /// Whether a thing either has it or not, whenever it is looked at.
    pub per_thing: bool,
    /// The argument classes it is for, a bit each.
    pub classes: u8,
    /// Its presence after [`SLOW`] calls; it changes evenly.
    pub later: Option<f64>,
}

pub enum Value {
    Text { volatile: bool },
    Number { volatile: bool },
    Boolean,
    Choice,
    Object(Vec<Field>),
    Records(Vec<Field>, usize),
    Map { wordy: bool },
}

/// How a call says what it is about.
#[derive(Clone, Copy, PartialEq)]
pub enum Identity {
    /// It does not.
    None,
    /// Each time something else.
    Unique,
    /// One of so many.
    Pool(usize),
}

/// A rarer form of results, without some fields and with others.
pub struct Variant {
    pub rate: f64,
    pub per_thing: bool,
    pub seed: u64,
}

pub struct Tool {
    pub fields: Vec<Field>,
    pub classes: usize,
    pub identity: Identity,
    /// The kind of thing stands in how its name begins, not in an argument of its own.
    pub prefixed: bool,
    pub variants: Vec<Variant>,
    pub weekly: bool,
    /// Things are under way at first and done later, and look different then.
    pub job: bool,
}

/// What happens to a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Removed,
    Renamed,
    Retyped,
    Nulled,
    Added,
}

pub struct Change {
    pub effect: Effect,
    pub target: usize,
}

/// One call, as far as its result depends on it.
pub struct Asked<'a> {
    pub thing: u64,
    pub class: usize,
    pub number: usize,
    /// How often the thing was looked at before.
    pub polls: usize,
    pub change: Option<&'a Change>,
}

impl Tool {
    pub fn draw(random: &mut Random) -> Self {
        let classes = random.within(1, 6) as usize;
        let count = random.within(FIELDS.0, FIELDS.1) as usize;
        let mut left = count;
        let mut next = 0;
        let mut fields = fields(random, &mut left, &mut next, 0, classes);
        if random.chance(0.25) {
            let name = random.one(&["data", "result", "payload"]).to_owned();
            let value = Value::Object(fields);
            let inner =
                Field { id: 0, name, value, presence: 1.0, per_thing: true, classes: 0xFF, later: None };
            fields = vec![inner];
        }
        let identity = match random.below(10) {
            0..3 => Identity::None,
            3..6 => Identity::Unique,
            _ => Identity::Pool(random.within(8, 200) as usize),
        };
        let variants = (0..random.below(3))
            .map(|_| Variant {
                rate: random.between(RARE.0, RARE.1),
                per_thing: random.chance(0.5),
                seed: random.bits(),
            })
            .collect();
        let job = identity != Identity::None && random.chance(0.15);
        let (prefixed, weekly) = (identity != Identity::None && random.chance(0.2), random.chance(0.3));
        Self { fields, classes, identity, prefixed, variants, weekly, job }
    }

    pub fn write(&self, asked: &Asked<'_>, random: &mut Random) -> String {
        let variant = self.variants.iter().find(|variant| {
            let mut stable = Random::new(asked.thing ^ variant.seed, "variant");
            if variant.per_thing { stable.chance(variant.rate) } else { random.chance(variant.rate) }
        });
        let mut out = String::new();
        self.object(&self.fields, asked, variant, asked.thing, random, &mut out);
        if self.job {
            out.pop();
            let until = 5 + (asked.thing % 40) as usize;
            out.push_str(if asked.polls < until {
                ",\"progress\":0.5,\"eta\":12}"
            } else {
                ",\"outcome\":\"done\"}"
            });
        }
        out
    }

    fn object(
        &self,
        fields: &[Field],
        asked: &Asked<'_>,
        variant: Option<&Variant>,
        thing: u64,
        random: &mut Random,
        out: &mut String,
    ) {
        out.push('{');
        let mut first = true;
        let mut key = |out: &mut String, name: &str| {
            out.push_str(if std::mem::take(&mut first) { "\"" } else { ",\"" });
            out.push_str(name);
            out.push_str("\":");
        };
        for field in fields {
            let presence = field.later.map_or(field.presence, |later| {
                field.presence + (later - field.presence) * (asked.number as f64 / SLOW as f64).min(1.0)
            });
            let mut stable = Random::new(thing, &field.name);
            let there = if field.per_thing { stable.chance(presence) } else { random.chance(presence) };
            let hidden = variant.is_some_and(|variant| Random::new(variant.seed, &field.name).chance(0.3));
            let container = matches!(field.value, Value::Object(_));
            if !there || hidden && !container || field.classes >> asked.class & 1 == 0 {
                continue;
            }
            let effect = asked.change.filter(|change| change.target == field.id).map(|change| change.effect);
            match effect {
                Some(Effect::Removed) => continue,
                Some(Effect::Renamed) => key(out, &format!("{}_v2", field.name)),
                _ => key(out, &field.name),
            }
            match effect {
                Some(Effect::Retyped) => out.push_str(match field.value {
                    Value::Text { .. } | Value::Choice => "17",
                    Value::Object(_) | Value::Records(..) => "\"see elsewhere\"",
                    _ => "{\"value\":1}",
                }),
                Some(Effect::Nulled) if random.chance(NULLED) => out.push_str("null"),
                _ => self.value(&field.value, asked, variant, &mut stable, random, out),
            }
            if effect == Some(Effect::Added) {
                key(out, "added_later");
                out.push_str("true");
            }
        }
        if let Some(variant) = variant
            && std::ptr::eq(fields, self.fields.as_slice())
        {
            key(out, &format!("variant_{}", variant.seed % 7));
            out.push_str("{\"reason\":\"rare\"}");
        }
        out.push('}');
    }

    fn value(
        &self,
        value: &Value,
        asked: &Asked<'_>,
        variant: Option<&Variant>,
        stable: &mut Random,
        random: &mut Random,
        out: &mut String,
    ) {
        let mut pick = |volatile: bool| if volatile { random.bits() } else { stable.bits() };
        match value {
            Value::Text { volatile } => {
                let bits = pick(*volatile);
                out.push_str(&format!("\"{} {}\"", WORDS[bits as usize % WORDS.len()], bits >> 44));
            }
            Value::Number { volatile } => out.push_str(&(pick(*volatile) % 100_000).to_string()),
            Value::Boolean => out.push_str(if stable.chance(0.5) { "true" } else { "false" }),
            Value::Choice => out.push_str(&format!("\"{}\"", stable.one(&["open", "closed", "merged"]))),
            Value::Object(fields) => self.object(fields, asked, variant, stable.bits(), random, out),
            Value::Records(fields, most) => {
                let length = if stable.chance(EMPTY) { 0 } else { 1 + stable.below(*most) };
                out.push('[');
                for item in 0..length {
                    out.push_str(if item > 0 { "," } else { "" });
                    self.object(fields, asked, variant, stable.bits(), random, out);
                }
                out.push(']');
            }
            Value::Map { wordy } => {
                out.push('{');
                for item in 0..stable.below(8) {
                    let bits = stable.bits();
                    let word = WORDS[bits as usize % WORDS.len()];
                    let key = if *wordy { word.to_owned() } else { format!("{word}_{}", bits >> 32) };
                    out.push_str(&format!("{}\"{key}\":{}", if item > 0 { "," } else { "" }, bits % 100));
                }
                out.push('}');
            }
        }
    }

    /// Fields that changes may happen to: those of all classes that are there in four of five results.
    pub fn targets(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let mut rest: Vec<(&[Field], f64, String)> = vec![(&self.fields, 1.0, "$".to_owned())];
        while let Some((fields, share, path)) = rest.pop() {
            for field in fields.iter().filter(|field| field.classes == 0xFF && field.later.is_none()) {
                let share = share * field.presence;
                if share < TARGET {
                    continue;
                }
                let path = format!("{path}.{}", field.name);
                found.push((field.id, path.clone()));
                match &field.value {
                    Value::Object(fields) => rest.push((fields, share, path)),
                    Value::Records(fields, _) => {
                        rest.push((fields, share * (1.0 - EMPTY), format!("{path}[]")));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

fn fields(
    random: &mut Random,
    left: &mut usize,
    next: &mut usize,
    depth: usize,
    classes: usize,
) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let count = if depth == 0 { usize::MAX } else { 2 + random.below(8) };
    while fields.len() < count && *left > 0 {
        *left -= 1;
        *next += 1;
        let id = *next;
        let name = format!("{}_{}", random.pick(WORDS), char::from(b'a' + (id % 26) as u8));
        if fields.iter().any(|field| field.name == name) {
            continue;
        }
        let volatile = random.chance(0.15);
        let value = match random.below(20) {
            0..8 => Value::Text { volatile },
            8..12 => Value::Number { volatile },
            12..14 => Value::Boolean,
            14..16 => Value::Choice,
            16 | 17 if depth < 3 => Value::Object(self::fields(random, left, next, depth + 1, classes)),
            18 if depth < 3 => {
                let most = random.one(&[3, 10, 30]);
                Value::Records(self::fields(random, left, next, depth + 1, classes), most)
            }
            19 if random.chance(0.3) => Value::Map { wordy: random.chance(0.5) },
            _ => Value::Text { volatile },
        };
        let presence = match random.below(20) {
            0..9 => 1.0,
            9..16 => random.between(BASE.0, BASE.1),
            16 | 17 => random.between(0.3, 0.8),
            _ => random.between(RARE.0, RARE.1),
        };
        let own = classes > 1 && random.chance(0.25);
        let classes = if own { (random.bits() & 0x3F) as u8 } else { 0xFF };
        let later = random.chance(0.02).then(|| random.between(0.2, 0.8));
        fields.push(Field { id, name, value, presence, per_thing: random.chance(0.5), classes, later });
    }
    fields
}

//! Scripted agents: they call tools towards a goal, take ids from earlier results, from what a person
//! said, or wrongly, repeat calls, take dead ends, run calls in parallel and share the time with
//! other agents.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Server;
use crate::data::{Random, WORDS, text};
use crate::spec::{Field, Meaning, Tool, steps, values_at};

/// Where an argument came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Position of the earlier call in the session.
    pub call: usize,
    /// Path in its result.
    pub output: String,
    /// Path in the arguments.
    pub input: String,
}

/// One call of a session.
#[derive(Debug, Clone)]
pub struct Call {
    /// Session.
    pub session: String,
    /// Tool as `server__tool`.
    pub tool: String,
    /// Start, in milliseconds.
    pub start: u64,
    /// End, in milliseconds.
    pub end: u64,
    /// Arguments.
    pub arguments: Value,
    /// Result: structured, or a string for a text answer; or the error.
    pub result: Result<Value, String>,
    /// What the arguments were really taken from.
    pub sources: Vec<Source>,
}

/// All sessions of one server.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// Server.
    pub server: &'static str,
    /// Sessions, each with its calls in the order of their start.
    pub sessions: Vec<Vec<Call>>,
}

/// A value that the session has seen.
#[derive(Debug, Clone)]
struct Known {
    kind: String,
    half: bool,
    value: Value,
    call: usize,
    output: String,
    place: Vec<usize>,
    visible_from: usize,
}

struct Session<'a> {
    server: &'a mut Server,
    random: &'a mut Random,
    name: String,
    calls: Vec<Call>,
    known: Vec<Known>,
    /// Values that the caller used before any result had them.
    said: BTreeSet<(String, String)>,
    clock: u64,
    budget: usize,
}

/// Runs `count` sessions against each server. Sessions overlap in time.
pub fn traffic(servers: &mut [Server], count: usize, seed: u64) -> Vec<Traffic> {
    let mut random = Random::new(seed);
    servers
        .iter_mut()
        .map(|server| {
            let name = server.name;
            let sessions = (0..count)
                .map(|number| {
                    let start = 60_000 * (number as u64 / 3) + random.below(5_000);
                    let budget = 5 + usize::try_from(random.below(14)).unwrap_or(0);
                    let mut session = Session {
                        server,
                        random: &mut random,
                        name: format!("{name}-{number}"),
                        calls: Vec::new(),
                        known: Vec::new(),
                        said: BTreeSet::new(),
                        clock: start,
                        budget,
                    };
                    session.run();
                    session.calls
                })
                .collect();
            Traffic { server: name, sessions }
        })
        .collect()
}

impl Session<'_> {
    fn run(&mut self) {
        for _ in 0..40 {
            if self.calls.len() >= self.budget {
                break;
            }
            if self.random.chance(8) && !self.calls.is_empty() {
                self.repeat();
                continue;
            }
            let dead_end = self.random.chance(12);
            let tool = self.choose(|tool| !dead_end || tool.read_only);
            if let Some(tool) = tool {
                self.reach(&tool, 0);
            }
        }
    }

    /// Chooses a tool by how often it is wanted.
    fn choose(&mut self, suits: impl Fn(&Tool) -> bool) -> Option<Tool> {
        let tools: Vec<&Tool> =
            self.server.tools.iter().filter(|tool| tool.weight > 0 && suits(tool)).collect();
        let mut at = self.random.below(tools.iter().map(|tool| tool.weight).sum());
        let found = tools.into_iter().find(|tool| {
            let found = at < tool.weight;
            at = at.saturating_sub(tool.weight);
            found
        });
        found.cloned()
    }

    /// Calls a tool, after the calls that give what it needs.
    fn reach(&mut self, tool: &Tool, depth: usize) {
        let mut arguments = json!({});
        let mut sources = Vec::new();
        let mut anchor: Option<(usize, Vec<usize>)> = None;
        // From the last to the first: what comes later in a signature usually belongs to what comes before.
        for field in tool.inputs.iter().rev() {
            let usable = field.meanings.iter().any(|meaning| self.knows(meaning));
            let filled = field.required || (usable && self.random.chance(55)) || self.random.chance(25);
            if !filled {
                continue;
            }
            let list = field.path.contains("[]");
            let grouped = list && !field.path.ends_with("[]");
            let wanted = if list && !grouped { 1 + self.random.below(3) } else { 1 };
            let mut values: Vec<Value> = Vec::new();
            for _ in 0..wanted {
                let Some((value, source)) = self.fill(field, depth, &mut anchor) else { continue };
                if values.contains(&value) {
                    continue;
                }
                if let Some((call, output)) = source {
                    sources.push(Source { call, output, input: field.path.clone() });
                }
                values.push(value);
            }
            if values.is_empty() {
                if field.required {
                    return;
                }
                continue;
            }
            set(&mut arguments, &steps(&field.path), values);
        }
        self.call(tool, arguments, sources);
    }

    fn knows(&self, meaning: &Meaning) -> bool {
        let (Meaning::Is(kind) | Meaning::Contains(kind) | Meaning::Half(kind) | Meaning::May(kind)) =
            meaning;
        self.known.iter().any(|known| known.kind == *kind && known.visible_from <= self.calls.len())
    }

    /// Finds a value for an input and where it came from.
    fn fill(
        &mut self,
        field: &Field,
        depth: usize,
        anchor: &mut Option<(usize, Vec<usize>)>,
    ) -> Option<(Value, Option<(usize, String)>)> {
        let meaning = match field.meanings.first().cloned() {
            Some(Meaning::May(kind)) if self.random.chance(20) && self.knows(&Meaning::Is(kind.clone())) => {
                Some(Meaning::Is(kind))
            }
            Some(Meaning::May(_)) | None => None,
            meaning => meaning,
        };
        let Some(Meaning::Is(kind) | Meaning::Contains(kind) | Meaning::Half(kind)) = meaning.clone() else {
            return Some((self.plain(field), None));
        };
        let wrapped = matches!(meaning, Some(Meaning::Contains(_)));
        if self.random.chance(3) {
            return Some((convert(&json!(990_000 + self.random.below(9_000)), &field.kind), None));
        }
        let said = self.random.chance(if field.choices.is_empty() { 12 } else { 30 });
        if said && let Some(value) = self.person_says(field, &kind) {
            let value = if wrapped { wrap(field, &value) } else { value };
            self.say(&kind, &value);
            return Some((value, None));
        }
        let mut found = self.recall(&kind, anchor);
        if found.is_none() && depth < 3 {
            let producer = self.choose(|tool| {
                tool.outputs.iter().any(|output| {
                    !output.echo
                        && output.meanings.iter().any(|meaning| match meaning {
                            Meaning::Is(own) | Meaning::Contains(own) | Meaning::Half(own) => *own == kind,
                            Meaning::May(_) => false,
                        })
                })
            })?;
            self.reach(&producer, depth + 1);
            found = self.recall(&kind, anchor);
        }
        let Some(known) = found else {
            let value = self.person_says(field, &kind)?;
            let value = if wrapped { wrap(field, &value) } else { value };
            self.say(&kind, &value);
            return Some((value, None));
        };
        let value = if known.half { self.join(&known)? } else { known.value.clone() };
        let value = convert(&value, &field.kind);
        // Credit belongs to the first call that had it, to none if the caller had it already.
        let source = if self.said.contains(&(kind.clone(), text(&known.value))) {
            None
        } else {
            self.known
                .iter()
                .find(|other| other.kind == kind && text(&other.value) == text(&known.value))
                .map(|first| (first.call, first.output.clone()))
        };
        let value = if wrapped { wrap(field, &value) } else { value };
        Some((value, source))
    }

    /// Returns a value that a person would say.
    fn person_says(&mut self, field: &Field, kind: &str) -> Option<Value> {
        if !field.choices.is_empty() && self.random.chance(60) {
            return Some(self.plain(field));
        }
        let ids = self.server.ids(kind);
        let id = ids.get(usize::try_from(self.random.below(ids.len() as u64)).ok()?).cloned();
        match id {
            Some(id) => Some(convert(&id, &field.kind)),
            None if !field.choices.is_empty() => Some(self.plain(field)),
            None => None,
        }
    }

    fn say(&mut self, kind: &str, value: &Value) {
        if !self.known.iter().any(|known| known.kind == kind && text(&known.value) == text(value)) {
            self.said.insert((kind.to_owned(), text(value)));
        }
    }

    /// Remembers a value of the kind, if possible one that belongs to what was chosen before.
    fn recall(&mut self, kind: &str, anchor: &mut Option<(usize, Vec<usize>)>) -> Option<Known> {
        let now = self.calls.len();
        let suited: Vec<&Known> =
            self.known.iter().filter(|known| known.kind == kind && known.visible_from <= now).collect();
        let latest = suited.iter().map(|known| known.call).max()?;
        let near: Vec<&Known> = match anchor.as_ref() {
            Some((call, place)) => {
                let arguments = text(&self.calls[*call].arguments);
                let same_item: Vec<&Known> = suited
                    .iter()
                    .filter(|known| known.call == *call && known.place == *place && !place.is_empty())
                    .copied()
                    .collect();
                if same_item.is_empty() {
                    suited
                        .iter()
                        .filter(|known| arguments.contains(&known.value.to_string()))
                        .copied()
                        .collect()
                } else {
                    same_item
                }
            }
            None => Vec::new(),
        };
        let pool = if !near.is_empty() {
            near
        } else if self.random.chance(75) {
            suited.into_iter().filter(|known| known.call == latest).collect()
        } else {
            suited
        };
        let known = pool[usize::try_from(self.random.below(pool.len() as u64)).unwrap_or(0)].clone();
        if anchor.is_none() {
            *anchor = Some((known.call, known.place.clone()));
        }
        Some(known)
    }

    /// Puts a name behind the folder that its call listed.
    fn join(&self, known: &Known) -> Option<Value> {
        let folder = self.calls[known.call].arguments.get("path").cloned();
        match folder {
            Some(folder) => Some(json!(format!("{}/{}", text(&folder), text(&known.value)))),
            None => {
                let name = self.known.iter().find(|other| other.half && other.call != known.call)?;
                Some(json!(format!("{}/{}", text(&known.value), text(&name.value))))
            }
        }
    }

    /// Returns an argument without a kind.
    fn plain(&mut self, field: &Field) -> Value {
        if field.choices.is_empty() {
            return match field.kind.as_str() {
                "i" => json!(1 + self.random.below(20)),
                "n" => json!(self.random.below(50)),
                "b" => json!(self.random.chance(50)),
                "date" => json!(self.random.day()),
                "datetime" => json!("2026-03-01T12:00:00Z"),
                _ => json!(self.random.of(WORDS)),
            };
        }
        let at = usize::try_from(self.random.below(field.choices.len() as u64)).unwrap_or(0);
        convert(&json!(field.choices[at]), &field.kind)
    }

    fn repeat(&mut self) {
        let at = usize::try_from(self.random.below(self.calls.len() as u64)).unwrap_or(0);
        let (tool, arguments, sources) =
            (self.calls[at].tool.clone(), self.calls[at].arguments.clone(), self.calls[at].sources.clone());
        let name = tool.split_once("__").map_or("", |(_, name)| name);
        if let Some(tool) = self.server.tool(name).cloned() {
            self.call(&tool, arguments, sources);
        }
    }

    fn call(&mut self, tool: &Tool, arguments: Value, sources: Vec<Source>) {
        let result = self.server.call(tool.name, &arguments);
        let at = self.calls.len();
        let takes = 20 + self.random.below(300);
        // A parallel call starts before the answer to the previous one is out.
        let parallel = self.random.chance(15);
        let (start, end) = (self.clock, self.clock + takes);
        self.clock += if parallel { 1 } else { takes + 5 + self.random.below(2_000) };
        if let Ok(result) = &result {
            for output in tool.outputs.iter().filter(|output| !output.echo) {
                for (place, value) in values_at(result, &output.path) {
                    for meaning in &output.meanings {
                        self.learn(meaning, &value, at, &output.path, &place, parallel);
                    }
                }
            }
        }
        if parallel {
            self.clock += 1;
        }
        self.calls.push(Call {
            session: self.name.clone(),
            tool: format!("{}__{}", self.server.name, tool.name),
            start,
            end,
            arguments,
            result,
            sources,
        });
        if at > 0 && self.calls[at - 1].end > start {
            // The next one waits for both.
            self.clock = self.clock.max(self.calls[at - 1].end + 5).max(end + 5);
        }
    }

    fn learn(
        &mut self,
        meaning: &Meaning,
        value: &Value,
        call: usize,
        output: &str,
        place: &[usize],
        late: bool,
    ) {
        let mut add = |kind: &str, half, value: Value| {
            self.known.push(Known {
                kind: kind.to_owned(),
                half,
                value,
                call,
                output: output.to_owned(),
                place: place.to_vec(),
                visible_from: call + 1 + usize::from(late),
            });
        };
        match meaning {
            Meaning::Is(kind) => add(kind, false, value.clone()),
            Meaning::Half(kind) if output.is_empty() => {
                for id in self.server.ids(&format!("&{kind}")) {
                    if inside(&text(value), &text(&id)) {
                        add(kind, true, id);
                    }
                }
            }
            Meaning::Half(kind) => add(kind, true, value.clone()),
            Meaning::Contains(kind) => {
                for id in self.server.ids(kind) {
                    if inside(&text(value), &text(&id)) {
                        add(kind, false, id);
                    }
                }
            }
            Meaning::May(_) => {}
        }
    }
}

/// Whether an id stands in a text as a word of its own.
fn inside(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        edge(text[..at].chars().next_back()) && edge(text[at + id.len()..].chars().next())
    })
}

/// Puts an id into the form that an input wants.
fn wrap(field: &Field, value: &Value) -> Value {
    let form = field.choices.first().map_or("{}", String::as_str);
    json!(form.replace("{}", &text(value)))
}

/// Writes a value in the type of an input.
fn convert(value: &Value, kind: &str) -> Value {
    match kind {
        "i" => text(value).parse::<i64>().map_or_else(|_| value.clone(), |number| json!(number)),
        "n" => text(value).parse::<f64>().map_or_else(|_| value.clone(), |number| json!(number)),
        "b" => json!(text(value) == "true"),
        _ => json!(text(value)),
    }
}

/// Puts values at a path.
fn set(target: &mut Value, steps: &[String], mut values: Vec<Value>) {
    let Some((step, rest)) = steps.split_first() else {
        *target = values.remove(0);
        return;
    };
    if step == "[]" {
        if rest.is_empty() {
            *target = Value::Array(values);
        } else {
            if !target.is_array() {
                *target = json!([{}]);
            }
            set(&mut target[0], rest, values);
        }
    } else {
        if !target.is_object() {
            *target = json!({});
        }
        set(&mut target[step.as_str()], rest, values);
    }
}

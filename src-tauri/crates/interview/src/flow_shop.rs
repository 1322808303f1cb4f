//! A MiniZinc model of a flow shop, from the aggregate of `process/flow-shop`.
//!
//! Jobs are the smallest steps. A step begins when the steps that its inputs come from have ended, or, where no input
//! names one, when the step before it has. Steps that share a resource do not run at the same time. What is minimised is
//! the time until the last step ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

/// Most steps of a model.
const MAX_STEPS: usize = 500;
/// Deepest nesting of steps that is read.
const MAX_DEPTH: usize = 20;
/// Longest duration of a step in minutes.
const MAX_MINUTES: f64 = 100_000.0;
/// Longest sum of all durations: solvers have integers of 32 bits.
const MAX_HORIZON: u64 = 2_000_000_000;
/// Characters of a name that are kept.
const NAME_CHARS: usize = 80;

#[derive(Debug, Default)]
struct Shop {
    steps: Vec<Job>,
    /// Steps that must have ended before another begins, by position.
    order: BTreeSet<(usize, usize)>,
    /// Steps by the resource that they occupy.
    resources: BTreeMap<String, BTreeSet<usize>>,
    /// The smallest steps of each named step.
    named: BTreeMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Job {
    name: String,
    minutes: u64,
    /// What the duration says, if it is no number.
    unread: Option<String>,
}

/// Prints the model, for this number of batches. The error says what the aggregate lacks.
pub fn flow_shop_model(aggregate: &Value, batches: u32) -> Result<String, String> {
    let steps = aggregate.get("subprocesses").and_then(Value::as_array).filter(|steps| !steps.is_empty());
    let Some(steps) = steps else {
        return Err(
            "it is no aggregate of process/flow-shop with steps: \"subprocesses\" has none".to_owned()
        );
    };
    let mut shop = Shop::default();
    shop.read(steps, &[], 0)?;
    let horizon = shop.steps.iter().map(|job| job.minutes).sum::<u64>().saturating_mul(batches.into());
    if horizon > MAX_HORIZON {
        return Err("the durations of its steps are too long for a model in minutes".to_owned());
    }
    Ok(shop.print(&name(aggregate, "process"), batches.max(1)))
}

impl Shop {
    /// Reads steps that follow one another, after the smallest steps `before`. Returns the smallest steps of each.
    fn read(&mut self, steps: &[Value], before: &[usize], depth: usize) -> Result<Vec<usize>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("its steps are nested deeper than {MAX_DEPTH} levels"));
        }
        let (mut all, mut previous) = (Vec::new(), before.to_vec());
        for step in steps {
            let first = self.sources(step).unwrap_or_else(|| previous.clone());
            let parts = step.get("subprocesses").and_then(Value::as_array).filter(|parts| !parts.is_empty());
            let own = match parts {
                Some(parts) => self.read(parts, &first, depth + 1)?,
                None => vec![self.job(step, &first)?],
            };
            self.named.entry(name(step, "step")).or_default().extend(&own);
            all.extend(&own);
            previous = own;
        }
        Ok(all)
    }

    /// The smallest steps that a step's inputs come from; none if no input names a step that is known.
    fn sources(&self, step: &Value) -> Option<Vec<usize>> {
        let inputs = step.get("inputs")?.as_array()?;
        let named = inputs.iter().filter_map(|input| input.get("from")?.as_str());
        let found: Vec<usize> =
            named.filter_map(|from| self.named.get(&cut(from))).flatten().copied().collect();
        (!found.is_empty()).then_some(found)
    }

    fn job(&mut self, step: &Value, before: &[usize]) -> Result<usize, String> {
        let at = self.steps.len();
        if at >= MAX_STEPS {
            return Err(format!("it has more than {MAX_STEPS} steps"));
        }
        let (minutes, unread) = minutes(step.get("duration"));
        self.steps.push(Job { name: name(step, "step"), minutes, unread });
        self.order.extend(before.iter().map(|&first| (first, at)));
        for resource in step.get("resources").and_then(Value::as_array).into_iter().flatten() {
            if let Some(resource) = resource.as_str().filter(|resource| !resource.trim().is_empty()) {
                self.resources.entry(cut(resource)).or_default().insert(at);
            }
        }
        Ok(at)
    }

    fn print(&self, process: &str, batches: u32) -> String {
        let list = |items: Vec<String>| format!("[{}]", items.join(", "));
        let numbers =
            |items: &mut dyn Iterator<Item = usize>| list(items.map(|at| (at + 1).to_string()).collect());
        let shared: Vec<_> =
            self.resources.iter().filter(|(_, steps)| batches > 1 || steps.len() > 1).collect();
        let sets = shared.iter().map(|(_, steps)| {
            let steps: Vec<String> = steps.iter().map(|at| (at + 1).to_string()).collect();
            format!("{{{}}}", steps.join(", "))
        });
        let mut text = format!("% Flow shop: {}\n", process.replace(['\n', '\r'], " "));
        text.push_str(
            "% Written by Schemascope from the answers of an interview. Durations are in minutes.\n",
        );
        for job in &self.steps {
            if let Some(unread) = &job.unread {
                let (name, unread) = (job.name.replace(['\n', '\r'], " "), unread.replace(['\n', '\r'], " "));
                let _ = writeln!(
                    text,
                    "% The duration of {name} cannot be read ({unread}); it counts as {} here.",
                    job.minutes
                );
            }
        }
        let _ = write!(
            text,
            "include \"disjunctive.mzn\";\n\n\
             int: batches = {batches};\n\
             int: steps = {};\n\
             int: orders = {};\n\
             int: resources = {};\n\
             array[1..steps] of string: name = {};\n\
             array[1..steps] of int: duration = {};\n\
             % Step first[i] ends before step second[i] begins.\n\
             array[1..orders] of int: first = {};\n\
             array[1..orders] of int: second = {};\n\
             % Resources that several steps occupy, and these steps.\n\
             array[1..resources] of string: resource = {};\n\
             array[1..resources] of set of int: uses = {};\n\n",
            self.steps.len(),
            self.order.len(),
            shared.len(),
            list(self.steps.iter().map(|job| quoted(&job.name)).collect()),
            list(self.steps.iter().map(|job| job.minutes.to_string()).collect()),
            numbers(&mut self.order.iter().map(|(first, _)| *first)),
            numbers(&mut self.order.iter().map(|(_, second)| *second)),
            list(shared.iter().map(|(name, _)| quoted(name)).collect()),
            list(sets.collect()),
        );
        text.push_str(RULES);
        text
    }
}

const RULES: &str = r#"int: horizon = batches * sum(duration);
array[1..batches, 1..steps] of var 0..horizon: start;
var 0..horizon: makespan;

constraint forall(b in 1..batches, i in 1..orders)(
  start[b, first[i]] + duration[first[i]] <= start[b, second[i]]);
constraint forall(r in 1..resources)(
  disjunctive([start[b, s] | b in 1..batches, s in uses[r]], [duration[s] | b in 1..batches, s in uses[r]]));
constraint forall(b in 1..batches, s in 1..steps)(start[b, s] + duration[s] <= makespan);
solve minimize makespan;
output ["makespan = \(makespan) minutes\n"] ++
  ["batch \(b), " ++ name[s] ++ ": \(start[b, s]) to \(start[b, s] + duration[s])\n" | b in 1..batches, s in 1..steps];
"#;

fn name(step: &Value, unnamed: &str) -> String {
    let name = step.get("process-id").and_then(Value::as_str).map(str::trim);
    cut(name.filter(|name| !name.is_empty()).unwrap_or(unnamed))
}

fn cut(text: &str) -> String {
    text.trim().chars().take(NAME_CHARS).collect()
}

/// A string of MiniZinc. Backslashes would begin an expression.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Minutes of a duration, rounded up; of a range the middle. Also returns what is no number.
fn minutes(duration: Option<&Value>) -> (u64, Option<String>) {
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let said = text(duration.and_then(|duration| duration.get("value-string")));
    let units = text(duration.and_then(|duration| duration.get("units"))).to_lowercase();
    let numbers = numbers(&said);
    let amount = match numbers.as_slice() {
        [] => return (0, Some(if said.is_empty() { "not given".to_owned() } else { cut(&said) })),
        [one] => *one,
        [low, high, ..] => f64::midpoint(*low, *high),
    };
    let factor = match units.trim() {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0 / 60.0),
        "" | "min" | "mins" | "minute" | "minutes" => Some(1.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(60.0),
        "d" | "day" | "days" => Some(24.0 * 60.0),
        "w" | "week" | "weeks" => Some(7.0 * 24.0 * 60.0),
        "month" | "months" => Some(30.0 * 24.0 * 60.0),
        _ => None,
    };
    // Small and not negative, so that nothing is lost.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a hundred thousand")]
    let minutes = (amount * factor.unwrap_or(1.0)).ceil().clamp(0.0, MAX_MINUTES) as u64;
    let unread = factor.is_none().then(|| format!("the unit \"{}\" is unknown", cut(&units)));
    (minutes, unread)
}

/// Numbers in a text. A comma between digits separates thousands if three digits follow, and decimals otherwise.
fn numbers(text: &str) -> Vec<f64> {
    let mut plain = String::new();
    let letters: Vec<char> = text.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let is_digit =
            |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
        match letter {
            ',' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => {
                let is_thousand = (1..=3).all(|more| is_digit(Some(at + more))) && !is_digit(Some(at + 4));
                plain.push_str(if is_thousand { "" } else { "." });
            }
            other => plain.push(*other),
        }
    }
    let parts = plain.split(|c: char| !c.is_ascii_digit() && c != '.');
    parts.filter_map(|part| part.trim_matches('.').parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(name: &str, minutes: &str, from: &[&str], resources: &[&str]) -> Value {
        let inputs: Vec<Value> = from.iter().map(|from| json!({"item-id": "x", "from": from})).collect();
        json!({
            "process-id": name, "inputs": inputs, "resources": resources,
            "duration": {"units": "minutes", "value-string": minutes}
        })
    }

    #[test]
    fn steps_follow_their_inputs_or_the_step_before() {
        let aggregate = json!({"process-id": "p", "subprocesses": [
            step("a", "10", &[], &["oven"]),
            step("b", "20", &["supplier"], &[]),
            step("c", "5", &["a"], &["oven"]),
            step("d", "1", &["b", "c"], &[]),
        ]});
        let model = flow_shop_model(&aggregate, 1).unwrap();
        for line in [
            "int: steps = 4;",
            "array[1..steps] of int: duration = [10, 20, 5, 1];",
            "array[1..orders] of int: first = [1, 1, 2, 3];",
            "array[1..orders] of int: second = [2, 3, 4, 4];",
            "array[1..resources] of set of int: uses = [{1, 3}];",
        ] {
            assert!(model.contains(line), "{line}\n{model}");
        }
    }

    #[test]
    fn parts_of_a_step_stand_for_it() {
        let mut whole = step("dough", "300", &[], &[]);
        whole["subprocesses"] = json!([step("mix", "40", &[], &[]), step("rest", "240", &["mix"], &[])]);
        let aggregate = json!({"subprocesses": [whole, step("bake", "50", &["dough"], &[])]});
        let model = flow_shop_model(&aggregate, 2).unwrap();
        assert!(model.contains("name = [\"mix\", \"rest\", \"bake\"];"), "{model}");
        assert!(model.contains("first = [1, 1, 2];") && model.contains("second = [2, 3, 3];"), "{model}");
    }

    #[test]
    fn durations_are_read_in_their_units() {
        let read = |units: &str, said: &str| minutes(Some(&json!({"units": units, "value-string": said})));
        for (units, said, expected) in [
            ("hours", "4 to 6", 300),
            ("seconds", "61", 2),
            ("days", "1.5", 2_160),
            ("months", "1", 43_200),
            ("minutes", "about 20", 20),
            ("hours", "1,5", 90),
            ("", "1,500", 1_500),
            ("weeks", "99999999999", 100_000),
        ] {
            assert_eq!(read(units, said), (expected, None), "{said} {units}");
        }
        assert_eq!(read("hours", "depends on size"), (0, Some("depends on size".to_owned())));
        assert_eq!(read("Stunden", "2"), (2, Some("the unit \"stunden\" is unknown".to_owned())));
        assert_eq!(minutes(None), (0, Some("not given".to_owned())));
    }

    #[test]
    fn names_stay_in_their_strings_and_comments() {
        let evil = "a\"]; \\(show(1))\nconstraint false;";
        let aggregate =
            json!({"process-id": evil, "subprocesses": [step(evil, "x\n1 constraint false", &[], &[evil])]});
        let model = flow_shop_model(&aggregate, 2).unwrap();
        assert!(!model.lines().any(|line| line.starts_with("constraint false")), "{model}");
        assert!(model.contains(r#"["a\"]; \\(show(1)) constraint false;"]"#), "{model}");
    }

    #[test]
    fn what_is_no_flow_shop_is_rejected() {
        for other in [json!({}), json!([]), json!({"subprocesses": []}), json!({"subprocesses": 1})] {
            assert!(flow_shop_model(&other, 1).unwrap_err().contains("\"subprocesses\""), "{other}");
        }
        let many: Vec<Value> = (0..=MAX_STEPS).map(|_| step("a", "1", &[], &[])).collect();
        assert!(flow_shop_model(&json!({"subprocesses": many}), 1).unwrap_err().contains("500 steps"));
    }
}

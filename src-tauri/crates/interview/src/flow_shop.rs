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
    let Some((amount, own_unit)) = amount(&said) else {
        return (0, Some(if said.is_empty() { "not given".to_owned() } else { cut(&said) }));
    };
    let factor = own_unit.or_else(|| minutes_of(units.trim()));
    // Small and not negative, so that nothing is lost.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a hundred thousand")]
    let minutes = (amount * factor.unwrap_or(1.0)).ceil().clamp(0.0, MAX_MINUTES) as u64;
    let unread = factor.is_none().then(|| format!("the unit \"{}\" is unknown", cut(&units)));
    (minutes, unread)
}

/// Minutes of a unit.
fn minutes_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0 / 60.0,
        "" | "min" | "mins" | "minute" | "minutes" => 1.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 60.0,
        "d" | "day" | "days" => 24.0 * 60.0,
        "w" | "week" | "weeks" => 7.0 * 24.0 * 60.0,
        "month" | "months" => 30.0 * 24.0 * 60.0,
        _ => return None,
    })
}

/// A part of an amount.
enum Part {
    Number(f64),
    Word(String),
}

/// The number in a text, or the middle of a range, with the minutes of the unit behind it, if there is one. `None` for
/// texts with other numbers: of "1h30" or "3x20" neither number is the duration.
fn amount(said: &str) -> Option<(f64, Option<f64>)> {
    let (mut numbers, mut between, mut unit) = (Vec::new(), Vec::new(), None);
    for part in parts(said)? {
        match part {
            Part::Number(number) => numbers.push(number),
            Part::Word(word) => match minutes_of(&word).filter(|_| !numbers.is_empty()) {
                Some(minutes) if unit.is_none_or(|known| known == minutes) => unit = Some(minutes),
                Some(_) => return None,
                None if numbers.len() == 1 => between.push(word),
                None => {}
            },
        }
    }
    match numbers.as_slice() {
        [one] => Some((*one, unit)),
        [low, high] => {
            let is_range = matches!(between.as_slice(), [word] if ["-", "–", "—", "to", "or", "until", ".."].contains(&word.as_str()));
            (is_range && low <= high).then(|| (f64::midpoint(*low, *high), unit))
        }
        _ => None,
    }
}

/// Numbers and the words between them. A comma between digits separates thousands if three digits follow, and decimals
/// otherwise; a blank separates thousands; `2 1/2` and `2½` are one number. `None` if a number is negative.
fn parts(said: &str) -> Option<Vec<Part>> {
    const FRACTIONS: [(char, f64); 3] = [('½', 0.5), ('¼', 0.25), ('¾', 0.75)];
    let pattern = |text: &str| text.replace('\u{a0}', " ");
    let text = pattern(said.trim());
    let mut parts = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        if let Some((_, value)) = FRACTIONS.iter().find(|(sign, _)| *sign == first) {
            match parts.last_mut() {
                Some(Part::Number(whole)) => *whole += value,
                _ => parts.push(Part::Number(*value)),
            }
            rest = &rest[first.len_utf8()..];
        } else if first.is_ascii_digit() {
            let (number, after) = number(rest)?;
            parts.push(Part::Number(number));
            rest = after;
        } else if first.is_alphabetic() {
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            parts.push(Part::Word(rest[..end].to_lowercase()));
            rest = &rest[end..];
        } else {
            let end = rest.find(|c: char| {
                c.is_alphanumeric() || c.is_whitespace() || FRACTIONS.iter().any(|(sign, _)| *sign == c)
            });
            let end = end.unwrap_or(rest.len());
            let sign = &rest[..end];
            let follows_number = rest[end..].starts_with(|c: char| c.is_ascii_digit());
            if ["-", "−"].contains(&sign)
                && follows_number
                && !matches!(parts.last(), Some(Part::Number(_) | Part::Word(_)))
            {
                return None;
            }
            // `~` and brackets say nothing; a colon or a cross between numbers does.
            if !sign.is_empty() && !["~", "≈", "(", ")", "."].contains(&sign) {
                parts.push(Part::Word(sign.to_owned()));
            }
            rest = rest[end..].trim_start();
        }
    }
    Some(parts)
}

/// The number at the beginning of a text, and what follows.
fn number(text: &str) -> Option<(f64, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut plain = text[..digits(text)].to_owned();
    let mut rest = &text[plain.len()..];
    let is_thousand = |rest: &str| digits(rest) == 3;
    loop {
        let separated = rest.strip_prefix([',', ' ']).filter(|after| is_thousand(after) && plain.len() <= 9);
        let Some(after) = separated else { break };
        plain.push_str(&after[..3]);
        rest = &after[3..];
    }
    if let Some(after) = rest.strip_prefix(['.', ',']).filter(|after| digits(after) > 0) {
        plain.push('.');
        plain.push_str(&after[..digits(after)]);
        rest = &after[digits(after)..];
    }
    let mut value: f64 = plain.parse().ok()?;
    if let Some(below) = rest.strip_prefix('/').filter(|below| digits(below) > 0) {
        value /= below[..digits(below)].parse::<f64>().ok().filter(|below| *below > 0.0)?;
        return Some((value, &below[digits(below)..]));
    }
    // A fraction behind a whole number.
    let fraction =
        rest.strip_prefix(' ').filter(|after| digits(after) > 0 && after[digits(after)..].starts_with('/'));
    match fraction.and_then(number) {
        Some((part, after)) if part < 1.0 => Some((value + part, after)),
        _ => Some((value, rest)),
    }
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
            ("hours", "2 1/2", 150),
            ("hours", "1½", 90),
            ("hours", "½", 30),
            ("hours", "90 minutes", 90),
            ("", "2 hours", 120),
            ("minutes", "12 000", 12_000),
            ("minutes", "20-30", 25),
            ("minutes", "~ 20 – 30 min", 25),
            ("weeks", "99999999999", 100_000),
        ] {
            assert_eq!(read(units, said), (expected, None), "{said} {units}");
        }
        // Regression: 930 minutes for `1h30`. Answers that are not one number or a range are named instead.
        for said in [
            "depends on size",
            "1h30",
            "2:30",
            "2 hours 30",
            "3x20",
            "-4",
            "6 to 4",
            "1 2 3",
            "2 hours 30 minutes",
            "1/0",
        ] {
            assert_eq!(read("hours", said), (0, Some(said.to_owned())));
        }
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

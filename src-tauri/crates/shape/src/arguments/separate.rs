//! Which arguments separate the shapes.
//!
//! Owns: the test. A part of the results belongs to the argument that tells most about it (mutual
//! information), if it tells nearly all and chance alone would hardly do so (G-test, corrected for the number
//! of tests). Refuses to know: how the counts came about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Argument, Arguments, Rank};

/// Share of a part's uncertainty the argument's value must take away.
const TELLS: f64 = 0.6;
/// Chance that any argument is named wrongly.
const ERROR: f64 = 0.01;
/// Share of a value's results that must have a part for it to be theirs.
const MOSTLY: f64 = 0.9;

/// An argument whose value decides the shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// Its name; of a field of an object, the path.
    pub argument: String,
    /// Share of the shapes' variety its value explains, 0 to 1.
    pub explains: f64,
    /// Its values, the most frequent first.
    pub values: Vec<SeparatingValue>,
}

/// One value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeparatingValue {
    /// The value as JSON, `(any)` where there are too many to tell apart; none where the argument was left
    /// out.
    pub json: Option<String>,
    /// Observations.
    pub count: u64,
    /// What results of this value have and not all others: `(root): string`, `rows[]: object`.
    pub parts: Vec<String>,
}

/// Observations with one value of an argument, or without it.
struct Group<'a> {
    json: Option<&'a str>,
    count: u64,
    parts: BTreeMap<Rank, u64>,
}

impl Arguments {
    /// The arguments whose value decides the shape, those that explain most first.
    pub fn separations(&self) -> Vec<Separation> {
        let varied: Vec<(Rank, &str, u64)> = self
            .parts
            .iter()
            .filter(|(_, (_, count))| (1..self.observations).contains(count))
            .map(|(rank, (name, count))| (*rank, &**name, *count))
            .collect();
        let groups: Vec<(&Argument, Vec<Group<'_>>)> =
            self.arguments.values().map(|argument| (argument, self.groups(argument))).collect();
        let candidates = groups.iter().filter(|(_, groups)| groups.len() > 1).count();
        let tests = (candidates * varied.len()).max(1) as f64;
        let total: f64 = varied.iter().map(|(_, _, count)| self.entropy(*count)).sum();
        let mut theirs: BTreeMap<usize, Vec<(Rank, &str)>> = BTreeMap::new();
        for (part, name, count) in &varied {
            let told = |groups: &[Group<'_>]| self.told(*part, *count, groups);
            let best = groups
                .iter()
                .enumerate()
                .filter(|(_, (_, groups))| groups.len() > 1)
                .map(|(at, (_, groups))| (at, told(groups), groups.len()))
                // Of arguments that tell the same, the one with fewer values.
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.cmp(&a.2)).then(b.0.cmp(&a.0)));
            let Some((at, told, values)) = best else { continue };
            let freedom = (values - 1) as f64;
            let n = self.observations as f64;
            let by_chance = freedom / (2.0 * n);
            let nearly_all = told - by_chance >= TELLS * self.entropy(*count);
            if nearly_all && is_beyond_chance(2.0 * n * told, freedom, ERROR / tests) {
                theirs.entry(at).or_default().push((*part, name));
            }
        }
        let mut found: Vec<Separation> = theirs
            .into_iter()
            .filter_map(|(at, parts)| {
                let (argument, groups) = groups.get(at)?;
                let told: f64 = varied.iter().map(|(part, _, count)| self.told(*part, *count, groups)).sum();
                Some(Separation {
                    argument: argument.name.to_string(),
                    explains: (told / total).min(1.0),
                    values: self.values(groups, &parts),
                })
            })
            .collect();
        found.sort_by(|a, b| b.explains.total_cmp(&a.explains));
        found
    }

    /// The observations by an argument's value, with those without it.
    fn groups<'a>(&self, argument: &'a Argument) -> Vec<Group<'a>> {
        let mut without = Group { json: None, count: self.observations, parts: BTreeMap::new() };
        without.parts.extend(self.parts.iter().map(|(rank, (_, count))| (*rank, *count)));
        let mut groups = Vec::new();
        for (value, row) in &argument.rows {
            without.count = without.count.saturating_sub(row.count);
            for (part, count) in &row.parts {
                if let Some(left) = without.parts.get_mut(part) {
                    *left = left.saturating_sub(*count);
                }
            }
            let json = Some(value.as_deref().unwrap_or("(any)"));
            groups.push(Group { json, count: row.count, parts: row.parts.clone() });
        }
        if without.count > 0 {
            groups.push(without);
        }
        groups
    }

    /// Uncertainty about a part that so many observations have, in nats.
    fn entropy(&self, count: u64) -> f64 {
        entropy(count, self.observations)
    }

    /// How much of it knowing the group takes away: mutual information, in nats.
    fn told(&self, part: Rank, count: u64, groups: &[Group<'_>]) -> f64 {
        let left = |group: &Group<'_>| {
            let share = group.count as f64 / self.observations as f64;
            share * entropy(group.parts.get(&part).copied().unwrap_or_default(), group.count)
        };
        self.entropy(count) - groups.iter().map(left).sum::<f64>()
    }

    fn values(&self, groups: &[Group<'_>], theirs: &[(Rank, &str)]) -> Vec<SeparatingValue> {
        let mut values: Vec<SeparatingValue> = groups
            .iter()
            .map(|group| {
                let has = |part: &Rank| {
                    let with = group.parts.get(part).copied().unwrap_or_default();
                    with as f64 >= MOSTLY * group.count as f64
                };
                let parts = theirs.iter().filter(|(part, _)| has(part));
                SeparatingValue {
                    json: group.json.map(str::to_owned),
                    count: group.count,
                    parts: parts.map(|(_, name)| readable(name)).collect(),
                }
            })
            .collect();
        values.sort_by(|a, b| b.count.cmp(&a.count).then(a.json.cmp(&b.json)));
        values
    }
}

fn readable(part: &str) -> String {
    if part.starts_with(':') { format!("(root){part}") } else { part.to_owned() }
}

fn entropy(count: u64, of: u64) -> f64 {
    let share = count as f64 / of.max(1) as f64;
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(share) + term(1.0 - share)
}

/// Whether a G statistic with so many degrees of freedom is larger than chance makes it with this
/// probability: χ² by Wilson and Hilferty (1931), the normal quantile by Abramowitz and Stegun 26.2.23.
fn is_beyond_chance(g: f64, freedom: f64, probability: f64) -> bool {
    let spread = 2.0 / (9.0 * freedom);
    let deviation = ((g / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    let t = (-2.0 * probability.ln()).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    let below = 1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t;
    deviation > t - above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table values of χ²: 6.63 for one degree of freedom at 1 %, 29.59 for ten at 0.1 %.
    #[test]
    fn chance_is_judged_by_the_table() {
        assert!(is_beyond_chance(6.8, 1.0, 0.01) && !is_beyond_chance(6.4, 1.0, 0.01));
        assert!(is_beyond_chance(30.0, 10.0, 0.001) && !is_beyond_chance(29.0, 10.0, 0.001));
    }
}

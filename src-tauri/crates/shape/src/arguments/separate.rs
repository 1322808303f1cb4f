//! Detection of the arguments that separate shapes.
//!
//! A part of the results is attributed to the argument with the most information about it (mutual
//! information), if that is nearly all of the part's uncertainty and unlikely by chance (G-test,
//! corrected for the number of tests).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Argument, Arguments, Rank};

/// Smallest share of a part's uncertainty that the argument's value must explain.
const MIN_EXPLAINED: f64 = 0.6;
/// Largest probability that any argument is named by mistake.
const ERROR_RATE: f64 = 0.01;
/// Smallest share of a value's results that must have a part for it to be listed under that value.
const MIN_SHARE: f64 = 0.9;

/// An argument whose value decides the shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// Name of the argument, or the path of a field in an object.
    pub argument: String,
    /// Share of the variation in shape that its value explains, from 0 to 1.
    pub explains: f64,
    /// Values of the argument, most frequent first.
    pub values: Vec<SeparatingValue>,
}

/// One value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeparatingValue {
    /// Value as JSON, `(any)` if there are too many to distinguish, `None` if the argument was
    /// omitted.
    pub json: Option<String>,
    /// Number of observations.
    pub count: u64,
    /// Parts that results with this value have, and not all others: `(root): string`, `rows[]:
    /// object`.
    pub parts: Vec<String>,
}

/// Observations with one value of an argument, or without the argument.
struct Group<'a> {
    json: Option<&'a str>,
    count: u64,
    parts: BTreeMap<Rank, u64>,
}

impl Arguments {
    /// Returns the arguments whose value decides the shape, starting with the one that explains
    /// most.
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
            let information = |groups: &[Group<'_>]| self.information(*part, *count, groups);
            let best = groups
                .iter()
                .enumerate()
                .filter(|(_, (_, groups))| groups.len() > 1)
                .map(|(at, (_, groups))| (at, information(groups), groups.len()))
                // Among arguments with equal information, the one with fewer values wins.
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.cmp(&a.2)).then(b.0.cmp(&a.0)));
            let Some((at, information, values)) = best else { continue };
            let freedom = (values - 1) as f64;
            let n = self.observations as f64;
            let by_chance = freedom / (2.0 * n);
            let nearly_all = information - by_chance >= MIN_EXPLAINED * self.entropy(*count);
            if nearly_all && is_beyond_chance(2.0 * n * information, freedom, ERROR_RATE / tests) {
                theirs.entry(at).or_default().push((*part, name));
            }
        }
        let mut found: Vec<Separation> = theirs
            .into_iter()
            .filter_map(|(at, parts)| {
                let (argument, groups) = groups.get(at)?;
                let information: f64 =
                    varied.iter().map(|(part, _, count)| self.information(*part, *count, groups)).sum();
                Some(Separation {
                    argument: argument.name.to_string(),
                    explains: (information / total).min(1.0),
                    values: self.values(groups, &parts),
                })
            })
            .collect();
        found.sort_by(|a, b| b.explains.total_cmp(&a.explains));
        found
    }

    /// Groups the observations by the argument's value, including those without it.
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

    /// Returns the uncertainty about a part that this many observations have, in nats.
    fn entropy(&self, count: u64) -> f64 {
        entropy(count, self.observations)
    }

    /// Returns how much of it the group explains: mutual information, in nats.
    fn information(&self, part: Rank, count: u64, groups: &[Group<'_>]) -> f64 {
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
                    with as f64 >= MIN_SHARE * group.count as f64
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

/// Returns whether a G statistic with this many degrees of freedom exceeds what chance gives with
/// this probability: χ² by Wilson and Hilferty (1931), the normal quantile by Abramowitz and Stegun
/// 26.2.23.
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

    /// Values from tables of χ²: 6.63 for one degree of freedom at 1 %, 29.59 for ten at 0.1 %.
    #[test]
    fn chance_threshold_matches_the_published_table() {
        assert!(is_beyond_chance(6.8, 1.0, 0.01) && !is_beyond_chance(6.4, 1.0, 0.01));
        assert!(is_beyond_chance(30.0, 10.0, 0.001) && !is_beyond_chance(29.0, 10.0, 0.001));
    }
}

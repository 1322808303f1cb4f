//! Judging: pairs of tool, tool and input against the labels.

use std::collections::BTreeMap;

use schemascope_compose::Measured;
use schemascope_worlds::{Label, Labels, Style, Truth};

use crate::record::Registry;

/// One pair with what is said of it and what is true.
struct Pair {
    confidence: f64,
    /// Best output by confidence, and whether it is right.
    field: (String, bool),
    truth: Option<Truth>,
    used: u64,
    server: &'static str,
    style: Style,
}

/// All pairs that are labelled or judged.
pub(crate) struct Pairs {
    pairs: BTreeMap<(String, String, String), Pair>,
}

/// Precision, recall and share of right fields.
#[derive(Default)]
struct Score {
    right: u64,
    wrong: u64,
    missed: u64,
    fields: u64,
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl Pairs {
    pub(crate) fn new(registry: &Registry, labels: &Labels, judged: &[(Measured, f64)]) -> Self {
        let servers: BTreeMap<&str, (&'static str, Style)> =
            registry.servers.iter().map(|server| (server.name, (server.name, server.style))).collect();
        let mut pairs: BTreeMap<(String, String, String), Pair> = BTreeMap::new();
        let blank = |to: &str| {
            let server = to.split_once("__").map_or(to, |(server, _)| server);
            let (server, style) = servers.get(server).copied().unwrap_or(("", Style::Distinctive));
            Pair { confidence: 0.0, field: (String::new(), false), truth: None, used: 0, server, style }
        };
        for (label, truth) in labels {
            let key = (label.from.clone(), label.to.clone(), label.input.clone());
            let pair = pairs.entry(key).or_insert_with(|| blank(&label.to));
            pair.truth = pair.truth.max(Some(*truth));
        }
        for traffic in &registry.traffic {
            for session in &traffic.sessions {
                for call in session.iter().filter(|call| call.result.is_ok()) {
                    let mut taken: Vec<(String, String, String)> = call
                        .sources
                        .iter()
                        .map(|source| {
                            (session[source.call].tool.clone(), call.tool.clone(), source.input.clone())
                        })
                        .collect();
                    taken.sort();
                    taken.dedup();
                    for key in taken {
                        pairs.entry(key).or_insert_with(|| blank(&call.tool)).used += 1;
                    }
                }
            }
        }
        for (key, flows) in &registry.apparent {
            let pair = pairs.entry(key.clone()).or_insert_with(|| blank(&key.1));
            if pair.truth != Some(Truth::True) {
                pair.used = pair.used.max(*flows);
            }
        }
        for (one, confidence) in judged {
            let key = (one.from.to_string(), one.to.to_string(), one.input.to_string());
            let pair = pairs.entry(key).or_insert_with(|| blank(&one.to));
            if *confidence > pair.confidence {
                let label = Label {
                    from: one.from.to_string(),
                    output: one.output.to_string(),
                    to: one.to.to_string(),
                    input: one.input.to_string(),
                };
                pair.confidence = *confidence;
                pair.field = (one.output.to_string(), labels.contains_key(&label));
            }
        }
        Self { pairs }
    }

    fn score(&self, keep: impl Fn(&Pair) -> bool) -> Score {
        let mut score = Score::default();
        for pair in self.pairs.values().filter(|pair| keep(pair)) {
            match (pair.truth, pair.confidence >= 0.5) {
                (Some(Truth::True), true) => {
                    score.right += 1;
                    score.fields += u64::from(pair.field.1);
                }
                (Some(Truth::True), false) => score.missed += 1,
                (None, true) => score.wrong += 1,
                _ => {}
            }
        }
        score
    }

    /// Average precision over pairs that were never used; equal confidences count as one rank.
    fn average_precision(&self) -> f64 {
        let unused = self.pairs.values().filter(|pair| pair.used == 0 && pair.truth != Some(Truth::Either));
        let mut ranked: Vec<(f64, bool)> =
            unused.map(|pair| (pair.confidence, pair.truth.is_some())).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let total = ranked.iter().filter(|(_, truth)| *truth).count() as u64;
        let (mut area, mut right, mut seen, mut at) = (0.0, 0, 0, 0);
        while at < ranked.len() && ranked[at].0 > 0.0 {
            let group = ranked[at..].iter().take_while(|one| one.0.total_cmp(&ranked[at].0).is_eq());
            let (size, hits) = group.fold((0, 0), |(size, hits), one| (size + 1, hits + u64::from(one.1)));
            right += hits;
            seen += size as u64;
            area += share(right, seen) * share(hits, total);
            at += size;
        }
        area
    }

    /// Confidence, truth and server of the pairs that are no obvious no's.
    fn calibrated(&self) -> impl Iterator<Item = (f64, bool, &'static str)> {
        self.pairs
            .values()
            .filter(|pair| pair.confidence >= 0.1 && pair.truth != Some(Truth::Either))
            .map(|pair| (pair.confidence, pair.truth.is_some(), pair.server))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number from 0 to 9")]
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    fn tenths(&self) -> Vec<(usize, f64, f64)> {
        let mut tenths = vec![(0_usize, 0.0, 0.0); 10];
        for (confidence, truth, _) in self.calibrated() {
            let tenth = &mut tenths[((confidence * 10.0) as usize).min(9)];
            tenth.0 += 1;
            tenth.1 += confidence;
            tenth.2 += f64::from(u8::from(truth));
        }
        tenths
            .into_iter()
            .map(|(count, said, was)| (count, said / count.max(1) as f64, was / count.max(1) as f64))
            .collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    fn expected_error(&self) -> f64 {
        let tenths = self.tenths();
        let total: usize = tenths.iter().map(|tenth| tenth.0).sum();
        tenths.iter().map(|(count, said, was)| *count as f64 * (said - was).abs()).sum::<f64>()
            / total.max(1) as f64
    }

    pub(crate) fn print_calibration(&self) {
        println!("\n| said | was | pairs |\n|---|---|---|");
        for (count, said, was) in self.tenths().into_iter().filter(|tenth| tenth.0 > 0) {
            println!(
                "| {said:.2} | {was:.2} | {count} | {}",
                "#".repeat((was * 40.0).round().max(0.0) as usize)
            );
        }
        println!("expected calibration error {:.3}", self.expected_error());
    }

    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    pub(crate) fn print_servers(&self) {
        println!("\n| server | precision | recall | fields | said - was |\n|---|---|---|---|---|");
        let mut servers: Vec<&str> = self.pairs.values().map(|pair| pair.server).collect();
        servers.sort_unstable();
        servers.dedup();
        for server in servers {
            let score = self.score(|pair| pair.server == server && pair.used > 0);
            let own: Vec<(f64, bool)> = self
                .calibrated()
                .filter(|one| one.2 == server)
                .map(|(confidence, truth, _)| (confidence, truth))
                .collect();
            let said: f64 = own.iter().map(|one| one.0).sum();
            let was = own.iter().filter(|one| one.1).count() as f64;
            println!("| {server} | {} | {:+.3} |", score.row(), (said - was) / own.len().max(1) as f64);
        }
    }

    pub(crate) fn print_wrong(&self) {
        for ((from, to, input), pair) in &self.pairs {
            let wrong = match pair.truth {
                Some(Truth::True) => pair.confidence < 0.5 && pair.used > 0,
                Some(Truth::Either) => false,
                None => pair.confidence >= 0.5,
            };
            if wrong {
                let kind = if pair.truth.is_some() { "missed" } else { "false " };
                println!(
                    "{kind} {:.2} used {:2}  {from}.{} -> {to}({input})",
                    pair.confidence, pair.used, pair.field.0
                );
            }
        }
    }
}

impl Score {
    fn row(&self) -> String {
        format!(
            "{:.2} | {:.2} | {:.2}",
            share(self.right, self.right + self.wrong),
            share(self.right, self.right + self.missed),
            share(self.fields, self.right)
        )
    }
}

/// The table of the bench.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<String>,
}

impl Table {
    pub(crate) fn add(&mut self, name: &str, pairs: &Pairs) {
        let often = |style: Style| pairs.score(|pair| pair.used >= 3 && pair.style == style).row();
        let rarely = pairs.score(|pair| (1..3).contains(&pair.used));
        self.rows.push(format!(
            "| {name} | {} | {} | {} | {:.3} | {:.3} |",
            often(Style::Distinctive),
            often(Style::Colliding),
            rarely.row(),
            pairs.average_precision(),
            pairs.expected_error()
        ));
    }

    pub(crate) fn print(&self) {
        println!("Pairs (tool, tool, input) at .5: precision, recall, single fields right.\n");
        println!("| | ≥ 3 uses, distinctive ||| ≥ 3 uses, colliding ||| 1 or 2 uses ||| never: AP | ECE |");
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
        for row in &self.rows {
            println!("{row}");
        }
    }
}

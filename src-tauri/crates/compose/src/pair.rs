//! Pairs of fields: one output that may feed one input, with its confidence and the measures behind it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemascope_model::How;

use crate::edge::{self, EdgeField};
use crate::graph::Graph;
use crate::model;
use crate::schema;
use crate::seen::{Seen, Taken};
use crate::tool::{self, Known, Place, Tool};

/// Share of a tool's results, in thousandths, from which on an output that repeats an argument is an echo.
const ECHO: u64 = 500;

/// The form in which an output would reach an input.
fn guess(output: &Place, input: &Place) -> How {
    if output.path.is_empty() {
        How::Part
    } else if output.key {
        How::Key
    } else if model::is_number_for_text(output, input) {
        How::NumberText
    } else if output.path.contains("[]") || input.path.contains("[]") {
        How::Item
    } else {
        How::Same
    }
}

/// Puts the best first.
fn sort(pairs: &mut [Pair]) {
    pairs.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then_with(|| (&a.from, &a.output).cmp(&(&b.from, &b.output)))
    });
}

/// One pair of fields.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) from: Arc<str>,
    pub(crate) output: Arc<str>,
    pub(crate) how: How,
    pub(crate) confidence: f64,
    pub(crate) echo: bool,
    pub(crate) lost: bool,
    pub(crate) usable: bool,
    pub(crate) read_only: bool,
    pub(crate) seen: Option<Seen>,
}

impl Pair {
    pub(crate) fn field(&self, input: &str) -> EdgeField {
        EdgeField {
            output: (&*self.output).into(),
            input: input.into(),
            how: self.how,
            confidence: self.confidence,
            echo: self.echo,
            broken: self.lost,
            evidence: self.seen.as_ref().map(edge::Counts::of).unwrap_or_default(),
        }
    }
}

/// A pair of fields with what the models look at.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Tool that gives.
    pub from: Box<str>,
    /// Path in its result.
    pub output: Box<str>,
    /// Tool that takes.
    pub to: Box<str>,
    /// Path in its arguments.
    pub input: Box<str>,
    /// Whether there were flows.
    pub seen: bool,
    /// Number of flows.
    pub flows: u64,
    /// Probability that the pair is true.
    pub confidence: f64,
    /// Measures of names and types, as named in [`crate::model::NAMES`].
    pub names: Vec<f64>,
    /// Measures of evidence, as named in [`crate::model::SEEN`] or [`crate::model::UNSEEN`].
    pub measures: Vec<f64>,
}

/// What an input takes, with its evidence.
struct Target<'g> {
    to: &'g Known,
    input: &'g Place,
    taken: Option<&'g Taken>,
    /// What names and types say at best for any of the sources seen.
    best_named: f64,
}

/// A giver and its output, also where no schema has them: then they are judged by the path.
struct Source {
    known: Arc<Known>,
    bare: Option<Place>,
    place: Option<usize>,
}

impl Source {
    fn place(&self) -> Option<&Place> {
        self.bare.as_ref().or_else(|| self.known.outputs.get(self.place?))
    }
}

impl Graph {
    /// Returns the pairs of fields that feed an input of a tool with at least some confidence, and all
    /// that have evidence, best first.
    pub(crate) fn pairs_into(
        &mut self,
        to: &Known,
        number: usize,
        from: Option<&str>,
        min: f64,
    ) -> Vec<Pair> {
        let Some(input) = to.inputs.get(number) else { return Vec::new() };
        let candidates = self.candidates.of(to, number, &self.model);
        let taken = self.taken(to, input);
        let taken = taken.as_deref();
        let is_wanted = |giver: &str| from.is_none_or(|from| from == giver);
        let seen = self.given(taken, from);
        let target = Target { to, input, taken, best_named: self.best_named(to, input, taken) };
        let mut found = Vec::new();
        for candidate in candidates.iter().filter(|candidate| is_wanted(&candidate.from.id)) {
            let Some(place) = candidate.from.outputs.get(candidate.place as usize) else { continue };
            let id = &candidate.from.id;
            if !seen.is_empty() && seen.contains_key(&(id.clone(), place.path.clone())) {
                continue;
            }
            // Whether an output repeats an argument takes longest to find out, and speaks against it.
            let weights = &self.model.unseen;
            let repeats = weights.get(model::REPEATS).copied().unwrap_or(0.0).max(0.0);
            let without = model::unseen(candidate.logit, 0, target.taken, id);
            if model::probability(model::sum(weights, &without) + repeats) < min {
                continue;
            }
            let echo = self.evidence().echo(id, &place.path);
            let measures = model::unseen(candidate.logit, echo.unwrap_or(0), target.taken, id);
            let confidence = model::probability(model::sum(weights, &measures));
            if confidence < min {
                continue;
            }
            found.push(Pair {
                from: id.clone(),
                output: place.path.clone(),
                how: guess(place, input),
                confidence,
                echo: echo.map_or(place.echo, |share| share >= ECHO),
                lost: false,
                usable: candidate.from.tool.usable,
                read_only: candidate.from.tool.read_only,
                seen: None,
            });
        }
        found.extend(seen.into_iter().map(|((from, output), seen)| self.pair(&target, from, output, seen)));
        sort(&mut found);
        found
    }

    /// Returns the pairs of fields that were seen to feed an argument that no schema names, best first. `None` if it is in
    /// no argument that may have anything.
    pub(crate) fn pairs_into_free(&self, to: &Known, path: &str, from: Option<&str>) -> Option<Vec<Pair>> {
        let input = to.free_input(path)?;
        let taken = self.taken(to, &input);
        let taken = taken.as_deref();
        let target = Target { to, input: &input, taken, best_named: self.best_named(to, &input, taken) };
        let seen = self.given(taken, from).into_iter();
        let mut found: Vec<Pair> =
            seen.map(|((from, output), seen)| self.pair(&target, from, output, seen)).collect();
        sort(&mut found);
        Some(found)
    }

    /// What was seen of each output that gave what an input took, of all tools or of one.
    fn given(&self, taken: Option<&Taken>, from: Option<&str>) -> BTreeMap<(Arc<str>, Arc<str>), Seen> {
        let mut seen = BTreeMap::new();
        let is_wanted = |giver: &str| from.is_none_or(|from| from == giver);
        for (giver, outputs) in taken.iter().flat_map(|taken| &taken.from).filter(|(id, _)| is_wanted(id)) {
            let id: Arc<str> =
                self.tools.get(&**giver).map_or_else(|| (&**giver).into(), |known| known.id.clone());
            seen.extend(outputs.iter().map(|(output, own)| ((id.clone(), (&**output).into()), own.clone())));
        }
        seen
    }

    /// What an input has taken, under all paths that were seen and lead to its place: each key of a map is a path of its
    /// own. Outputs stand under the paths that the schemas have.
    pub(crate) fn taken(&self, to: &Known, input: &Place) -> Option<Cow<'_, Taken>> {
        let leads_there =
            |path: &str| *path == *input.path || to.input(path).is_some_and(|own| own.path == input.path);
        let found = self.evidence().taken(&to.id).filter(|(path, _)| leads_there(path));
        let found: Vec<&Taken> = found.map(|(_, taken)| taken).collect();
        match found.as_slice() {
            [] => None,
            [only] if self.is_as_in_schemas(only) => Some(Cow::Borrowed(only)),
            several => Some(Cow::Owned(self.merged(several))),
        }
    }

    /// Whether outputs stand under the paths that the schemas have, or have none.
    fn is_as_in_schemas(&self, taken: &Taken) -> bool {
        taken.from.iter().all(|(giver, outputs)| {
            let known = self.tools.get(&**giver);
            let place = |output: &str| known.and_then(|known| known.output(output));
            outputs.keys().all(|output| place(output).is_none_or(|place| *place.path == **output))
        })
    }

    fn merged(&self, several: &[&Taken]) -> Taken {
        let mut all = Taken::default();
        for taken in several {
            all.calls += taken.calls;
            for (giver, calls) in &taken.after {
                *all.after.entry(giver.clone()).or_default() += calls;
            }
            for (giver, outputs) in &taken.from {
                let known = self.tools.get(&**giver);
                let own = all.from.entry(giver.clone()).or_default();
                for (output, seen) in outputs {
                    let place = known.and_then(|known| known.output(output));
                    let path = place.map_or_else(|| output.clone(), |place| (&*place.path).into());
                    own.entry(path).or_default().merge(seen);
                }
            }
        }
        all
    }

    fn source(&self, from: &str, output: &str) -> Source {
        let known =
            self.tools.get(from).cloned().unwrap_or_else(|| Arc::new(Known::new(Tool::unknown(from))));
        let place = known.output_at(output);
        let bare = place.is_none().then(|| {
            let nouns = crate::words::tool_nouns(known.tool.name(), known.tool.server());
            tool::Named::new(schema::bare(output), &nouns).place
        });
        Source { known, bare, place }
    }

    /// Returns what names and types say at best for any of the sources of an input.
    fn best_named(&self, to: &Known, input: &Place, taken: Option<&Taken>) -> f64 {
        let Some(taken) = taken else { return 0.0 };
        let outputs =
            taken.from.iter().flat_map(|(from, outputs)| outputs.keys().map(move |output| (from, output)));
        let logits = outputs.filter_map(|(from, output)| {
            let source = self.source(from, output);
            let names = model::names(&source.known, source.place()?, to, input);
            Some(model::sum(&self.model.names, &names))
        });
        logits.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Measures of names and types, and of evidence.
    fn measures_of(
        &self,
        target: &Target<'_>,
        source: &Source,
        output: &str,
        seen: Option<&Seen>,
    ) -> (Vec<f64>, Vec<f64>) {
        let Some(place) = source.place() else { return (Vec::new(), Vec::new()) };
        let mut names = model::names(&source.known, place, target.to, target.input);
        // What only repeats an argument is credited to no result, so such flows show that this does not.
        let is_given = seen.is_some_and(|seen| seen.flows > seen.weak);
        let repeats = self.evidence().echo(&source.known.id, output).is_some_and(|share| share >= ECHO);
        if is_given && !repeats {
            names[model::BY_NAME] = 0.0;
        }
        let logit = model::sum(&self.model.names, &names);
        let other_server = source.known.server != target.to.server;
        let from = &source.known.id;
        let measures = match (seen, target.taken) {
            (Some(seen), Some(taken)) => {
                let by_name = model::ByName { own: logit, best: target.best_named };
                model::seen(by_name, self.evidence(), taken, from, output, seen, other_server).to_vec()
            }
            (_, taken) => {
                let echo = self.evidence().echo(from, output).unwrap_or(0);
                model::unseen(logit, echo, taken, from).to_vec()
            }
        };
        (names.to_vec(), measures)
    }

    /// A pair of fields with evidence.
    fn pair(&self, target: &Target<'_>, from: Arc<str>, output: Arc<str>, seen: Seen) -> Pair {
        let source = self.source(&from, &output);
        let is_known = self.tools.contains_key(&from);
        let tool = &source.known.tool;
        let lost = !is_known || {
            let open = tool.open_since.is_some_and(|since| seen.last_at >= since);
            let unknown = source.known.outputs.is_empty() || output.is_empty();
            source.place.is_none() && (tool.has_lost(&output) || !(open || unknown))
        };
        let (_, measures) = self.measures_of(target, &source, &output, Some(&seen));
        let place = source.place();
        let repeats = place.is_some_and(|place| place.echo);
        let how = seen.main_form().or_else(|| Some(guess(place?, target.input)));
        Pair {
            how: how.unwrap_or(How::Same),
            confidence: model::probability(model::sum(&self.model.seen, &measures)),
            echo: self.evidence().echo(&from, &output).map_or(repeats, |share| share >= ECHO),
            lost,
            usable: tool.usable,
            read_only: tool.read_only,
            seen: Some(seen),
            from,
            output,
        }
    }

    /// Returns what can feed an input, best first.
    pub(crate) fn feeders(&mut self, to: &str, input: &str) -> Vec<Pair> {
        let Some(known) = self.tools.get(to).cloned() else { return Vec::new() };
        match known.inputs.iter().position(|place| *place.path == *input) {
            Some(number) => self.pairs_into(&known, number, None, 0.0),
            None => self.pairs_into_free(&known, input, None).unwrap_or_default(),
        }
    }

    /// Returns the measures of names and types of a pair of fields.
    pub(crate) fn names_of(&self, pair: &Pair, to: &str, input: &str) -> Vec<f64> {
        let Some((to, input)) = self.tools.get(to).and_then(|to| Some((to, to.any_input(input)?))) else {
            return Vec::new();
        };
        let target = Target { to, input: &input, taken: None, best_named: 0.0 };
        let source = self.source(&pair.from, &pair.output);
        self.measures_of(&target, &source, &pair.output, pair.seen.as_ref()).0
    }

    /// Returns the measures behind the pairs of fields into a tool. Only the bench uses it, to fit the model.
    pub fn measures(&mut self, to: &str) -> Vec<Measured> {
        let Some(known) = self.tools.get(to).cloned() else { return Vec::new() };
        let mut measured = Vec::new();
        for (number, input) in known.inputs.iter().enumerate() {
            for pair in self.pairs_into(&known, number, None, 0.0) {
                let taken = self.taken(&known, input);
                let taken = taken.as_deref();
                let best_named = self.best_named(&known, input, taken);
                let target = Target { to: &known, input, taken, best_named };
                let source = self.source(&pair.from, &pair.output);
                let (names, measures) = self.measures_of(&target, &source, &pair.output, pair.seen.as_ref());
                measured.push(Measured {
                    from: (&*pair.from).into(),
                    output: (&*pair.output).into(),
                    to: to.into(),
                    input: (&*input.path).into(),
                    seen: pair.seen.is_some(),
                    flows: pair.seen.as_ref().map_or(0, |seen| seen.flows),
                    confidence: pair.confidence,
                    names,
                    measures,
                });
            }
        }
        measured
    }
}

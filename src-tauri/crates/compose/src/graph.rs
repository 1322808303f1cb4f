//! The graph: tools, evidence, and the edges that follow from both.
//!
//! Nothing that is derived is stored except scores that are computed again as soon as something they
//! depend on changes. That makes a changed graph equal to one that was built from the start.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::edge::{self, Coverage, Edge, EdgeField, Filter, State};
use crate::evidence::Evidence;
use crate::model::{self, Model};
use crate::pair::{Measured, Pair, guess};
use crate::schema;
use crate::seen::Seen;
use crate::tool::{self, Known, Place, Tool};

/// Number of candidates that are kept for one input, besides those with evidence.
const MAX_CANDIDATES: usize = 32;
/// Number of outputs that are looked at for one input.
const MAX_LOOKED_AT: usize = 128;

/// A place of a tool: the tool and the number of its input or output.
type Spot = (Arc<str>, u32);

/// Outputs by a word of theirs and their server.
#[derive(Debug, Clone, Default)]
struct Postings {
    spots: BTreeMap<Spot, Arc<Known>>,
    version: u64,
}

#[derive(Debug, Clone)]
struct Scored {
    versions: u64,
    best: Arc<Vec<(f64, Spot)>>,
}

/// Tools and evidence, with the edges between them.
#[derive(Debug, Clone)]
pub struct Graph {
    tools: BTreeMap<Arc<str>, Arc<Known>>,
    outputs: HashMap<Box<str>, Postings>,
    scored: HashMap<Spot, Scored>,
    evidence: Evidence,
    model: Model,
    version: u64,
}

impl Graph {
    /// Creates an empty graph.
    pub fn new(model: Model) -> Self {
        Self {
            tools: BTreeMap::new(),
            outputs: HashMap::new(),
            scored: HashMap::new(),
            evidence: Evidence::default(),
            model,
            version: 0,
        }
    }

    /// Returns the evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the evidence for changes. Edges follow at once.
    pub fn evidence_mut(&mut self) -> &mut Evidence {
        &mut self.evidence
    }

    /// Adds a tool or replaces it.
    pub fn set(&mut self, tool: Tool) {
        if self.tools.get(&*tool.id).is_some_and(|known| known.tool == tool) {
            return;
        }
        let id: Arc<str> = (&*tool.id).into();
        self.remove(&id);
        let known = Arc::new(Known::new(tool));
        self.post(&known, true);
        self.tools.insert(id, known);
    }

    /// Removes a tool. Its evidence stays, and its edges are broken until it is back.
    pub fn remove(&mut self, id: &str) {
        if let Some(known) = self.tools.remove(id) {
            self.post(&known, false);
            let id: Arc<str> = id.into();
            for number in 0..known.inputs.len() {
                self.scored.remove(&(id.clone(), u32::try_from(number).unwrap_or(u32::MAX)));
            }
        }
    }

    fn post(&mut self, known: &Arc<Known>, add: bool) {
        let id: Arc<str> = (&*known.tool.id).into();
        self.version += 1;
        for (number, output) in known.outputs.iter().enumerate() {
            let spot = (id.clone(), u32::try_from(number).unwrap_or(u32::MAX));
            for word in &output.words {
                let postings = self.outputs.entry(word.clone()).or_default();
                postings.version = self.version;
                if add {
                    postings.spots.insert(spot.clone(), known.clone());
                } else {
                    postings.spots.remove(&spot);
                }
            }
        }
    }

    /// Returns the ids of all tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(|id| &**id)
    }

    /// Returns a tool.
    pub fn tool(&self, id: &str) -> Option<&Tool> {
        self.tools.get(id).map(|known| &known.tool)
    }

    /// Returns the paths of a tool's result, as far as they are known.
    pub fn outputs(&self, id: &str) -> impl Iterator<Item = &str> {
        let outputs = self.tools.get(id).into_iter().flat_map(|known| &known.outputs);
        outputs.map(|place| place.field.path.as_str())
    }

    /// Returns the paths of the inputs that a tool requires.
    pub fn required(&self, id: &str) -> Vec<Box<str>> {
        let inputs = self.tools.get(id).map(|known| known.inputs.as_slice()).unwrap_or_default();
        inputs
            .iter()
            .filter(|input| input.field.required)
            .map(|input| input.field.path.as_str().into())
            .collect()
    }

    pub(crate) fn known(&self, id: &str) -> Option<&Arc<Known>> {
        self.tools.get(id)
    }

    /// Returns the outputs that suit an input best by names and types.
    fn candidates(&mut self, to: &Known, number: usize, input: &Place) -> Arc<Vec<(f64, Spot)>> {
        let mut postings: Vec<&Postings> =
            input.words.iter().filter_map(|word| self.outputs.get(word)).collect();
        let versions = postings.iter().map(|found| found.version).max().unwrap_or(0);
        let spot = ((&*to.tool.id).into(), u32::try_from(number).unwrap_or(u32::MAX));
        if let Some(scored) = self.scored.get(&spot).filter(|scored| scored.versions == versions) {
            return scored.best.clone();
        }
        // Rare words first: what only a hub has in common with the input may be left out.
        postings.sort_by_key(|found| found.spots.len());
        let mut seen: Vec<(&Spot, &Arc<Known>)> = Vec::with_capacity(MAX_LOOKED_AT);
        for found in postings {
            let room = MAX_LOOKED_AT - seen.len();
            seen.extend(found.spots.iter().take(room));
        }
        let mut best: Vec<(f64, Spot)> = seen
            .into_iter()
            .filter_map(|(spot, from)| {
                let output = from.outputs.get(spot.1 as usize)?;
                let logit = model::sum(&self.model.names, &model::names(from, output, to, input));
                Some((logit, spot.clone()))
            })
            .collect();
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        best.dedup();
        best.truncate(MAX_CANDIDATES);
        let best = Arc::new(best);
        self.scored.insert(spot, Scored { versions, best: best.clone() });
        best
    }

    /// Returns the pairs of fields that feed an input of a tool with at least some confidence, and all
    /// that have evidence, best first.
    fn pairs_into(&mut self, to: &Known, number: usize, from: Option<&str>, min: f64) -> Vec<Pair> {
        let Some(input) = to.inputs.get(number) else { return Vec::new() };
        let candidates = self.candidates(to, number, input);
        let first = self.evidence.taken_by(&to.tool.id, &input.field.path);
        let mut pairs: BTreeMap<(Box<str>, Box<str>), Option<Seen>> = BTreeMap::new();
        for (logit, (giver, output)) in candidates.iter() {
            if from.is_some_and(|from| from != &**giver) {
                continue;
            }
            if let Some(place) = self.tools.get(giver).and_then(|known| known.outputs.get(*output as usize)) {
                let path = place.field.path.as_str();
                let measures = model::unseen(*logit, &self.evidence, first, giver, path);
                if model::probability(model::sum(&self.model.unseen, &measures)) >= min {
                    pairs.insert(((&**giver).into(), path.into()), None);
                }
            }
        }
        let taken: Vec<_> = self
            .evidence
            .taken(&to.tool.id)
            .filter(|(path, _)| to.input(path).is_some_and(|own| own.field.path == input.field.path))
            .map(|(_, taken)| taken)
            .collect();
        for (giver, outputs) in taken.iter().flat_map(|taken| &taken.from) {
            if from.is_some_and(|from| from != &**giver) {
                continue;
            }
            for (output, seen) in outputs {
                let path = self.tools.get(&**giver).and_then(|known| known.output(output));
                let path = path.map_or_else(|| output.clone(), |place| place.field.path.as_str().into());
                let pair = pairs.entry((giver.clone(), path)).or_default();
                match pair {
                    Some(own) => own.merge(seen),
                    None => *pair = Some(seen.clone()),
                }
            }
        }
        let mut found: Vec<Pair> = pairs
            .into_iter()
            .map(|((from, output), seen)| self.pair(to, input, taken.first().copied(), &from, &output, seen))
            .collect();
        found.sort_by(|a, b| {
            b.confidence
                .total_cmp(&a.confidence)
                .then_with(|| (&a.from, &a.output).cmp(&(&b.from, &b.output)))
        });
        found
    }

    fn pair(
        &self,
        to: &Known,
        input: &Place,
        taken: Option<&crate::seen::Taken>,
        from: &str,
        output: &str,
        seen: Option<Seen>,
    ) -> Pair {
        let giver = self.tools.get(from);
        let place = giver.and_then(|known| known.output(output));
        let last_at = seen.as_ref().map_or(0, |seen| seen.last_at);
        let lost = giver.is_none_or(|known| {
            let open = known.tool.open_since.is_some_and(|since| last_at >= since);
            let unknown = known.outputs.is_empty() || output.is_empty();
            place.is_none() && (known.tool.has_lost(output) || !(open || unknown))
        });
        // A field that no schema describes is judged by its path.
        let gone;
        let known = match giver {
            Some(known) => known,
            None => {
                gone = Arc::new(Known::new(Tool {
                    id: from.into(),
                    input: None,
                    output: None,
                    lost: Vec::new(),
                    open_since: None,
                    text: false,
                    read_only: false,
                    usable: false,
                }));
                &gone
            }
        };
        let bare;
        let place = match place {
            Some(place) => place,
            None => {
                let nouns = crate::words::tool_nouns(known.tool.name(), known.tool.server());
                bare = tool::place(schema::bare(output), &nouns);
                &bare
            }
        };
        let names = model::names(known, place, to, input);
        let logit = model::sum(&self.model.names, &names);
        let other_server = known.tool.server() != to.tool.server();
        let measures = match (&seen, taken) {
            (Some(seen), Some(taken)) => {
                model::seen(logit, &self.evidence, taken, from, output, seen, other_server).to_vec()
            }
            _ => model::unseen(logit, &self.evidence, taken, from, output).to_vec(),
        };
        let weights = if seen.is_some() { &self.model.seen } else { &self.model.unseen };
        let confidence = model::probability(model::sum(weights, &measures));
        let echo = self.evidence.echo(from, output).map_or(place.echo, |share| share >= 500);
        let how = seen.as_ref().and_then(Seen::main_form).unwrap_or_else(|| guess(place, input));
        Pair {
            from: from.into(),
            output: output.into(),
            how,
            confidence,
            echo,
            lost,
            usable: known.tool.usable,
            read_only: known.tool.read_only,
            seen,
            names: names.to_vec(),
            measures,
        }
    }

    /// Returns what can feed an input, best first.
    pub(crate) fn feeders(&mut self, to: &str, input: &str) -> Vec<Pair> {
        let Some(known) = self.tools.get(to).cloned() else { return Vec::new() };
        let number = known.inputs.iter().position(|place| place.field.path == input);
        number.map_or_else(Vec::new, |number| self.pairs_into(&known, number, None, 0.0))
    }

    /// Returns the edges that pass a filter, strongest first.
    pub fn edges(&mut self, filter: &Filter) -> Vec<Edge> {
        let mut edges: BTreeMap<(Box<str>, Box<str>), Vec<EdgeField>> = BTreeMap::new();
        let takers: BTreeSet<Arc<str>> = match &filter.to {
            Some(to) => [Arc::from(&**to)].into(),
            None => self.tools.keys().cloned().chain(self.evidence.takers().map(Arc::from)).collect(),
        };
        for to in takers {
            let Some(known) = self.tools.get(&to).cloned() else {
                for (pair, input) in edge::orphans(&self.evidence, &to) {
                    edges.entry((pair.0, (&*to).into())).or_default().push(input);
                }
                continue;
            };
            for (number, input) in known.inputs.iter().enumerate() {
                for pair in self.pairs_into(&known, number, filter.from.as_deref(), filter.min) {
                    let field = pair.field(&input.field.path);
                    edges.entry((pair.from, (&*to).into())).or_default().push(field);
                }
            }
            let lost: Vec<_> = edge::orphans(&self.evidence, &to)
                .into_iter()
                .filter(|(_, field)| known.input(&field.input).is_none())
                .collect();
            for ((from, _), field) in lost {
                edges.entry((from, (&*to).into())).or_default().push(field);
            }
        }
        let mut edges: Vec<Edge> = edges
            .into_iter()
            .filter_map(|((from, to), fields)| self.edge(from, to, fields, filter))
            .collect();
        edges.sort_by(|a, b| {
            b.confidence.total_cmp(&a.confidence).then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
        });
        edges
    }

    fn edge(
        &self,
        from: Box<str>,
        to: Box<str>,
        mut fields: Vec<EdgeField>,
        filter: &Filter,
    ) -> Option<Edge> {
        let on = |id: &str| {
            filter
                .server
                .as_ref()
                .is_none_or(|server| id.split_once("__").is_some_and(|(own, _)| own == &**server))
        };
        if filter.from.as_ref().is_some_and(|own| *own != from) || !(on(&from) || on(&to)) {
            return None;
        }
        let state = edge::state(&fields);
        // Fields that are gone do not say what an edge gives now.
        let counts = |field: &EdgeField| state == State::Broken || !field.broken;
        fields.sort_by(|a, b| {
            let (a_counts, b_counts) = (counts(a), counts(b));
            b_counts
                .cmp(&a_counts)
                .then(b.confidence.total_cmp(&a.confidence))
                .then_with(|| (&a.input, &a.output).cmp(&(&b.input, &b.output)))
        });
        let best = fields.first()?;
        let confidence = best.confidence;
        let echo = best.echo;
        let evidence = self.evidence.between(&from, &to).map(edge::Counts::of).unwrap_or_default();
        if (state != State::Broken && confidence < filter.min) || (filter.seen && evidence.flows == 0) {
            return None;
        }
        fields.retain(|field| field.confidence >= filter.min.min(confidence));
        let fed = |path: &str| fields.iter().any(|field| counts(field) && &*field.input == path);
        let required: Vec<&str> = self
            .tools
            .get(&*to)
            .map(|known| {
                let required = known.inputs.iter().filter(|input| input.field.required);
                required.map(|input| input.field.path.as_str()).collect()
            })
            .unwrap_or_default();
        let needs: Vec<Box<str>> =
            required.iter().filter(|path| !fed(path)).map(|path| (*path).into()).collect();
        let coverage = if required.is_empty() || needs.len() == required.len() {
            Coverage::Optional
        } else if needs.is_empty() {
            Coverage::Strict
        } else {
            Coverage::Partial
        };
        Some(Edge {
            from,
            to,
            coverage,
            confidence,
            state,
            echo,
            fields,
            needs,
            evidence,
            threatened_by: Vec::new(),
        })
    }

    /// Returns the measures behind the pairs of fields into a tool. Only the bench uses it, to fit the model.
    pub fn measures(&mut self, to: &str) -> Vec<Measured> {
        let Some(known) = self.tools.get(to).cloned() else { return Vec::new() };
        let mut measured = Vec::new();
        for (number, input) in known.inputs.iter().enumerate() {
            for pair in self.pairs_into(&known, number, None, 0.0) {
                measured.push(Measured {
                    from: pair.from,
                    output: pair.output,
                    to: to.into(),
                    input: input.field.path.as_str().into(),
                    seen: pair.seen.is_some(),
                    flows: pair.seen.as_ref().map_or(0, |seen| seen.flows),
                    confidence: pair.confidence,
                    names: pair.names,
                    measures: pair.measures,
                });
            }
        }
        measured
    }

    pub(crate) fn name_weights(&self) -> &[f64] {
        &self.model.names
    }
}

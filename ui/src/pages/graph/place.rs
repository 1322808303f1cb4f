//! What the address says about the page.

use schemascope_api::{Filter, GetGraph, PageId, Subject};

use crate::graph::scene::Request;
use crate::graph::walk::Selection;
use crate::route::Route;

/// Least confidence that is shown unless the address says otherwise.
pub const USUAL_MIN: f64 = 0.5;
/// Most hops.
pub const MAX_HOPS: u8 = 3;

/// What the address says.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Tool in the middle.
    pub focus: Option<String>,
    /// How many edges away from it a tool may be.
    pub hops: u8,
    /// Least confidence.
    pub min: f64,
    /// Tools whose neighbours are shown as well.
    pub open: Vec<String>,
    /// The selected edge: the tool that gives and the one that takes.
    pub edge: Option<(String, String)>,
    /// Whether the plan to the focus is shown.
    pub plan: bool,
    /// Names of fields at hand for the plan, and ids of tools whose results are there.
    pub have: Vec<String>,
    /// Filter.
    pub filter: String,
}

impl Place {
    /// Reads an address.
    pub fn of(route: &Route) -> Self {
        let all = |name: &str| -> Vec<String> {
            let own = route.params.iter().filter(|(known, _)| *known == name);
            own.map(|(_, value)| value.clone()).collect()
        };
        let one = |name: &str| all(name).into_iter().next();
        let min = one("min").and_then(|min| min.parse().ok()).filter(|min| (0.0..=1.0).contains(min));
        let hops = one("hops").and_then(|hops| hops.parse().ok()).unwrap_or(1);
        Self {
            focus: one("focus"),
            hops: hops.clamp(1, MAX_HOPS),
            min: min.unwrap_or(USUAL_MIN),
            open: all("open"),
            edge: one("from").zip(one("to")),
            plan: one("plan").is_some(),
            have: all("have"),
            filter: route.filter.clone(),
        }
    }

    /// The address.
    pub fn route(&self) -> Route {
        let mut params = Vec::new();
        params.extend(self.focus.clone().map(|focus| ("focus", focus)));
        if self.hops != 1 {
            params.push(("hops", self.hops.to_string()));
        }
        if (self.min - USUAL_MIN).abs() > f64::EPSILON {
            params.push(("min", self.min.to_string()));
        }
        params.extend(self.open.iter().map(|tool| ("open", tool.clone())));
        if let Some((from, to)) = &self.edge {
            params.extend([("from", from.clone()), ("to", to.clone())]);
        }
        if self.plan {
            params.push(("plan", "1".to_owned()));
            params.extend(self.have.iter().map(|name| ("have", name.clone())));
        }
        Route { params, ..Route::filtered(PageId::Graph, self.filter.clone()) }
    }

    /// The same page with another tool in the middle, or none.
    #[must_use]
    pub fn around(&self, focus: Option<String>) -> Self {
        Self { focus, open: Vec::new(), edge: None, plan: false, ..self.clone() }
    }

    /// The command that gets the data.
    pub fn command(&self) -> GetGraph {
        GetGraph {
            focus: self.focus.clone(),
            hops: self.focus.as_ref().map(|_| self.hops),
            expanded: self.open.clone(),
            min: Some(self.min),
            filter: self.filter.clone(),
            limit: None,
        }
    }

    /// What of the data is shown.
    pub fn request(&self, chain: Vec<(String, String)>) -> Request {
        Request {
            focus: self.focus.clone(),
            hops: usize::from(self.hops),
            open: self.open.clone(),
            filter: Filter::parse(&self.filter, Subject::Edges).unwrap_or_default(),
            chain,
        }
    }

    /// The selected edge.
    pub fn selection(&self) -> Option<Selection> {
        self.edge.clone().map(|(from, to)| Selection::Edge(from, to))
    }
}

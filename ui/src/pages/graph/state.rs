//! The state of the page: what was loaded, what is shown of it, and what is selected.

use std::sync::Arc;

use leptos::prelude::untrack;
use schemascope_api::{Edge, GraphView, ListEdges, PageId, PlanCalls, Plans};

use super::place::Place;
use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::graph::drawing::{Drawing, drawing};
use crate::graph::hit::Hit;
use crate::graph::overview::overview;
use crate::graph::plan::chain;
use crate::graph::scene::{MANY, Scene, scene};
use crate::graph::walk::Selection;
use crate::live::Connection;
use crate::{browser, door};

/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 600;

/// Data of the graph, and the place it was loaded for.
type Loaded = Option<Result<Arc<GraphView>, String>>;

/// The state of the page.
#[derive(Clone, Copy)]
pub struct State {
    /// The dashboard.
    pub app: App,
    /// What the address says.
    pub place: Memo<Place>,
    /// The data that is shown.
    pub shown: RwSignal<Loaded>,
    /// Newer data, held back while the pointer or the focus is in the picture or table.
    pub held: RwSignal<Option<Arc<GraphView>>>,
    /// Whether the pointer is in the picture or table.
    pub pointed: RwSignal<bool>,
    /// Whether the focus is in the picture or table.
    pub focused: RwSignal<bool>,
    /// What is shown of the data.
    pub scene: Memo<Arc<Scene>>,
    /// The picture; empty while the page asks whether to draw many tools.
    pub drawing: Memo<Arc<Drawing>>,
    /// Width of the area of the picture, divided by its height.
    pub ratio: RwSignal<f64>,
    /// Number of tools that the user agreed to draw.
    pub agreed: RwSignal<usize>,
    /// The selected tool. A selected edge is in the address.
    pub tool: RwSignal<Option<String>>,
    /// The tool from which the selected edge was reached.
    pub pivot: RwSignal<Option<String>>,
    /// What is under the pointer.
    pub hovered: RwSignal<Option<Hit>>,
    /// Plans to the focus.
    pub plans: RwSignal<Option<Result<Arc<Plans>, String>>>,
    /// Number of the plan that is shown.
    pub plan: RwSignal<usize>,
    /// Edges of the plan.
    chain: RwSignal<Arc<Vec<Edge>>>,
}

impl State {
    /// Loads the data and keeps it up to date while the page exists.
    pub fn follow() -> Self {
        let app = App::get();
        let place = Memo::new(move || app.route.with(Place::of));
        let shown = RwSignal::new(None);
        let chain: RwSignal<Arc<Vec<Edge>>> = RwSignal::default();
        let agreed = RwSignal::new(MANY);
        let scene = Memo::new(move || {
            shown.with(|shown: &Loaded| match shown {
                Some(Ok(view)) => Arc::new(shown_of(view, &place.get(), &chain.get())),
                _ => Arc::default(),
            })
        });
        let ratio = RwSignal::new(1.0);
        let drawing = Memo::new(move || {
            let (agreed, ratio) = (agreed.get(), ratio.get());
            scene.with(|scene| {
                if scene.tools.len() > agreed { Arc::default() } else { Arc::new(picture(scene, ratio)) }
            })
        });
        let state = Self {
            app,
            place,
            shown,
            held: RwSignal::new(None),
            pointed: RwSignal::new(false),
            focused: RwSignal::new(false),
            scene,
            drawing,
            ratio,
            agreed,
            tool: RwSignal::new(None),
            pivot: RwSignal::new(None),
            hovered: RwSignal::new(None),
            plans: RwSignal::new(None),
            plan: RwSignal::new(0),
            chain,
        };
        state.load();
        state.release();
        state.load_plans();
        state.forget_with_focus();
        state
    }

    /// Whether this page is still open. Its memos are gone afterwards.
    fn is_open(self) -> bool {
        self.held.try_with_untracked(|_| ()).is_some()
            && self.app.route.with_untracked(|route| route.page == Some(PageId::Graph))
    }

    fn load(self) {
        let busy = StoredValue::new(false);
        let wanted = StoredValue::new(false);
        let again = RwSignal::new(0_u32);
        let asked = StoredValue::new(None::<Place>);
        effect(move || {
            again.track();
            self.app.live.calls(|_| ());
            self.app.live.tools(|_| ());
            self.app.live.snapshots.track();
            self.app.decided.track();
            let place = self.place.get();
            if self.app.live.connection.get() != Connection::Live {
                return;
            }
            if busy.get_value() {
                wanted.set_value(true);
                return;
            }
            busy.set_value(true);
            wanted.set_value(false);
            let is_new =
                asked.with_value(|asked| asked.as_ref().map(Place::command_key) != Some(place.command_key()));
            asked.set_value(Some(place.clone()));
            leptos::task::spawn_local(async move {
                let began = browser::now();
                let reply = door::call(&place.command()).await;
                if self.is_open() {
                    self.take(reply.map(Arc::new).map_err(|error| error.to_string()), is_new);
                }
                // Large graphs are asked for less often. A change of the address need not wait.
                let took = i32::try_from(browser::now().saturating_sub(began)).unwrap_or(i32::MAX / 8);
                let mut rest = UPDATE_INTERVAL_MS.max(took.saturating_mul(6)).min(5_000);
                while rest > 0
                    && self.is_open()
                    && self.place.with_untracked(|now| now.command_key() == place.command_key())
                {
                    browser::sleep(rest.min(60)).await;
                    rest -= 60;
                }
                busy.update_value(|busy| *busy = false);
                if wanted.try_with_value(Clone::clone) == Some(true) {
                    again.update(|again| *again += 1);
                }
            });
        });
    }

    /// Shows a reply, or holds it back while it would move what is under the pointer or focus.
    fn take(self, reply: Result<Arc<GraphView>, String>, is_new: bool) {
        let view = match reply {
            Ok(view) => view,
            // The known data stay while the engine does not respond.
            Err(_) if !is_new => return,
            Err(error) => return self.shown.set(Some(Err(error))),
        };
        let known = self.shown.with_untracked(|shown| match shown {
            Some(Ok(known)) => Some(Arc::clone(known)),
            _ => None,
        });
        let Some(known) = known.filter(|_| !is_new) else {
            self.held.set(None);
            return self.shown.set(Some(Ok(view)));
        };
        if known == view {
            return self.held.set(None);
        }
        let is_in_use = self.pointed.get_untracked() || self.focused.get_untracked();
        if is_in_use && self.moves(&view) {
            return self.held.set(Some(view));
        }
        self.held.set(None);
        self.shown.set(Some(Ok(view)));
    }

    /// Whether new data would move a tool or a row of the table.
    fn moves(self, view: &GraphView) -> bool {
        let next = self
            .place
            .with_untracked(|place| self.chain.with_untracked(|chain| shown_of(view, place, chain)));
        let (agreed, ratio) = (self.agreed.get_untracked(), self.ratio.get_untracked());
        self.scene.with_untracked(|known| {
            let ends = |scene: &Scene| -> Vec<(String, String)> {
                scene
                    .edges
                    .iter()
                    .map(|edge| (edge.edge.from.to_string(), edge.edge.to.to_string()))
                    .collect()
            };
            ends(known) != ends(&next)
                || (next.tools.len() <= agreed
                    && self.drawing.with_untracked(|drawing| !drawing.is_level_with(&picture(&next, ratio))))
        })
    }

    /// Shows what was held back once nothing is in use.
    fn release(self) {
        effect(move || {
            if !self.pointed.get() && !self.focused.get() {
                self.update();
            }
        });
    }

    /// Shows what was held back.
    pub fn update(self) {
        if let Some(view) = self.held.get_untracked() {
            self.held.set(None);
            self.shown.set(Some(Ok(view)));
        }
    }

    fn load_plans(self) {
        let wanted = Memo::new(move || {
            let with_have = |place: &Place| Some((place.focus.clone()?, place.have.clone()));
            self.place.with(|place| with_have(place).filter(|_| place.plan))
        });
        effect(move || {
            self.app.decided.track();
            self.plan.set(0);
            self.plans.set(None);
            self.chain.set(Arc::default());
            let Some((to, have)) = wanted.get() else { return };
            leptos::task::spawn_local(async move {
                let command = PlanCalls { to: to.clone(), have: have.clone(), ..PlanCalls::default() };
                let reply = door::call(&command).await;
                if self.is_open() && wanted.get_untracked() == Some((to, have)) {
                    self.plans.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
                }
            });
        });
        effect(move || {
            let pairs = self.lit_chain();
            if pairs.is_empty() {
                return self.chain.set(Arc::default());
            }
            leptos::task::spawn_local(async move {
                let mut edges = Vec::new();
                for (from, to) in pairs.clone() {
                    let command =
                        ListEdges { from: Some(from), to: Some(to), min: Some(0.0), ..ListEdges::default() };
                    edges.extend(door::call(&command).await.unwrap_or_default());
                }
                // Another plan may be shown by now.
                if self.is_open() && untrack(|| self.lit_chain()) == pairs {
                    self.chain.set(Arc::new(edges));
                }
            });
        });
    }

    /// The edges of the plan that is shown: giver and taker.
    pub fn lit_chain(self) -> Vec<(String, String)> {
        let at = self.plan.get();
        self.plans.with(|plans| match plans {
            Some(Ok(plans)) => plans.plans.get(at).map(chain).unwrap_or_default(),
            _ => Vec::new(),
        })
    }

    fn forget_with_focus(self) {
        let focus = Memo::new(move || self.place.with(|place| place.focus.clone()));
        let edge = Memo::new(move || self.place.with(|place| place.edge.clone()));
        effect(move || {
            if edge.get().is_some() {
                self.tool.set(None);
            }
        });
        effect(move || {
            focus.get();
            self.agreed.set(MANY);
            self.tool.set(None);
            self.pivot.set(None);
            self.hovered.set(None);
        });
    }

    /// What is selected.
    pub fn selection(self) -> Option<Selection> {
        match self.tool.get() {
            Some(tool) => Some(Selection::Tool(tool)),
            None => self.place.with(Place::selection),
        }
    }

    /// Selects a tool, an edge, or nothing.
    pub fn select(self, selection: Option<Selection>) {
        match selection {
            Some(Selection::Tool(tool)) => {
                self.pivot.set(Some(tool.clone()));
                self.tool.set(Some(tool));
                self.change(|place| place.edge = None);
            }
            Some(Selection::Edge(from, to)) => {
                self.tool.set(None);
                self.change(|place| place.edge = Some((from, to)));
            }
            None => {
                self.tool.set(None);
                self.change(|place| place.edge = None);
            }
        }
    }

    /// Changes the address in place of the current one.
    pub fn change(self, change: impl FnOnce(&mut Place)) {
        let mut place = self.place.get_untracked();
        change(&mut place);
        self.app.replace(place.route());
    }

    /// Puts a tool in the middle, or none; "back" returns.
    pub fn focus(self, tool: Option<String>) {
        self.app.go(self.place.get_untracked().around(tool).route());
    }

    /// Opens the next hop of a tool, or closes it.
    pub fn toggle(self, tool: &str) {
        self.change(|place| {
            let known = place.open.len();
            place.open.retain(|open| open != tool);
            if place.open.len() == known {
                place.open.push(tool.to_owned());
            }
        });
    }
}

impl Place {
    /// What the data depend on.
    pub fn command_key(&self) -> (Option<String>, u8, u64, Vec<String>, Option<String>) {
        // Around a tool, all edges are loaded.
        let filter = self.filter.clone();
        let filter = self.focus.is_none().then_some(filter);
        (self.focus.clone(), self.hops, self.min.to_bits(), self.open.clone(), filter)
    }
}

/// What is shown of the data, with the edges of the plan.
fn shown_of(view: &GraphView, place: &Place, chain: &[Edge]) -> Scene {
    let pairs = chain.iter().map(|edge| (edge.from.to_string(), edge.to.to_string())).collect();
    let request = place.request(pairs);
    if chain.is_empty() {
        return scene(view, &request);
    }
    let mut view = view.clone();
    view.edges.extend(chain.iter().cloned());
    scene(&view, &request)
}

fn picture(scene: &Scene, ratio: f64) -> Drawing {
    if scene.focus.is_some() { drawing(scene) } else { overview(scene, ratio) }
}

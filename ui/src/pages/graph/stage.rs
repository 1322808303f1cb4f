//! The picture: pointer, keyboard, zoom, and what is said about the edge under the pointer.

use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html::Div;
use leptos::prelude::*;
use schemascope_api::ToolRow;

use super::shapes;
use super::state::State;
use super::tip::{Legend, tip};
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::graph::drawing::Drawing;
use crate::graph::hit::{Hit, hit};
use crate::graph::lit::{Lit, lit};
use crate::graph::route::Point;
use crate::graph::scene::Scene;
use crate::graph::tokens::with_token;
use crate::graph::walk::{Selection, Step, walk};
use crate::numbers::count;
use crate::parts::{Empty, Views, on_resize};

/// Smallest and largest scale.
const SCALES: (f64, f64) = (0.3, 2.5);
/// Smallest scale that is chosen to make the picture fit.
const LEAST_FIT: f64 = 0.62;

#[component]
pub fn Stage(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let canvas: NodeRef<Div> = NodeRef::new();
    let room = RwSignal::new((0.0_f64, 0.0_f64));
    let unit = RwSignal::new(1.0_f64);
    on_resize(canvas, move |element| {
        let (width, height) = (f64::from(element.client_width()), f64::from(element.client_height()));
        room.set((width, height));
        // In steps, so that tools keep their places when the window changes a little.
        state.ratio.set((width / height.max(1.0) * 4.0).round().clamp(2.0, 10.0) / 4.0);
        unit.set(browser::token_px("--u").unwrap_or(1.0));
    });
    // A scale that the user chose; else the picture fits, as far as it stays legible.
    let chosen = RwSignal::new(None::<f64>);
    let size = Memo::new(move || state.drawing.with(|drawing| (drawing.width, drawing.height)));
    let scale = Memo::new(move || {
        let ((width, height), (room_x, room_y)) = (size.get(), room.get());
        let fit = (room_x / width.max(1.0)).min(room_y / height.max(1.0)).min(1.0);
        let by_width = (room_x / width.max(1.0)).min(1.0);
        let fit = if fit >= LEAST_FIT { fit } else { by_width.max(LEAST_FIT) };
        chosen.get().unwrap_or(fit * unit.get())
    });
    let resize = move |by: f64| chosen.set(Some((scale.get_untracked() * by).clamp(SCALES.0, SCALES.1)));
    // What is under the pointer stays there.
    let zoom = move |event: &WheelEvent, by: f64| {
        let before = scale.get_untracked();
        resize(by);
        let grown = scale.get_untracked() / before - 1.0;
        let (x, y) = (f64::from(event.offset_x()) * grown, f64::from(event.offset_y()) * grown);
        let Some(element) = canvas.get_untracked() else { return };
        leptos::task::spawn_local(async move {
            // After the picture has its size.
            browser::sleep(0).await;
            element.set_scroll_left(element.scroll_left() + x as i32);
            element.set_scroll_top(element.scroll_top() + y as i32);
        });
    };
    show_focus(state, canvas, room, scale, chosen);
    let many = Memo::new(move || {
        let agreed = state.agreed.get();
        state.scene.with(|scene| Some(scene.tools.len()).filter(|tools| *tools > agreed))
    });
    let nothing =
        Memo::new(move || state.scene.with(|scene| scene.focus.is_some() && scene.edges.is_empty()));
    let label = move || {
        state.scene.with(|scene| {
            format!(
                "Picture of {} tools and {} edges. Arrow keys walk along edges, Enter puts a tool in the middle. \
                 The table has the same content.",
                scene.tools.len(),
                scene.edges.len()
            )
        })
    };
    // Steps of quality are drawn at the tools.
    let qualities = Memo::new(move || {
        state.scene.with(|scene| {
            state.app.live.tools(|tools| {
                let of = |row: &Arc<ToolRow>| (row.quality, row.violated);
                scene.tools.iter().map(|tool| tools.get(&*tool.id).map(of)).collect::<Vec<_>>()
            })
        })
    });
    let base = move || {
        qualities.with(|_| ());
        state.drawing.with(|drawing| {
            state.scene.with(|scene| {
                view! {
                    <g>
                        {drawing.frames.iter().map(shapes::frame).views()}
                        {drawing.bundles.iter().map(|bundle| shapes::bundle(scene, bundle)).views()}
                        {drawing.wires.iter().map(|wire| shapes::wire(scene, wire)).views()}
                        {shapes::nodes(state, scene, drawing)}
                    </g>
                }
                .into_any()
            })
        })
    };
    let shown = Memo::new(move || {
        let (hovered, selection, chain) = (state.hovered.get(), state.selection(), state.lit_chain());
        let drawing = state.drawing.get();
        state.scene.with(|scene| Arc::new(lit(scene, &drawing, hovered, selection.as_ref(), &chain)))
    });
    let with_lit = move |draw: fn(&Scene, &Drawing, &Lit) -> AnyView| {
        shown.with(|lit| {
            state.drawing.with_untracked(|drawing| {
                state.scene.with(|scene| {
                    let is_known = lit.lines.iter().all(|line| line.edge < scene.edges.len());
                    if is_known { draw(scene, drawing, lit) } else { ().into_any() }
                })
            })
        })
    };
    let labels = move || {
        state.drawing.with(|drawing| {
            state
                .scene
                .with(|scene| drawing.wires.iter().filter_map(|wire| shapes::label(scene, wire)).views())
        })
    };
    keep_in_sight(state, canvas, scale);
    let pixels = move |length: f64| format!("{:.0}px", length * scale.get());
    let pointer = Pointer::new(state, canvas, scale);
    view! {
        <section class="card stage" aria-label="Picture">
            <div class="canvas" node_ref=canvas tabindex="0" role="group" aria-label=label
                on:keydown=move |event: KeyboardEvent| step(state, &event)
                on:wheel=move |event: WheelEvent| if event.ctrl_key() {
                    event.prevent_default();
                    zoom(&event, if event.delta_y() < 0.0 { 1.12 } else { 1.0 / 1.12 });
                }>
                {move || many.get().map(|tools| ask(state, tools))}
                {move || nothing.get().then(|| view! {
                    <Empty icon="waypoints" title="No edges of this tool pass the filter">
                        <p>"Lower the confidence, or clear the filter."</p>
                    </Empty>
                }.into_any())}
                <div class="sheet" class:absent=move || many.get().is_some() || nothing.get()
                    style:width=move || pixels(size.get().0) style:height=move || pixels(size.get().1)>
                    <svg aria-hidden="true" class:hand=move || state.hovered.with(Option::is_some)
                        viewBox=move || format!("0 0 {:.0} {:.0}", size.get().0.max(1.0), size.get().1.max(1.0))
                        on:pointerdown=move |event| pointer.down(&event)
                        on:pointermove=move |event| pointer.moved(&event)
                        on:pointerup=move |event| pointer.up(&event)
                        on:pointercancel=move |_| pointer.leave()
                        on:pointerleave=move |_| pointer.leave()>
                        {shapes::markers()}
                        <g class="base" class:quiet=move || shown.with(|lit| !lit.lines.is_empty())>{base}</g>
                        <g class="over">{move || with_lit(shapes::lit)}</g>
                        <g class="labels" class:quiet=move || shown.with(|lit| !lit.lines.is_empty())>{labels}</g>
                        <g class="over">{move || with_lit(shapes::lit_labels)}</g>
                    </svg>
                    {move || tip(state, &shown.get(), scale.get())}
                </div>
            </div>
            <Legend />
            <div class="zoom" role="group" aria-label="Size of the picture">
                <button class="button bare small" aria-label="Smaller" title="Smaller" on:click=click(move |_| resize(1.0 / 1.25))>"−"</button>
                <button class="button bare small" title="Fit into the window" on:click=click(move |_| chosen.set(None))>
                    {move || format!("{:.0} %", scale.get() / unit.get() * 100.0)}
                </button>
                <button class="button bare small" aria-label="Larger" title="Larger" on:click=click(move |_| resize(1.25))>"+"</button>
            </div>
        </section>
    }
}

/// Scrolls to what is selected.
fn keep_in_sight(state: State, canvas: NodeRef<Div>, scale: Memo<f64>) {
    effect(move || {
        let Some(selection) = state.selection() else { return };
        let (scene, drawing) = (state.scene.get_untracked(), state.drawing.get_untracked());
        let at = match &selection {
            Selection::Tool(id) => {
                let tool = scene.tool(id);
                let node = drawing.nodes.iter().find(|node| Some(node.tool) == tool);
                node.map(|node| Point {
                    x: node.rect.x + node.rect.width / 2.0,
                    y: node.rect.y + node.rect.height / 2.0,
                })
            }
            Selection::Edge(from, to) => {
                let edge = scene.edge(from, to);
                drawing.wires.iter().find(|wire| Some(wire.edge) == edge).map(|wire| wire.curve.at(0.5))
            }
        };
        let (Some(at), Some(element)) = (at, canvas.get_untracked()) else { return };
        let (x, y) = ((at.x * scale.get_untracked()) as i32, (at.y * scale.get_untracked()) as i32);
        let (width, height) = (element.client_width(), element.client_height());
        let is_outside = |at: i32, first: i32, room: i32| at < first + 40 || at > first + room - 40;
        if is_outside(x, element.scroll_left(), width) {
            element.set_scroll_left(x - width / 2);
        }
        if is_outside(y, element.scroll_top(), height) {
            element.set_scroll_top(y - height / 2);
        }
    });
}

/// Scrolls to the tool in the middle when another one is there.
fn show_focus(
    state: State,
    canvas: NodeRef<Div>,
    room: RwSignal<(f64, f64)>,
    scale: Memo<f64>,
    chosen: RwSignal<Option<f64>>,
) {
    let seen = StoredValue::new(None::<Option<String>>);
    effect(move || {
        let drawing = state.drawing.get();
        let scale = scale.get();
        let focus = state.place.with_untracked(|place| place.focus.clone());
        let Some(element) = canvas.get() else { return };
        // Without room, the scale is not that of the picture yet.
        let has_room = room.with(|(width, _)| *width > 0.0);
        if drawing.nodes.is_empty() || !has_room || seen.with_value(|seen| seen.as_ref() == Some(&focus)) {
            return;
        }
        seen.set_value(Some(focus));
        chosen.set(None);
        let middle = state.scene.with_untracked(|scene| scene.focus);
        let rect = drawing.nodes.iter().find(|node| Some(node.tool) == middle).map(|node| node.rect);
        leptos::task::spawn_local(async move {
            // After the picture has its size.
            browser::sleep(0).await;
            let (x, y) = rect.map_or((0.0, 0.0), |rect| {
                let half = |length: i32| f64::from(length) / 2.0;
                (
                    (rect.x + rect.width / 2.0) * scale - half(element.client_width()),
                    (rect.y + rect.height / 2.0) * scale - half(element.client_height()),
                )
            });
            element.set_scroll_left(x as i32);
            element.set_scroll_top(y as i32);
        });
    });
}

fn ask(state: State, tools: usize) -> AnyView {
    let can_close = Memo::new(move || state.place.with(|place| !place.open.is_empty() || place.hops > 1));
    view! {
        <Empty icon="waypoints" title=format!("This picture would have {} tools", count(tools as u64))>
            <p>"A smaller picture says more: raise the confidence, or filter. The table lists every edge."</p>
            <p class="answers">
                <button class="button" id="draw-many" on:click=click(move |_| state.agreed.set(tools))>{format!("Draw {} tools", count(tools as u64))}</button>
                {move || can_close.get().then(|| view! {
                    <button class="button" on:click=click(move |_| state.change(|place| {
                        if place.open.pop().is_none() {
                            place.hops = 1;
                        }
                    }))>"Go back"</button>
                }.into_any())}
            </p>
        </Empty>
    }
    .into_any()
}

/// The arrow keys walk through the picture.
fn step(state: State, event: &KeyboardEvent) {
    let step = match event.key().as_str() {
        "ArrowLeft" => Step::Left,
        "ArrowRight" => Step::Right,
        "ArrowUp" => Step::Up,
        "ArrowDown" => Step::Down,
        _ => return,
    };
    event.prevent_default();
    let (from, pivot) = untrack(|| (state.selection(), state.pivot.get()));
    let next = state.scene.with_untracked(|scene| {
        state.drawing.with_untracked(|drawing| walk(scene, drawing, from.as_ref(), pivot.as_deref(), step))
    });
    if next.is_some() {
        state.select(next);
    }
}

/// The pointer: what is under it, and whether it drags the picture.
#[derive(Clone, Copy)]
struct Pointer {
    state: State,
    canvas: NodeRef<Div>,
    scale: Memo<f64>,
    /// Where the pointer was pressed, the scroll offsets then, and whether it moved since.
    pressed: StoredValue<Option<Pressed>>,
}

/// Where the pointer was pressed, the scroll offsets then, and whether it moved since.
type Pressed = (f64, f64, i32, i32, bool);

impl Pointer {
    fn new(state: State, canvas: NodeRef<Div>, scale: Memo<f64>) -> Self {
        Self { state, canvas, scale, pressed: StoredValue::new(None) }
    }

    fn under(self, event: &PointerEvent) -> Option<Hit> {
        let scale = self.scale.get_untracked();
        let at = Point { x: f64::from(event.offset_x()) / scale, y: f64::from(event.offset_y()) / scale };
        self.state.drawing.with_untracked(|drawing| hit(drawing, at))
    }

    fn down(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if let Some(element) = self.canvas.get_untracked() {
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            self.pressed.set_value(Some((at.0, at.1, element.scroll_left(), element.scroll_top(), false)));
        }
    }

    fn moved(self, event: &PointerEvent) {
        if let Some((x, y, left, top, moved)) = self.pressed.get_value() {
            let (dx, dy) = (f64::from(event.client_x()) - x, f64::from(event.client_y()) - y);
            if moved || dx.hypot(dy) > 4.0 {
                self.pressed.set_value(Some((x, y, left, top, true)));
                if let Some(element) = self.canvas.get_untracked() {
                    element.set_scroll_left(left - dx as i32);
                    element.set_scroll_top(top - dy as i32);
                }
                return;
            }
        }
        let under = self.under(event);
        if self.state.hovered.get_untracked() != under {
            self.state.hovered.set(under);
        }
    }

    fn up(self, event: &PointerEvent) {
        let was_moved = self.pressed.get_value().is_none_or(|(.., moved)| moved);
        self.pressed.set_value(None);
        if !was_moved {
            act(self.state, self.under(event));
        }
    }

    fn leave(self) {
        self.pressed.set_value(None);
        self.state.hovered.set(None);
    }
}

/// What a click does. A second click on a tool puts it in the middle.
fn act(state: State, under: Option<Hit>) {
    let (scene, drawing) = (state.scene.get_untracked(), state.drawing.get_untracked());
    let tool = |node: usize| drawing.nodes.get(node).map(|node| scene.tools[node.tool].id.to_string());
    match under {
        Some(Hit::Handle(node)) => tool(node).into_iter().for_each(|id| state.toggle(&id)),
        Some(Hit::Node(node)) => {
            let Some(id) = tool(node) else { return };
            let is_selected = untrack(|| state.selection()) == Some(Selection::Tool(id.clone()));
            let is_focus = state.place.with_untracked(|place| place.focus.as_ref() == Some(&id));
            if (is_selected || scene.focus.is_none()) && !is_focus {
                state.focus(Some(id));
            } else {
                state.select(Some(Selection::Tool(id)));
            }
        }
        Some(Hit::Wire(wire)) => {
            let edge = drawing.wires.get(wire).map(|wire| &scene.edges[wire.edge].edge);
            state.select(edge.map(|edge| Selection::Edge(edge.from.to_string(), edge.to.to_string())));
        }
        Some(Hit::Frame(frame)) => {
            if let Some(frame) = drawing.frames.get(frame) {
                state.change(|place| place.filter = with_token(&place.filter, "server", Some(&frame.name)));
            }
        }
        Some(Hit::Bundle(_)) | None => state.select(None),
    }
}

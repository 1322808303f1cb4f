//! A place for a chart, which draws it again when its size changes.

use leptos::html::Div;
use leptos::prelude::*;
use schemascope_figures::charts::{Calendar, Size};

use crate::browser;
use crate::cells::{Memo, RwSignal};
use crate::parts::on_resize;

/// Times in the user's time zone.
pub const LOCAL: Calendar = Calendar { clock: browser::clock, day: browser::day };

/// A chart that is drawn again when its size changes. The stylesheet sets its height.
#[component]
pub fn Chart(
    /// Description for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// Draws it in a size.
    draw: Callback<Size, String>,
) -> impl IntoView {
    let place: NodeRef<Div> = NodeRef::new();
    let size = RwSignal::new(Size::default());
    on_resize(place, move |element| {
        let pixels = |length: i32| length.max(0) as u32;
        size.set(Size {
            width: pixels(element.client_width()),
            height: pixels(element.client_height()),
            label: browser::token_px("--text-xs").map_or(11, |size| size.round() as u32),
        });
    });
    let svg = Memo::new(move || match size.get() {
        Size { width: 0..80, .. } | Size { height: 0..60, .. } => String::new(),
        size => draw.run(size),
    });
    view! {
        <div class="chart" node_ref=place role="img" aria-label=label inner_html=move || svg.get()></div>
    }
}

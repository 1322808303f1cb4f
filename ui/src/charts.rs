//! Charts, drawn by plotters as SVG.
//!
//! Colours are roles: `#010101` to `#090909` stand for tokens, and the stylesheet gives them their colour,
//! so that a change of theme needs no drawing. Only numbers and our own words go in, never text of
//! others. Owns: scales and shapes. Refuses to know: pages.

use std::ops::Range;

use leptos::html::Div;
use leptos::prelude::*;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use schemascope_api::{CoveragePoint, HistoryPoint};

use crate::cells::{Memo, RwSignal};
use crate::parts::on_resize;
use crate::{browser, numbers};

const LINE: RGBColor = RGBColor(1, 1, 1);
const FAINT: RGBColor = RGBColor(2, 2, 2);
const UNSEEN: RGBColor = RGBColor(3, 3, 3);
const LEARNING: RGBColor = RGBColor(4, 4, 4);
const LEARNED: RGBColor = RGBColor(5, 5, 5);
const DECLARED: RGBColor = RGBColor(6, 6, 6);
const WARN: RGBColor = RGBColor(7, 7, 7);
const ACCENT: RGBColor = RGBColor(8, 8, 8);
const LOWEST: RGBColor = RGBColor(9, 9, 9);

/// Room for a chart, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// How wide.
    pub width: u32,
    /// How high.
    pub height: u32,
    /// Size of the labels.
    pub label: u32,
}

/// A chart in its place, drawn anew when the place changes its size. The style says how high it is.
#[component]
pub fn Chart(
    /// What it shows, in words.
    #[prop(into)]
    label: Signal<String>,
    /// Draws it in some room.
    draw: Callback<Room, String>,
) -> impl IntoView {
    let place: NodeRef<Div> = NodeRef::new();
    let room = RwSignal::new(Room::default());
    on_resize(place, move |element| {
        let pixels = |length: i32| length.max(0) as u32;
        room.set(Room {
            width: pixels(element.client_width()),
            height: pixels(element.client_height()),
            label: browser::token_px("--text-xs").map_or(11, |size| size.round() as u32),
        });
    });
    let svg = Memo::new(move || match room.get() {
        Room { width: 0..80, .. } | Room { height: 0..60, .. } => String::new(),
        room => draw.run(room),
    });
    view! {
        <div class="chart" node_ref=place role="img" aria-label=label inner_html=move || svg.get()></div>
    }
}

/// Either kind of axis as one type, so that the code of charts is made once.
enum Axis {
    Even(RangedCoordf64),
    Log(LogCoord<f64>),
}

impl Axis {
    fn even(range: Range<f64>) -> Self {
        Self::Even(range.into())
    }

    fn log(range: Range<f64>) -> Self {
        Self::Log(range.log_scale().into())
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        match self {
            Self::Even(axis) => axis.map(value, limit),
            Self::Log(axis) => axis.map(value, limit),
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self {
            Self::Even(axis) => axis.key_points(hint),
            Self::Log(axis) => axis.key_points(hint),
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Self::Even(axis) => axis.range(),
            Self::Log(axis) => axis.range(),
        }
    }
}

/// What a backend can fail with, here: nothing; it writes to memory.
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn svg(
    room: Room,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Drawn,
) -> String {
    let mut out = String::new();
    {
        let area = SVGBackend::with_string(&mut out, (room.width, room.height)).into_drawing_area();
        if draw(&area).and_then(|()| Ok(area.present()?)).is_err() {
            return String::new();
        }
    }
    out
}

/// An area's colour, and how high it reaches at a point.
type Edge = (RGBColor, fn(&CoveragePoint) -> u64);

/// How many tools stood where: areas upon each other.
pub fn coverage(points: &[CoveragePoint], room: Room) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let (from, to) = (first.at.as_millis() as f64, last.at.as_millis() as f64);
    let most = points.iter().map(|point| point.tools.total()).max().unwrap_or(0).max(1);
    svg(room, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(6)
            .margin_right(2)
            .x_label_area_size(room.label * 2)
            .y_label_area_size(room.label * 3)
            .build_cartesian_2d(Axis::even(from..to.max(from + 1.0)), Axis::even(0.0..most as f64))?;
        let label = ("sans-serif", room.label).into_font().color(&FAINT);
        let one_day = to - from < 86_400_000.0;
        let time = |at: &f64| match (one_day, to - from < 600_000.0) {
            (true, true) => browser::clock(*at as u64),
            (true, false) => browser::clock(*at as u64)[..5].to_owned(),
            _ => browser::day(*at as u64)[5..].to_owned(),
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_labels((room.width as usize / 110).clamp(2, 8))
            .y_labels(4)
            .x_label_style(label.clone())
            .y_label_style(label)
            .x_label_formatter(&time)
            .y_label_formatter(&|tools| format!("{tools:.0}"))
            .draw()?;
        // From the highest edge to the lowest, each over the one before.
        let edges: [Edge; 5] = [
            (UNSEEN, |p| p.tools.total()),
            (LEARNING, |p| p.tools.reliable() + p.tools.violated + p.tools.learning),
            (WARN, |p| p.tools.reliable() + p.tools.violated),
            (LEARNED, |p| p.tools.reliable()),
            (DECLARED, |p| p.tools.declared),
        ];
        for (colour, edge) in edges {
            let mut steps: Vec<(f64, f64)> = Vec::with_capacity(points.len() * 2);
            for point in points {
                let (x, y) = (point.at.as_millis() as f64, edge(point) as f64);
                // A count changes at once, not along a slope.
                if let Some((_, before)) = steps.last().copied()
                    && (before - y).abs() > 1e-9
                {
                    steps.push((x, before));
                }
                steps.push((x, y));
            }
            if steps.iter().any(|(_, y)| *y > 0.0) {
                chart.draw_series(AreaSeries::new(steps, 0.0, colour))?;
            }
        }
        Ok(())
    })
}

/// Mean consistency and the lowest field over observations, the first of them wide.
pub fn quality(points: &[HistoryPoint], room: Room) -> String {
    let Some(last) = points.last() else { return String::new() };
    let most = (last.observations as f64).max(10.0);
    let floor = points.iter().map(|point| point.lowest).fold(1.0, f64::min);
    let bottom = if floor >= 0.5 { 0.5 } else { 0.0 };
    svg(room, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(8)
            .margin_right(10)
            .x_label_area_size(room.label * 2)
            .y_label_area_size(room.label * 3)
            .build_cartesian_2d(Axis::log(1.0..most * 1.02), Axis::even(bottom..1.02))?;
        let label = ("sans-serif", room.label).into_font().color(&FAINT);
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(LINE)
            .x_labels((room.width as usize / 90).clamp(2, 6))
            .y_labels(5)
            .x_label_style(label.clone())
            .y_label_style(label)
            .x_label_formatter(&|n| numbers::count(n.round() as u64))
            .y_label_formatter(&|share| format!("{share:.1}"))
            .draw()?;
        // What high quality asks for.
        chart.draw_series(LineSeries::new([(1.0, 0.8), (most * 1.02, 0.8)], LINE))?;
        let line = |of: fn(&HistoryPoint) -> f64| -> Vec<(f64, f64)> {
            points.iter().map(|point| (point.observations as f64, of(point))).collect()
        };
        chart.draw_series(LineSeries::new(line(|point| point.lowest), LOWEST.stroke_width(1)))?;
        chart.draw_series(LineSeries::new(line(|point| point.mean), ACCENT.stroke_width(2)))?;
        chart.draw_series([Circle::new((last.observations as f64, last.mean), 3, ACCENT.filled())])?;
        Ok(())
    })
}

//! Charts, drawn by plotters as SVG.
//!
//! Colours are roles: the stylesheet gives `#010101` to `#0B0B0B` their colour, so that a change of theme needs
//! no drawing. Charts contain numbers and our own words only, never text from servers.

use std::ops::Range;

use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use schemascope_api::{CoveragePoint, HistoryPoint};

use crate::numbers;

const LINE: RGBColor = RGBColor(1, 1, 1);
const FAINT: RGBColor = RGBColor(2, 2, 2);
const UNSEEN: RGBColor = RGBColor(3, 3, 3);
const LEARNING: RGBColor = RGBColor(4, 4, 4);
const LEARNED: RGBColor = RGBColor(5, 5, 5);
const DECLARED: RGBColor = RGBColor(6, 6, 6);
const WARN: RGBColor = RGBColor(7, 7, 7);
const ACCENT: RGBColor = RGBColor(8, 8, 8);
const LOWEST: RGBColor = RGBColor(9, 9, 9);
const UNPROVEN: RGBColor = RGBColor(10, 10, 10);
const TEXT: RGBColor = RGBColor(11, 11, 11);

const SECOND: f64 = 1e3;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
/// Distances between the labels of a time axis, in milliseconds.
const STEPS: &[f64] = &[
    SECOND,
    5.0 * SECOND,
    15.0 * SECOND,
    30.0 * SECOND,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    7.0 * DAY,
    14.0 * DAY,
    30.0 * DAY,
    90.0 * DAY,
    365.0 * DAY,
];

/// Size of a chart, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Text size of the labels.
    pub label: u32,
}

/// How a moment, in milliseconds since 1970, is written.
#[derive(Debug, Clone, Copy)]
pub struct Calendar {
    /// Time of day: `14:03:27`.
    pub clock: fn(u64) -> String,
    /// Date: `2026-11-20`.
    pub day: fn(u64) -> String,
}

/// Kind of a mark in the chart of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A version was created.
    Version,
    /// Someone, the overrides file or a policy decided.
    Decision,
    /// Results changed.
    Drift,
}

/// An event in the history of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Number of results at the time.
    pub results: u64,
    /// What happened.
    pub kind: MarkKind,
    /// Label in the chart.
    pub label: String,
}

/// Either kind of axis in one type, so that the code of charts is compiled once.
enum Axis {
    Even(RangedCoordf64),
    /// Milliseconds since 1970.
    Time(RangedCoordf64),
    Log(LogCoord<f64>),
}

impl Axis {
    fn even(range: Range<f64>) -> Self {
        Self::Even(range.into())
    }

    fn time(range: Range<f64>) -> Self {
        Self::Time(range.into())
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
            Self::Even(axis) | Self::Time(axis) => axis.map(value, limit),
            Self::Log(axis) => axis.map(value, limit),
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self {
            Self::Even(axis) => axis.key_points(hint),
            Self::Time(axis) => moments(axis.range(), hint.max_num_points()),
            Self::Log(axis) => axis.key_points(hint),
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Self::Even(axis) | Self::Time(axis) => axis.range(),
            Self::Log(axis) => axis.range(),
        }
    }
}

/// Whole seconds, minutes, hours or days in a range, `most` at most.
fn moments(range: Range<f64>, most: usize) -> Vec<f64> {
    let fits = |step: &&f64| (range.end - range.start) / **step < most as f64;
    let Some(step) = STEPS.iter().find(fits) else { return Vec::new() };
    let first = (range.start / step).ceil();
    (0..most).map(|n| (first + n as f64) * step).take_while(|at| *at <= range.end).collect()
}

/// Result of drawing. It cannot fail, because the backend writes to memory.
type DrawResult = Result<(), Box<dyn std::error::Error>>;

fn svg(
    size: Size,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> DrawResult,
) -> String {
    let mut out = String::new();
    {
        let area = SVGBackend::with_string(&mut out, (size.width, size.height)).into_drawing_area();
        if draw(&area).and_then(|()| Ok(area.present()?)).is_err() {
            return String::new();
        }
    }
    out
}

/// An area: its colour, and its upper edge at a point.
type Edge = (RGBColor, fn(&CoveragePoint) -> u64);

/// Number of tools by the state of their schema, as stacked areas.
pub fn coverage(points: &[CoveragePoint], calendar: Calendar, size: Size) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let (from, to) = (first.at.as_millis() as f64, last.at.as_millis() as f64);
    let most = points.iter().map(|point| point.tools.total()).max().unwrap_or(0).max(1);
    svg(size, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(6)
            .margin_right(2)
            .x_label_area_size(size.label * 2)
            .y_label_area_size(size.label * 3)
            .build_cartesian_2d(Axis::time(from..to.max(from + 1.0)), Axis::even(0.0..most as f64))?;
        let label = ("sans-serif", size.label).into_font().color(&FAINT);
        let one_day = to - from < 86_400_000.0;
        let short = |text: String, from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
        let is_days = to - from < 7.0 * 86_400_000.0;
        let time = |at: &f64| match (one_day, to - from < 600_000.0) {
            (true, true) => (calendar.clock)(*at as u64),
            (true, false) => short((calendar.clock)(*at as u64), 0, 5),
            // Labels are less than a day apart.
            _ if is_days => {
                let at = *at as u64;
                format!("{} {}", short((calendar.day)(at), 5, 10), short((calendar.clock)(at), 0, 5))
            }
            _ => short((calendar.day)(*at as u64), 5, 10),
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_labels((size.width as usize / 110).clamp(2, 8))
            .y_labels(4)
            .x_label_style(label.clone())
            .y_label_style(label)
            .x_label_formatter(&time)
            .y_label_formatter(&|tools| match tools.fract() == 0.0 {
                true => format!("{tools:.0}"),
                false => String::new(),
            })
            .draw()?;
        // From the highest edge to the lowest, each drawn over the previous one.
        let edges: [Edge; 7] = [
            (UNSEEN, |p| p.tools.total()),
            (TEXT, |p| p.tools.total() - p.tools.unseen),
            (UNPROVEN, |p| p.tools.total() - p.tools.unseen - p.tools.text),
            (LEARNING, |p| p.tools.reliable() + p.tools.violated + p.tools.learning),
            (WARN, |p| p.tools.reliable() + p.tools.violated),
            (LEARNED, |p| p.tools.reliable()),
            (DECLARED, |p| p.tools.declared),
        ];
        for (colour, edge) in edges {
            let mut steps: Vec<(f64, f64)> = Vec::with_capacity(points.len() * 2);
            for point in points {
                let (x, y) = (point.at.as_millis() as f64, edge(point) as f64);
                // A count changes in steps, not along a slope.
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

/// Mean consistency and that of the least consistent field over results, on a logarithmic scale: of all results so far,
/// and of windows of the newest ones, with marks for versions, decisions and drift.
pub fn quality(points: &[HistoryPoint], windows: &[HistoryPoint], marks: &[Mark], size: Size) -> String {
    let Some(last) = points.last() else { return String::new() };
    let most = (last.observations as f64).max(10.0);
    let floor = points.iter().chain(windows).map(|point| point.lowest).fold(1.0, f64::min);
    let bottom = if floor >= 0.5 { 0.5 } else { 0.0 };
    svg(size, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(4 + size.label)
            .margin_right(10)
            .x_label_area_size(size.label * 3)
            .y_label_area_size(size.label * 4)
            .build_cartesian_2d(Axis::log(1.0..most * 1.02), Axis::even(bottom..1.02))?;
        let label = ("sans-serif", size.label).into_font().color(&FAINT);
        let label_style = label.clone();
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(LINE)
            .x_labels((size.width as usize / 90).clamp(2, 6))
            .y_labels(5)
            .x_label_style(label.clone())
            .y_label_style(label)
            .x_desc("results")
            .y_desc("consistency")
            .axis_desc_style(("sans-serif", size.label).into_font().color(&FAINT))
            .x_label_formatter(&|n| numbers::count(n.round() as u64))
            .y_label_formatter(&|share| format!("{share:.1}"))
            .draw()?;
        // Lower bound of high quality.
        chart.draw_series(LineSeries::new([(1.0, 0.8), (most * 1.02, 0.8)], LINE))?;
        for mark in marks {
            let at = (mark.results.max(1) as f64).min(most);
            let colour = match mark.kind {
                MarkKind::Version => LINE,
                MarkKind::Decision => ACCENT,
                MarkKind::Drift => WARN,
            };
            chart.draw_series(LineSeries::new([(at, bottom), (at, 1.02)], colour))?;
        }
        let line = |points: &[HistoryPoint], of: fn(&HistoryPoint) -> f64| -> Vec<(f64, f64)> {
            points.iter().map(|point| (point.observations as f64, of(point))).collect()
        };
        let mean: fn(&HistoryPoint) -> f64 = |point| point.mean;
        let lowest: fn(&HistoryPoint) -> f64 = |point| point.lowest;
        chart.draw_series(LineSeries::new(line(points, lowest), LOWEST.stroke_width(1)))?;
        chart.draw_series(LineSeries::new(line(points, mean), ACCENT.stroke_width(2)))?;
        chart.draw_series(DashedLineSeries::new(line(windows, lowest), 4, 3, LOWEST.stroke_width(2)))?;
        chart.draw_series(DashedLineSeries::new(line(windows, mean), 4, 3, ACCENT.stroke_width(1)))?;
        // Labels above the marks, where there is room for them.
        let mut free = 0;
        for mark in marks {
            let (x, y) = chart.backend_coord(&((mark.results.max(1) as f64).min(most), 1.02));
            let width = mark.label.chars().count() as i32 * size.label as i32 * 6 / 10;
            let x = x.min(size.width as i32 - width);
            if x < free {
                continue;
            }
            free = x + width + 4;
            let label =
                Text::new(mark.label.clone(), (x, (y - size.label as i32 - 2).max(0)), label_style.clone());
            area.draw(&label)?;
        }
        chart.draw_series([Circle::new((last.observations as f64, last.mean), 3, ACCENT.filled())])?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_labelled_at_whole_minutes() {
        let from = 1_700_000_045.0 * SECOND;
        let at = moments(from..from + 15.0 * MINUTE, 6);
        assert_eq!(at.len(), 3);
        assert!(at.iter().all(|at| at % (5.0 * MINUTE) == 0.0), "{at:?}");
        for span in [0.5 * SECOND, 40.0 * SECOND, 3.0 * HOUR, 20.0 * DAY, 3_000.0 * DAY] {
            let at = moments(from..from + span, 8);
            assert!(at.len() <= 8 && at.iter().all(|at| (from..=from + span).contains(at)), "{span}: {at:?}");
        }
        assert!(moments(0.0..1e18, 4).is_empty());
    }
}

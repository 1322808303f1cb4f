//! The sections of the page.

use schemascope_api::{Change, DriftRow, FullReport, Quality, Source, TokenCounts, ToolSummary};
use schemascope_figures::charts::{self, Calendar, Size};
use schemascope_figures::numbers::{count, duration, percent, share};

use crate::html::{Part, bar, escape, key, minute, section, table, tool};

/// Times of the chart, in UTC as those of the page.
const UTC: Calendar = Calendar { clock: utc_clock, day: utc_day };

fn utc_clock(millis: u64) -> String {
    utc(millis).get(11..19).unwrap_or_default().to_owned()
}

fn utc_day(millis: u64) -> String {
    utc(millis).get(..10).unwrap_or_default().to_owned()
}

fn utc(millis: u64) -> String {
    schemascope_api::Timestamp::from_millis(millis).to_string()
}

/// The state in a sentence.
pub fn lead(report: &FullReport) -> String {
    let standings = &report.totals.standings;
    match report.totals.tool_count {
        0 => "No tools are known yet.".to_owned(),
        tools => format!(
            "{} of {} have a reliable schema: results were observed, and they match it.",
            count(standings.reliable()),
            counted(tools, "tool")
        ),
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// The main numbers.
pub fn summary(report: &FullReport) -> String {
    let totals = &report.totals;
    let reliable = totals.standings.reliable();
    let tile = |value: String, name: &str, more: String| {
        format!("<li><b>{value}</b><span>{name}</span><small>{more}</small></li>\n")
    };
    let tiles = [
        tile(percent(reliable, totals.tool_count), "reliable schemas", {
            format!("{} of {}", count(reliable), counted(totals.tool_count, "tool"))
        }),
        tile(count(totals.tool_count), "tools", format!("on {}", counted(totals.server_count, "server"))),
        tile(count(totals.call_count), "calls", {
            format!(
                "{} failed ({})",
                count(totals.failure_count),
                percent(totals.failure_count, totals.call_count)
            )
        }),
        tile(count(totals.observation_count), "results observed", {
            format!("{} never called", counted(totals.never_called, "tool"))
        }),
        tile(count(report.drift_totals.open), "open changes", {
            format!(
                "{} acknowledged, {} resolved",
                count(report.drift_totals.acknowledged),
                count(report.drift_totals.resolved)
            )
        }),
    ];
    format!("<ul class=\"tiles\">\n{}</ul>\n", tiles.concat())
}

/// Tools by source and by quality.
pub fn schemas(report: &FullReport) -> String {
    let (tools, source, quality) =
        (report.totals.tool_count, &report.totals.by_source, &report.totals.by_quality);
    if tools == 0 {
        return String::new();
    }
    let sources: [Part<'_>; 3] = [
        ("q3", "declared by the server", source.declared),
        ("q2", "inferred from results", source.inferred),
        ("q0", "unknown", source.unknown),
    ];
    let qualities: [Part<'_>; 4] = [
        ("q3", "high", quality.high),
        ("q2", "medium", quality.medium),
        ("q1", "low", quality.low),
        ("q0", "none", quality.none),
    ];
    let content = format!(
        "<h3>Where schemas come from</h3>\n{}<h3>Quality</h3>\n{}",
        bar(&sources, tools),
        bar(&qualities, tools)
    );
    let standings = &report.totals.standings;
    let compared = standings.declared + standings.violated;
    let note = format!(
        "Results were compared with {}: {} match, {} do not.",
        counted(compared, "declared schema"),
        count(standings.declared),
        count(standings.violated)
    );
    section("Schemas", if compared > 0 { &note } else { "" }, &content)
}

/// The coverage over time.
pub fn coverage(report: &FullReport) -> String {
    let points = &report.coverage.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let svg = charts::coverage(points, UTC, Size { width: 860, height: 240, label: 11 });
    let label = format!(
        "Tools by state of their schema, from {} to {}; at the end {} of {} are reliable",
        minute(first.at),
        minute(last.at),
        last.tools.reliable(),
        last.tools.total()
    );
    let tools = &last.tools;
    let parts: [Part<'_>; 5] = [
        ("q3", "declared, results match", tools.declared),
        ("q2", "learned", tools.learned),
        ("warn", "breaks its declared schema", tools.violated),
        ("q1", "learning", tools.learning),
        ("q0", "no structure or no result", tools.unproven + tools.text + tools.unseen),
    ];
    let key = key(&parts, tools.total());
    let content =
        format!("<div class=\"chart\" role=\"img\" aria-label=\"{}\">{svg}</div>\n{key}", escape(&label));
    section("Coverage over time", "", &content)
}

/// Tools that break their declared schema.
pub fn violated(report: &FullReport) -> String {
    if report.violated.is_empty() {
        return String::new();
    }
    let row = |summary: &ToolSummary| {
        let (fitting, misfits) = (summary.fitting_count.unwrap_or(0), summary.misfit_count.unwrap_or(0));
        vec![
            tool(&summary.tool_id),
            count(fitting + misfits),
            count(misfits),
            percent(misfits, fitting + misfits),
        ]
    };
    let columns = [("Tool", false), ("Results compared", true), ("Do not match", true), ("Share", true)];
    let more = rest(report.totals.by_source.violated, report.violated.len(), "tool");
    section(
        "Declared schemas that results break",
        "At least 5 % of the results of these tools do not match the schema that their server declares.",
        &(table(&columns, report.violated.iter().map(row)) + &more),
    )
}

/// Lasting changes of results.
pub fn drift(report: &FullReport) -> String {
    if report.drifts.is_empty() {
        return section("Changes of results", "", "<p>No lasting change of results was found.</p>\n");
    }
    let row = |drift: &DriftRow| {
        let state = match (&drift.resolved, &drift.acknowledged) {
            (Some(_), _) => "resolved",
            (None, Some(_)) => "acknowledged",
            (None, None) => "<b class=\"warn-text\">open</b>",
        };
        vec![tool(&drift.tool_id), changed(&drift.change).to_owned(), minute(drift.since), state.to_owned()]
    };
    let columns = [("Tool", false), ("Change", false), ("Since", false), ("State", false)];
    let totals = &report.drift_totals;
    let all = totals.open + totals.acknowledged + totals.resolved;
    let more = rest(all, report.drifts.len(), "change");
    section(
        "Changes of results",
        "Lasting differences between what a tool returned before and what it returns now.",
        &(table(&columns, report.drifts.iter().map(row)) + &more),
    )
}

fn changed(change: &Change) -> &'static str {
    match change {
        Change::Removed => "a field was removed",
        Change::Renamed { .. } => "a field has another name",
        Change::Appeared => "a field is new",
        Change::BecameNull => "a field is now mostly null",
        Change::Retyped { .. } => "a field has another type",
        Change::Violated => "results break a rule of the schema",
    }
}

fn rest(all: u64, shown: usize, noun: &str) -> String {
    match all.saturating_sub(shown as u64) {
        0 => String::new(),
        more => format!("<p class=\"note\">{} more.</p>\n", counted(more, noun)),
    }
}

/// The tools with the most calls.
pub fn top_tools(report: &FullReport) -> String {
    if report.top_tools.is_empty() {
        return String::new();
    }
    let row = |summary: &ToolSummary| {
        let structured = summary.mean_consistency.filter(|_| summary.quality != Quality::None);
        vec![
            tool(&summary.tool_id),
            source(summary.source).to_owned(),
            format!("<span class=\"ladder {0}\">{0}</span>", summary.quality),
            structured.map_or_else(|| "–".to_owned(), share),
            count(summary.call_count),
            count(summary.failure_count),
            summary.p50_us.map_or_else(|| "–".to_owned(), duration),
            summary.p95_us.map_or_else(|| "–".to_owned(), duration),
        ]
    };
    let columns = [
        ("Tool", false),
        ("Schema", false),
        ("Quality", false),
        ("Consistency", true),
        ("Calls", true),
        ("Failed", true),
        ("Median", true),
        ("95 % within", true),
    ];
    let note = match report.totals.tool_count.saturating_sub(report.totals.never_called) {
        called if called > report.top_tools.len() as u64 => {
            format!(
                "The {} with the most calls, of {} that were called.",
                report.top_tools.len(),
                count(called)
            )
        }
        _ => String::new(),
    };
    section("Tools by calls", &note, &table(&columns, report.top_tools.iter().map(row)))
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Declared | Source::Hybrid => "declared",
        Source::Inferred => "inferred",
        Source::Unknown => "unknown",
    }
}

/// Numbers of edges between tools.
pub fn edges(report: &FullReport) -> String {
    let edges = &report.totals.edges;
    if edges.seen + edges.possible + edges.broken == 0 {
        return String::new();
    }
    let number = |number: u64, one: &str, more: &str| {
        format!("{} {}", count(number), if number == 1 { one } else { more })
    };
    let broken = match edges.broken {
        0 => String::new(),
        broken => format!(" {} fields that no longer exist.", number(broken, "uses", "use")),
    };
    let content = format!(
        "<p>{} seen: values of one tool's results were used as another tool's arguments. {} possible by names and \
         types.{broken}</p>\n",
        number(edges.seen, "connection was", "connections were"),
        number(edges.possible, "more is", "more are"),
    );
    section("Connections between tools", "", &content)
}

/// What code that calls the tools costs a language model.
pub fn tokens(report: &FullReport) -> String {
    let tokens = &report.tokens;
    let (Some(median), Some(worst)) = (&tokens.median, &tokens.worst) else { return String::new() };
    let columns = [
        ("Tool", false),
        ("With guards", true),
        ("With a helper", true),
        ("With a model", true),
        ("Definition", true),
        ("Wrapper", true),
    ];
    let row = |name: String, counts: &TokenCounts| {
        let TokenCounts { defensive, helper, model, definition, wrapper } = *counts;
        [vec![name], [defensive, helper, model, definition, wrapper].map(count).to_vec()].concat()
    };
    let rows =
        [row("Median".to_owned(), median), row(format!("{} (worst)", tool(&worst.tool_id)), &worst.counts)];
    let note = format!(
        "Tokens ({}) of Python code that prints each value of a result: written without a wrapper, with one that \
         knows nothing of the result, and with one that has its schema. Then tokens of what a writer of such code \
         reads: the tool's definition or its wrapper. {} with at least one result. The worst tool is the one for which a model saves \
         the smallest share.",
        escape(&tokens.encoding),
        counted(tokens.tools.len() as u64, "tool"),
    );
    section("Code that calls the tools", &note, &table(&columns, rows))
}

/// What was recorded and how quickly.
pub fn recording(report: &FullReport) -> String {
    let recorder = &report.totals.recorder;
    if recorder.off {
        return section(
            "Recording",
            "",
            "<p>Recording is off: nothing is stored or learned from calls.</p>\n",
        );
    }
    if recorder.recorded + recorder.dropped == 0 {
        return String::new();
    }
    let latency = &recorder.latency;
    let took = match latency.count {
        0 => String::new(),
        _ => format!(
            " From a result to the disk it took {} at most for half of the calls, {} for 95 %, {} for 99 %, and {} \
             for all.",
            duration(latency.p50_us),
            duration(latency.p95_us),
            duration(latency.p99_us),
            duration(latency.max_us)
        ),
    };
    let content = format!(
        "<p>Since the program started, {} {} recorded, {} not, and {} without content. {} {} hidden before anything \
         was written to disk.{took}</p>\n",
        counted(recorder.recorded, "call"),
        if recorder.recorded == 1 { "was" } else { "were" },
        count(recorder.dropped),
        count(recorder.bodies_left_out),
        counted(recorder.redacted_values, "secret value"),
        if recorder.redacted_values == 1 { "was" } else { "were" }
    );
    section("Recording", "", &content)
}

/// What the words of the page mean.
pub fn words() -> String {
    let words = [
        ("Declared", "the server says what the tool returns."),
        ("Inferred", "the schema is learned from the tool's results."),
        ("Reliable", "declared or inferred at high quality, observed, and at least 95 % of results match."),
        (
            "Quality",
            "none: no structured result; low: fewer than 10 results; medium: fewer than 100, or results that differ \
             or break the declared schema; high: the server declares it, or 100 and more consistent results.",
        ),
        ("Consistency", "how uniformly a field is present and has one type, as the mean over all fields."),
    ];
    let word = |(word, meaning): &(&str, &str)| format!("<dt>{word}</dt><dd>{meaning}</dd>\n");
    let words: String = words.iter().map(word).collect();
    section("Words", "", &format!("<dl>\n{words}</dl>\n"))
}

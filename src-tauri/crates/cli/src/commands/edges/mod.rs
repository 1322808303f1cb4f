//! `edges`.

pub(super) mod changes;
mod drawing;
mod explanation;

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::{Cell, Color};
use schemascope_api::{
    DiffEdges, Edge, EdgeCoverage, EdgeField, EdgeState, ExplainEdge, How, ListEdges, shown_confidence,
};

use schemascope_engine::Front;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count, counted};

verbs!(Learned: reader Edges);

/// Fields shown of one edge in the table.
const SHOWN_FIELDS: usize = 3;

/// List which tool's results feed which tool's arguments
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An edge is seen if a value of one tool's result was passed to the other tool later in the same \
    session, possible if names and types suggest it, and broken if values were seen between fields that \
    no longer exist. Strict edges give all required inputs, partial ones some of them.\n\n\
    Examples:\n  \
    schemascope edges --to shop__get_order\n  \
    schemascope edges --server shop --seen\n  \
    schemascope edges --from shop__list_orders --to shop__get_order --explain\n  \
    schemascope edges --diff shop__list_orders 2 3\n  \
    schemascope edges --min 0 --json\n  \
    schemascope edges --team\n  \
    schemascope edges --mermaid > edges.mmd"
)]
pub struct Edges {
    /// Only edges from this tool
    #[arg(long, value_name = "TOOL_ID")]
    from: Option<String>,
    /// Only edges to this tool
    #[arg(long, value_name = "TOOL_ID")]
    to: Option<String>,
    /// Only edges from or to tools of this server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Only edges of at least this confidence, 0 to 1; 0 lists all
    #[arg(long, value_name = "P", default_value = "0.5", value_parser = confidence)]
    min: f64,
    /// Only edges along which values were seen to flow
    #[arg(long)]
    seen: bool,
    /// With the evidence and results of other machines, from bundles
    #[arg(long, conflicts_with_all = ["explain", "diff"])]
    team: bool,
    /// Tell why the tools of --from and --to are joined, with the latest calls
    #[arg(long, requires = "from", requires = "to")]
    explain: bool,
    /// Compare the edges of a tool under two schemas: version numbers, effective, inferred or declared
    #[arg(long, num_args = 3, value_names = ["TOOL_ID", "A", "B"], conflicts_with_all = ["from", "to", "server", "seen", "explain"])]
    diff: Option<Vec<String>>,
    /// Print a graph in the DOT language of Graphviz
    #[arg(long, conflicts_with = "mermaid")]
    dot: bool,
    /// Print a Mermaid flowchart
    #[arg(long)]
    mermaid: bool,
}

/// Reads a confidence.
fn confidence(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    read.ok_or_else(|| "expected a number from 0 to 1, for example 0.5".to_owned())
}

impl WithEngine for Edges {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        if args.json && (self.dot || self.mermaid) {
            bail!("--json, --dot and --mermaid exclude each other; choose one");
        }
        if let Some([tool_id, a, b]) = self.diff.as_deref() {
            let command = DiffEdges { tool_id: tool_id.clone(), a: a.clone(), b: b.clone() };
            let diff = front.call(command).await?;
            if args.json {
                output::json(&diff)?;
            } else {
                changes::print(&diff)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        if let (true, Some(from), Some(to)) = (self.explain, &self.from, &self.to) {
            let reply = front.call(ExplainEdge { from: from.clone(), to: to.clone() }).await?;
            if args.json {
                output::json(&reply)?;
            } else {
                explanation::print(&reply)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let edges = front
            .call(ListEdges {
                from: self.from.clone(),
                to: self.to.clone(),
                server: self.server.clone(),
                min: Some(self.min),
                seen: self.seen,
                team: self.team,
            })
            .await?;
        if args.json {
            output::json(&edges)?;
        } else if self.dot {
            output::styled(&drawing::dot(&edges))?;
        } else if self.mermaid {
            output::styled(&drawing::mermaid(&edges))?;
        } else {
            print(&edges)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(edges: &[Edge]) -> Result<()> {
    if edges.is_empty() {
        output::note(
            "No edges. An edge appears when a value of one tool's result is passed to another tool, or when names \
             and types suggest it; --min 0 also lists unlikely ones.",
        );
        return Ok(());
    }
    let header = ["edge", "fields", "confidence", "state", "coverage", "flows", "still needed"];
    let mut table = output::table(&header, &[2, 5]);
    for edge in edges {
        table.add_row([
            Cell::new(output::harmless(&format!("{} → {}", edge.from, edge.to))),
            Cell::new(fields(&edge.fields)),
            Cell::new(shown_confidence(edge.confidence)),
            state(edge),
            Cell::new(coverage(edge.coverage)),
            Cell::new(if edge.evidence.flows == 0 { String::new() } else { count(edge.evidence.flows) }),
            Cell::new(output::harmless(&edge.needs.join(", "))),
        ]);
    }
    output::print_without(&table, &["still needed", "flows", "coverage", "state", "confidence"])?;
    for edge in edges.iter().filter(|edge| !edge.threatened_by.is_empty()) {
        let line = format!("{} → {} would break by {}", edge.from, edge.to, edge.threatened_by.join(", "));
        output::line(&output::harmless(&line))?;
    }
    Ok(())
}

pub(super) fn fields(fields: &[EdgeField]) -> String {
    let mut lines: Vec<String> = fields
        .iter()
        .take(SHOWN_FIELDS)
        .map(|field| {
            let broken = if field.broken { " (lost)" } else { "" };
            let arrow =
                format!("{} → {}{}{broken}", path(&field.output), path(&field.input), form(field.how));
            output::harmless(&arrow)
        })
        .collect();
    if fields.len() > SHOWN_FIELDS {
        lines.push(format!("and {}", counted((fields.len() - SHOWN_FIELDS) as u64, "more field")));
    }
    lines.join("\n")
}

/// A path in words; the empty one is the whole value.
pub(super) fn path(path: &str) -> &str {
    if path.is_empty() { "(whole result)" } else { path }
}

pub(super) fn form(how: How) -> &'static str {
    match how {
        How::Same | How::Item => "",
        How::NumberText => " (number as text)",
        How::Key => " (key)",
        How::Part => " (part)",
        How::Contains => " (inside)",
        How::Joined => " (joined)",
    }
}

fn state(edge: &Edge) -> Cell {
    let echo = if edge.echo { ", echo" } else { "" };
    match edge.state {
        EdgeState::Seen => Cell::new(format!("seen{echo}")).fg(Color::Green),
        EdgeState::Possible => Cell::new(format!("possible{echo}")),
        EdgeState::Broken => Cell::new(format!("broken{echo}")).fg(Color::Red),
    }
}

fn coverage(coverage: EdgeCoverage) -> &'static str {
    match coverage {
        EdgeCoverage::Strict => "strict",
        EdgeCoverage::Partial => "partial",
        EdgeCoverage::Optional => "optional",
    }
}

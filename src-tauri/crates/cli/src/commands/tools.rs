//! `tools`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{Align, Filter, ListTools, Subject, TOOL_COLUMNS, ToolCell, ToolColumn};
use schemascope_engine::Front;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count};

verbs!(Learned: reader Tools);

/// List the tools, with the source and quality of each schema
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Filters are those of the dashboard: a part of a tool id, tool:git*, server:shop, quality:<high, \
    source:inferred, violated:yes, calls:>100. A tool must pass every filter. A filter that begins with - excludes; write \
    it after --.\n\nExamples:\n  \
    schemascope tools git__               tools whose id contains this\n  \
    schemascope tools 'calls:>0' 'quality:<high'\n  \
    schemascope --json tools              everything that is known, for a program"
)]
pub struct Tools {
    /// Filters, for example git__ or server:git
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
}

impl WithEngine for Tools {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let mut rows = front.call(ListTools {}).await?;
        let filter = self.filters.join(" ");
        let passing = Filter::parse(&filter, Subject::Tools)?;
        rows.retain(|row| passing.tool(row));
        if args.json {
            output::json(&rows)?;
            return Ok(ExitCode::SUCCESS);
        }
        if rows.is_empty() {
            output::note(&match filter.is_empty() {
                false => format!("No tool passes {filter:?}."),
                true => "No tools yet. Start `schemascope serve` and connect an agent, call a tool with \
                    `schemascope call`, or read traces with `schemascope backfill`."
                    .to_owned(),
            });
            return Ok(ExitCode::SUCCESS);
        }
        let columns: Vec<&ToolColumn> =
            TOOL_COLUMNS.iter().filter(|column| column.shown_in.is_in_terminal()).collect();
        let header: Vec<&str> = columns.iter().map(|column| column.header).collect();
        let right = |column: &&ToolColumn| column.align == Align::Right;
        let right: Vec<usize> = (0..columns.len()).filter(|at| right(&columns[*at])).collect();
        let mut table = output::table(&header, &right);
        for row in &rows {
            table.add_row(columns.iter().map(|column| cell((column.cell)(row))));
        }
        output::print_without(&table, &["p99", "last result", "consistency", "p50", "results"])?;
        Ok(ExitCode::SUCCESS)
    }
}

fn cell(cell: ToolCell<'_>) -> Cell {
    match cell {
        ToolCell::Id(id) => Cell::new(output::harmless(id)),
        ToolCell::Source(row) => Cell::new(match row.remark() {
            Some(remark) => format!("{}, {remark}", row.source),
            None => row.source.to_string(),
        }),
        ToolCell::Quality(quality, true, _) => Cell::new(format!("{quality} (violated)")).fg(Color::Yellow),
        ToolCell::Quality(quality, _, true) => Cell::new(format!("{quality} (changed)")).fg(Color::Yellow),
        ToolCell::Quality(quality, ..) => output::quality(quality),
        ToolCell::Count(number) => Cell::new(count(number)),
        ToolCell::Failures(0) | ToolCell::Share(None) | ToolCell::Duration(None) | ToolCell::Time(None) => {
            Cell::new("")
        }
        ToolCell::Failures(number) => Cell::new(count(number)),
        ToolCell::Share(Some(share)) => Cell::new(format!("{share:.2}")),
        ToolCell::Duration(Some(micros)) => Cell::new(output::duration(micros)),
        ToolCell::Trend(row) => {
            let points: Vec<String> = row.trend.iter().map(ToString::to_string).collect();
            Cell::new(points.join(" "))
        }
        ToolCell::Time(Some(at)) => Cell::new(output::time(at)),
    }
}

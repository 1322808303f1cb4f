//! Lists of conversations and Discovery Schemas, and what needs no engine: the check of a file, and models of flow shops.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, ensure};
use schemascope_api::ListInterviews;
use schemascope_engine::{DS_VARIABLE, Front};
use schemascope_interview::flow_shop_model;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{self, harmless};

pub async fn list(args: &Args, front: &Front) -> Result<ExitCode> {
    let list = front.call(ListInterviews {}).await?;
    if args.json {
        output::json(&list.conversations)?;
        return Ok(ExitCode::SUCCESS);
    }
    if list.conversations.is_empty() {
        output::note("No interviews yet. `schemascope interview start --name NAME` starts one.");
        return Ok(ExitCode::SUCCESS);
    }
    let header =
        ["project", "pursues", "state", "complete", "budget used", "conflicts", "id", "conversation"];
    let mut table = output::table(&header, &[3, 4, 5]);
    for row in &list.conversations {
        let name = |text: &str| harmless(text).chars().take(60).collect::<String>();
        let row_of = |pursued: [String; 5]| {
            let ids = [name(&row.project_id), name(&row.conversation_id)];
            std::iter::once(name(&row.project_name)).chain(pursued).chain(ids).collect::<Vec<_>>()
        };
        if row.pursuits.is_empty() {
            table.add_row(row_of(Default::default()));
        }
        for one in &row.pursuits {
            table.add_row(row_of([
                harmless(&one.ds_id).to_string(),
                one.state.clone(),
                output::share(one.completeness),
                format!("{:.2} of {:.2}", one.budget_used, one.budget),
                if one.conflicts == 0 { String::new() } else { one.conflicts.to_string() },
            ]));
        }
    }
    output::print_without(&table, &["conversation", "id", "conflicts", "budget used"])?;
    Ok(ExitCode::SUCCESS)
}

pub async fn library(args: &Args, front: &Front) -> Result<ExitCode> {
    let list = front.call(ListInterviews {}).await?;
    if args.json {
        output::json(&json!({"library": list.library, "unusable": list.unusable, "folder": list.folder}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = output::table(&["id", "name", "file"], &[]);
    for row in &list.library {
        let file = if row.own { "part of Schemascope".to_owned() } else { harmless(&row.path).to_string() };
        table.add_row([harmless(&row.ds_id).to_string(), harmless(&row.name).to_string(), file]);
    }
    output::print_without(&table, &["file"])?;
    for file in &list.unusable {
        output::note(&format!("{}: line {}: {}", harmless(&file.path), file.line, harmless(&file.reason)));
    }
    output::note(&format!("Your own files go into {}", list.folder));
    Ok(ExitCode::SUCCESS)
}

pub fn check(args: &Args, file: &Path) -> Result<ExitCode> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    match schemascope_engine::check_discovery_schema(file, &text) {
        Ok(id) => {
            if args.json {
                output::json(&json!({"usable": true, "ds_id": id}))?;
            } else {
                output::line(&format!("{}: {} can be used", file.display(), harmless(&id)))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(problem) => {
            if args.json {
                output::json(&json!({"usable": false, "line": problem.line, "reason": problem.reason}))?;
            } else {
                output::line(&format!(
                    "{}: line {}: {}",
                    file.display(),
                    problem.line,
                    harmless(&problem.reason)
                ))?;
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Largest aggregate that is read, in bytes.
const MAX_AGGREGATE: u64 = 16 << 20;

/// The Discovery Schema that there is a model of.
const FLOW_SHOP: &str = "process/flow-shop";

/// Prints the model of a flow shop. As the hook, it prints nothing for other Discovery Schemas.
pub fn minizinc(file: &Path, batches: u32) -> Result<ExitCode> {
    if std::env::var(DS_VARIABLE).is_ok_and(|ds_id| ds_id != FLOW_SHOP) {
        return Ok(ExitCode::SUCCESS);
    }
    let name = file.display();
    let source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot read {name}"))?)
    };
    let mut text = String::new();
    let length = source.take(MAX_AGGREGATE + 1).read_to_string(&mut text);
    let length = length.with_context(|| format!("cannot read {name}"))?;
    ensure!(length as u64 <= MAX_AGGREGATE, "{name} has more than {} MB", MAX_AGGREGATE >> 20);
    let aggregate: Value = serde_json::from_str(&text).with_context(|| format!("{name} is no JSON"))?;
    let model = flow_shop_model(&aggregate, batches).map_err(|problem| anyhow!("{name}: {problem}"))?;
    output::line(model.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

//! Proposals for the discovery file, and adding those that the user keeps.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use schemascope_api::{DiscoverySuggestion, DiscoverySuggestions, SuggestDiscovery};
use schemascope_engine::{DiscoveryList, Front};
use serde_json::value::RawValue;

use super::calls::shortened;
use crate::args::Args;
use crate::output::{self, counted, harmless};

/// Prints proposals; adds those that the user keeps to `out`.
pub async fn suggest(
    args: &Args,
    front: &Front,
    server: Option<String>,
    out: Option<&Path>,
) -> Result<ExitCode> {
    let spinner = output::spinner("starting the servers");
    let suggested = front.call(SuggestDiscovery { server_name: server }).await;
    spinner.finish_and_clear();
    let suggested = suggested?;
    for (server, reason) in &suggested.unavailable {
        output::note(&format!("{} cannot be asked: {}", harmless(server), harmless(reason)));
    }
    // Read before anything is asked, so that an unusable file is reported first.
    let list = out.map(DiscoveryList::read).transpose()?;
    if args.json {
        output::json(&suggested)?;
    } else {
        print(&suggested)?;
    }
    if let (Some(list), Some(path)) = (list, out) {
        add(args, &list, path, &suggested.tools)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(suggested: &DiscoverySuggestions) -> Result<()> {
    if suggested.tools.is_empty() {
        output::note(
            "no server declares a tool to be read-only (annotations.readOnlyHint), so none is proposed",
        );
        return Ok(());
    }
    let mut table = output::table(&["tool", "arguments", "from"], &[]);
    for tool in &suggested.tools {
        let arguments = tool.arguments.as_deref().map_or("", RawValue::get);
        let from = match (&tool.arguments, tool.earlier) {
            (Some(_), true) => "an earlier call",
            (Some(_), false) => "no arguments are required",
            (None, _) => "unknown: call it once, or write the arguments yourself",
        };
        table.add_row([harmless(&tool.tool_id), shortened(&harmless(arguments)), from.to_owned()]);
    }
    output::print(&table)?;
    Ok(())
}

/// Adds proposals with arguments that are not in the list yet.
fn add(args: &Args, list: &DiscoveryList, path: &Path, tools: &[DiscoverySuggestion]) -> Result<()> {
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut kept = Vec::new();
    for tool in tools {
        let Some(arguments) = &tool.arguments else { continue };
        if list.has(&tool.server_name, &tool.tool_name) {
            continue;
        }
        match asks.then(|| keeps(tool, arguments)).transpose()? {
            Some(Answer::End) => break,
            Some(Answer::No) => {}
            Some(Answer::Yes) | None => kept.push((tool, arguments)),
        }
    }
    // It may have been edited while the questions were asked.
    let mut list = DiscoveryList::read(path)?;
    kept.retain(|(tool, _)| !list.has(&tool.server_name, &tool.tool_name));
    for (tool, arguments) in &kept {
        list = list.with(&tool.server_name, &tool.tool_name, arguments)?;
    }
    let added = kept.len();
    if added > 0 {
        list.write(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !args.quiet {
        output::note(&format!("added {} to {}", counted(added as u64, "tool"), path.display()));
    }
    Ok(())
}

/// What a person says of a proposal.
enum Answer {
    Yes,
    No,
    /// The rest is not wanted.
    End,
}

/// Asks whether a proposal is kept.
fn keeps(tool: &DiscoverySuggestion, arguments: &RawValue) -> Result<Answer> {
    let mut err = std::io::stderr().lock();
    write!(err, "add {} {}? [y/N, ctrl-d ends] ", harmless(&tool.tool_id), harmless(arguments.get()))?;
    err.flush()?;
    let mut answer = String::new();
    if std::io::stdin().lock().read_line(&mut answer)? == 0 {
        writeln!(err)?;
        return Ok(Answer::End);
    }
    Ok(if output::is_yes(&answer) { Answer::Yes } else { Answer::No })
}

//! `servers`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::{Cell, Color};
use schemascope_api::{ListServers, ServerRow, ServersReply, UpstreamState};
use schemascope_engine::Front;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, harmless};

verbs!(Learned: engine Servers);

/// List the servers with their states and reasons
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope servers        every server\n  \
    schemascope servers git    one server, with the last lines of its log")]
pub struct Servers {
    /// Only this server, with the last lines of its log
    name: Option<String>,
}

impl WithEngine for Servers {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let mut reply = front.call(ListServers::default()).await?;
        if let Some(name) = &self.name {
            let names: Vec<String> = reply.servers.iter().map(|server| server.server_name.clone()).collect();
            reply.servers.retain(|server| server.server_name == *name);
            if reply.servers.is_empty() {
                bail!("{} has no server {name:?}; it has: {}", reply.config, names.join(", "));
            }
        }
        if args.json {
            output::json(&reply)?;
            return Ok(ExitCode::SUCCESS);
        }
        print(&reply, front.is_attached())?;
        if self.name.is_some() {
            for line in reply.servers.iter().flat_map(|server| &server.log) {
                output::line(&format!("  {}", harmless(line)))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(reply: &ServersReply, running: bool) -> Result<()> {
    if let Some(problem) = &reply.problem {
        output::note(&format!("{} {problem}", reply.config));
    }
    for warning in &reply.overrides {
        output::note(&harmless(warning));
    }
    if !running {
        output::note("Schemascope is not running; states are those of the configuration.");
    }
    if reply.servers.is_empty() {
        return Ok(());
    }
    let mut table = output::table(&["server", "state", "tools", "protocol", "reason"], &[2]);
    for ServerRow { server_name, state, tool_count, protocol_version, reason, .. } in &reply.servers {
        let colour = match state {
            UpstreamState::Ready => Color::Green,
            UpstreamState::Failed | UpstreamState::Invalid => Color::Red,
            UpstreamState::Starting => Color::Yellow,
            UpstreamState::Idle | UpstreamState::Disabled => Color::DarkGrey,
        };
        table.add_row([
            Cell::new(harmless(server_name)),
            Cell::new(state).fg(colour),
            Cell::new(tool_count.map_or_else(String::new, |count| count.to_string())),
            Cell::new(protocol_version.as_deref().map_or_else(String::new, harmless)),
            Cell::new(reason.as_deref().map_or_else(String::new, harmless)),
        ]);
    }
    output::print_without(&table, &["protocol", "tools"])?;
    Ok(())
}

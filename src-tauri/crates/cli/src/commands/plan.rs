//! `plan`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{Argument, Plan as Calls, PlanCalls, Plans, Step, shown_confidence};
use schemascope_engine::Front;

use super::edges::{form, path};
use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

verbs!(Learned: reader Plan);

/// Plan the calls that lead to a tool or a field
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The last call of a plan is that of the wanted tool. Arguments come from earlier results, from what \
    is at hand, or from you. A call is marked unless its server says that it only reads. Without a chain \
    the command says what is missing and what comes nearest; the exit code is 0.\n\n\
    Examples:\n  \
    schemascope plan --to shop__get_order\n  \
    schemascope plan --to shop__get_customer:email --have order_id\n  \
    schemascope plan --to email --limit 1 --json"
)]
pub struct Plan {
    /// What is wanted: a tool, TOOL:PATH for a field of its result, or the name of a field
    #[arg(long, value_name = "TOOL|TOOL:PATH|FIELD")]
    to: String,
    /// What is at hand: names of fields, or tools whose results are there
    #[arg(long, value_name = "FIELD|TOOL", num_args = 1..)]
    have: Vec<String>,
    /// At most this many plans, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    limit: u8,
}

impl WithEngine for Plan {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let (to, have) = (self.to.clone(), self.have.clone());
        let plans = front.call(PlanCalls { to, have, limit: Some(usize::from(self.limit)) }).await?;
        if args.json {
            output::json(&plans)?;
        } else {
            print(&plans)?;
            for name in self.have.iter().filter(|name| !plans.plans.is_empty() && !is_used(&plans, name)) {
                output::note(&output::harmless(&format!("No plan uses {name:?}.")));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether an argument of a plan is taken from this name, or from the result of this tool.
fn is_used(plans: &Plans, name: &str) -> bool {
    let steps = plans.plans.iter().flat_map(|plan| &plan.steps);
    steps.flat_map(|step| step.arguments.values()).any(|argument| match argument {
        Argument::Have { have, .. } => **have == *name,
        _ => false,
    })
}

fn print(plans: &Plans) -> Result<()> {
    if let Some(why) = &plans.why_none {
        let end = if why.ends_with('?') { "" } else { "." };
        output::note(&output::harmless(&format!("No plan: {why}{end}")));
    }
    for (number, plan) in plans.plans.iter().enumerate() {
        if number > 0 {
            output::line("")?;
        }
        output::line(&format!(
            "plan {} of {}, confidence {}",
            number + 1,
            plans.plans.len(),
            shown_confidence(plan.confidence)
        ))?;
        for step in &plan.steps {
            print_step(plan, step)?;
        }
    }
    Ok(())
}

fn print_step(plan: &Calls, step: &Step) -> Result<()> {
    let marked = if step.read_only { "" } else { "   may change something" };
    output::line(&format!("  {}. {}{marked}", step.step, output::harmless(&step.tool_id)))?;
    for (input, argument) in &step.arguments {
        let source = match argument {
            Argument::Step { step, output, how } => {
                format!("{} of step {step}{}", path(output), form(*how))
            }
            Argument::Have { have, output: Some(output), .. } if output.is_empty() => {
                format!("the result of {have}, which is at hand")
            }
            Argument::Have { have, output: Some(output), .. } => {
                format!("{output} of {have}, which is at hand")
            }
            Argument::Have { have, .. } => format!("{have}, which is at hand"),
            Argument::Value { value } => value.to_string(),
        };
        output::line(&output::harmless(&format!("       {input} = {source}")))?;
    }
    for missing in plan.missing.iter().filter(|missing| missing.step == step.step) {
        let line = format!("       {} = ?  you supply it ({})", missing.input, missing.why);
        output::line(&output::harmless(&line))?;
    }
    let is_last = plan.steps.last().is_some_and(|last| last.step == step.step);
    let mut gives: Vec<&str> = plan
        .steps
        .iter()
        .flat_map(|later| later.arguments.values())
        .filter_map(|argument| match argument {
            Argument::Step { step: from, output, .. } if *from == step.step => Some(path(output)),
            _ => None,
        })
        .collect();
    if is_last {
        gives.push(if plan.wanted.output.is_empty() { "the wanted result" } else { &plan.wanted.output });
    }
    gives.sort_unstable();
    gives.dedup();
    output::line(&output::harmless(&format!("       gives {}", gives.join(", "))))?;
    Ok(())
}

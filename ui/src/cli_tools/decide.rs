//! The dialog that removes a command-line tool, or decides about an agent's request for one.

use leptos::prelude::*;
use schemascope_api::{ApproveCliTool, RejectCliTool, RemoveCliTool};

use super::words::{name, report};
use crate::app::App;
use crate::door;
use crate::parts::{Foreign, Signature, SignedDialog, Signing, Views};

/// A decision about a command-line tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliDecision {
    /// Removing it.
    Remove {
        /// Its name.
        alias: String,
        /// Whether its entry is in the file, not only in this run.
        is_in_file: bool,
    },
    /// Approving an agent's request.
    Approve {
        /// Name it will have.
        alias: String,
        /// The program.
        command: String,
        /// Whether the entry is written into the file.
        persist: bool,
        /// Flags that are offered although they run programs.
        allow: Vec<String>,
    },
    /// Rejecting an agent's request.
    Reject {
        /// Name it would have.
        alias: String,
        /// The program.
        command: String,
    },
}

impl CliDecision {
    /// The label of the button, the name, and what the decision does.
    fn words(&self) -> (&'static str, &str, String) {
        match self {
            Self::Remove { alias, is_in_file } => {
                let gone = match is_in_file {
                    true => "Its entry is removed from ai-tools.json.",
                    false => "It was approved for this run only.",
                };
                ("Remove", alias, format!("Clients no longer see its tools. {gone}"))
            }
            Self::Approve { alias, command, persist, .. } => {
                let kept = match persist {
                    true => "The entry is written into ai-tools.json.",
                    false => "The approval applies until Schemascope ends.",
                };
                let command = name(command);
                let does =
                    format!("Schemascope runs {command} for its help, and agents can then call it. {kept}");
                ("Approve", alias, does)
            }
            Self::Reject { alias, command } => {
                let does = format!("Nothing is run, and {} does not become a tool.", name(command));
                ("Reject", alias, does)
            }
        }
    }

    /// Takes effect, and is reported.
    async fn act(self, app: App, signature: Signature) -> Result<(), String> {
        let Signature { reason, no_reason, person } = signature;
        match self {
            Self::Remove { alias, .. } => {
                let command = RemoveCliTool { alias, reason, person };
                door::call(&command).await.map_err(|error| error.to_string())?;
                app.notify_decided(format!("{} removed", name(&command.alias)), Vec::new());
            }
            Self::Approve { alias, allow, .. } => {
                let command = ApproveCliTool { alias, allow, reason, no_reason, person };
                let row = door::call(&command).await.map_err(|error| error.to_string())?;
                report(app, &row, &format!("{} approved", name(&row.alias)));
            }
            Self::Reject { alias, .. } => {
                let command = RejectCliTool { alias, reason, no_reason, person };
                door::call(&command).await.map_err(|error| error.to_string())?;
                app.notify_decided(format!("{} rejected", name(&command.alias)), Vec::new());
            }
        }
        Ok(())
    }
}

/// The dialog.
#[component]
pub fn DecideDialog(
    /// The decision.
    decision: CliDecision,
) -> impl IntoView {
    let app = App::get();
    let signing = Signing::new();
    let (act, alias, meaning) = decision.words();
    let title = format!("{act} {}", name(alias));
    let is_removal = matches!(decision, CliDecision::Remove { .. });
    let flags = match &decision {
        CliDecision::Approve { allow, .. } => Some(allowed(allow)),
        _ => None,
    };
    let submit = move || {
        let Some(signature) = signing.begin() else { return };
        let decision = decision.clone();
        leptos::task::spawn_local(async move {
            match decision.act(app, signature).await {
                Ok(()) => signing.close(),
                Err(error) => signing.fail(error),
            }
        });
    };
    view! {
        <SignedDialog title optional=is_removal act=act.to_owned() signing disabled=Box::new(|| false) submit=Box::new(submit)>
            <p class="dim">{meaning}</p>
            {flags}
        </SignedDialog>
    }
}

/// What an approval offers although it runs programs.
fn allowed(flags: &[String]) -> AnyView {
    if flags.is_empty() {
        return view! { <p>"Options that run programs are withheld."</p> }.into_any();
    }
    let flag =
        |flag: &String| view! { <li class="mono"><Foreign text=flag.clone() limit=120 /></li> }.into_any();
    view! {
        <p>"Offered although they run programs:"</p>
        <ul class="scrolls listed" tabindex="0" aria-label="Allowed options">{flags.iter().map(flag).views()}</ul>
    }
    .into_any()
}

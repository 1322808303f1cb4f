//! The help of a program that is not served: read when the user asks for it, and shown with what would be offered.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CliPreview, ProbeCliTool};

use super::definition::{definition, notes, sentences};
use super::parameters::Allowed;
use crate::cells::RwSignal;
use crate::door;
use crate::numbers::count;
use crate::parts::{Foreign, Views};

/// Most subcommands that are listed.
const MAX_SUBCOMMANDS: usize = 64;

/// What was asked for, and the reply.
type Reply = (ProbeCliTool, Result<Arc<CliPreview>, String>);

/// State of reading a help text.
#[derive(Clone, Copy)]
pub struct Probe {
    busy: RwSignal<bool>,
    reply: RwSignal<Option<Reply>>,
    allowed: Allowed,
}

impl Probe {
    /// Nothing was read yet.
    pub fn new() -> Self {
        Self { busy: RwSignal::new(false), reply: RwSignal::new(None), allowed: RwSignal::default() }
    }

    /// Runs the program for its help.
    pub fn read(self, command: ProbeCliTool) {
        if command.command.is_empty() || self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        self.reply.set(None);
        self.allowed.set(BTreeSet::new());
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await.map(Arc::new).map_err(|error| error.to_string());
            self.busy.set(false);
            self.reply.set(Some((command, reply)));
        });
    }

    /// Whether a help text is being read.
    pub fn is_busy(self) -> bool {
        self.busy.get()
    }

    /// Whether the help of this command was read.
    pub fn has_read(self, command: &ProbeCliTool) -> bool {
        self.reply.with(|reply| match reply {
            Some((read, Ok(_))) => {
                (&read.command, &read.subcommand) == (&command.command, &command.subcommand)
            }
            _ => false,
        })
    }

    /// The flags that the user allows.
    pub fn allowed(self) -> BTreeSet<String> {
        self.allowed.get_untracked()
    }
}

/// The progress of reading, then what the help says.
#[component]
pub fn Preview(
    /// State of reading.
    probe: Probe,
) -> impl IntoView {
    view! {
        <div class="cli-preview">
            <p class="dim" role="status">{move || probe.busy.get().then_some("Reading the help…")}</p>
            {move || probe.reply.get().map(|(_, reply)| match reply {
                Ok(preview) => draw(&preview, probe.allowed),
                Err(error) => view! { <p class="bad" role="alert"><Foreign text=error limit=600 /></p> }.into_any(),
            })}
        </div>
    }
}

fn draw(preview: &CliPreview, allowed: Allowed) -> AnyView {
    view! {
        <p>"Program: " <span class="mono"><Foreign text=preview.program.clone() limit=400 /></span></p>
        {definition(&preview.definition, Some(allowed))}
        {subcommands(&preview.subcommands)}
        {sentences(&notes(&preview.definition))}
    }
    .into_any()
}

fn subcommands(names: &[String]) -> Option<AnyView> {
    let more = names.len().saturating_sub(MAX_SUBCOMMANDS);
    let name =
        |name: &String| view! { <span class="mono"><Foreign text=name.clone() limit=60 /></span> }.into_any();
    (!names.is_empty()).then(|| {
        view! {
            <p>{format!("Subcommands ({}): each becomes a tool.", count(names.len() as u64))}</p>
            <p class="names">
                {names.iter().take(MAX_SUBCOMMANDS).map(name).views()}
                {(more > 0).then(|| view! { <span class="faint">{format!("… {more} more")}</span> }.into_any())}
            </p>
        }
        .into_any()
    })
}

//! The dialog that adds a command-line tool. Its help is read first, so that the user sees what will be offered.

use leptos::prelude::*;
use schemascope_api::{AddCliTool, ProbeCliTool};

use super::probe::{Preview, Probe};
use super::words::{name, report};
use crate::app::App;
use crate::cells::{RwSignal, click};
use crate::cli_entry::{Draft, default_alias};
use crate::door;
use crate::parts::{Signature, SignedDialog, Signing};

/// Time limit of a call where the entry has none, in seconds.
const USUAL_TIMEOUT: &str = "120";

/// The fields.
#[derive(Clone, Copy)]
struct Form {
    command: RwSignal<String>,
    subcommand: RwSignal<String>,
    alias: RwSignal<String>,
    description: RwSignal<String>,
    timeout: RwSignal<String>,
    roots: RwSignal<String>,
    probe: Probe,
}

impl Form {
    fn new() -> Self {
        Self {
            command: RwSignal::default(),
            subcommand: RwSignal::default(),
            alias: RwSignal::default(),
            description: RwSignal::default(),
            timeout: RwSignal::default(),
            roots: RwSignal::default(),
            probe: Probe::new(),
        }
    }

    /// The program whose help is wanted.
    fn program(self) -> ProbeCliTool {
        let trimmed = |text: RwSignal<String>| text.with(|text| text.trim().to_owned());
        ProbeCliTool { command: trimmed(self.command), subcommand: trimmed(self.subcommand) }
    }

    fn draft(self) -> Draft {
        Draft {
            command: self.command.get_untracked(),
            subcommand: self.subcommand.get_untracked(),
            alias: self.alias.get_untracked(),
            description: self.description.get_untracked(),
            allow: self.probe.allowed(),
            timeout: self.timeout.get_untracked(),
            roots: self.roots.get_untracked(),
        }
    }
}

/// The dialog.
#[component]
pub fn AddDialog() -> impl IntoView {
    let app = App::get();
    let signing = Signing::new();
    let form = Form::new();
    let probe = form.probe;
    let read = move || probe.read(untrack(|| form.program()));
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.ctrl_key() && !event.meta_key() {
            event.prevent_default();
            read();
        }
    };
    let submit = move || {
        let entry = match form.draft().entry() {
            Ok(entry) => entry,
            Err(problem) => return signing.fail(problem),
        };
        let Some(Signature { reason, person, .. }) = signing.begin() else { return };
        let command = AddCliTool { entry, reason, person, only_new: true };
        leptos::task::spawn_local(async move {
            match door::call(&command).await {
                Ok(row) => {
                    signing.close();
                    report(app, &row, &format!("{} added", name(&row.alias)));
                }
                Err(error) => signing.fail(error.to_string()),
            }
        });
    };
    let is_named = move || form.command.with(|command| !command.trim().is_empty());
    let disabled = move || !probe.has_read(&form.program());
    let default = move || form.command.with(|command| default_alias(command));
    view! {
        <SignedDialog title="Add a command-line tool".to_owned() optional=true focus="#cli-command" act="Add".to_owned() signing disabled=Box::new(disabled) submit=Box::new(submit)>
            <div class="scrolls cli-form" tabindex="0" role="region" aria-label="Program and options">
                <div class="cli-program" on:keydown=keydown>
                    {field("cli-command", "Program", form.command, || "name in PATH, or a path".to_owned())}
                    {field("cli-subcommand", "Subcommand (optional)", form.subcommand, || "all subcommands".to_owned())}
                    <button class="button" id="read-help" prop:disabled=move || probe.is_busy() || !is_named() on:click=click(move |_| read())>
                        {move || if probe.is_busy() { "Reading its help…" } else { "Read its help" }}
                    </button>
                </div>
                <p class="dim">"Schemascope runs the program with --help, -h or help. It is added when you press Add."</p>
                <Preview probe=probe />
                <div class="cli-fields">
                    {field("cli-alias", "Alias", form.alias, default)}
                    <label>"Time limit of a call, in seconds"
                        <input type="number" id="cli-timeout" min="1" inputmode="numeric" placeholder=USUAL_TIMEOUT prop:value=move || form.timeout.get()
                            on:input:target=move |event| form.timeout.set(event.target().value()) />
                    </label>
                    {field("cli-description", "Description", form.description, || "what its help says".to_owned())}
                    <label>"Folders in which paths must lie, one per line"
                        <textarea id="cli-roots" rows="2" spellcheck="false" placeholder="any folder" prop:value=move || form.roots.get()
                            on:input:target=move |event| form.roots.set(event.target().value())></textarea>
                    </label>
                </div>
            </div>
        </SignedDialog>
    }
}

/// A field of text with its label.
fn field(
    id: &'static str,
    label: &'static str,
    value: RwSignal<String>,
    placeholder: impl Fn() -> String + Send + 'static,
) -> AnyView {
    view! {
        <label>{label}
            <input type="text" id=id autocomplete="off" spellcheck="false" placeholder=placeholder prop:value=move || value.get()
                on:input:target=move |event| value.set(event.target().value()) />
        </label>
    }
    .into_any()
}

//! The section of the servers page about command-line tools.

use leptos::prelude::*;

use super::dialog::CliAsking;
use super::list::{CliList, Line};
use super::row::{COLUMNS, Controls, Row};
use crate::app::{App, Dialog};
use crate::cells::{Memo, click};
use crate::parts::{Foreign, Icon, KeyedRow, keyed, table};

#[component]
pub fn CommandLineTools() -> impl IntoView {
    let app = App::get();
    let list = CliList::follow();
    let (file, failure, known) = (list.file(), list.failure(), list.lines());
    let lines = Memo::new(move || known.get().unwrap_or_default());
    let none = Memo::new(move || known.with(|known| known.as_ref().is_some_and(Vec::is_empty)));
    let some = Memo::new(move || lines.with(|lines| !lines.is_empty()));
    let add = move |_| app.dialog.set(Some(Dialog::CliTool(CliAsking::Add)));
    view! {
        <section class="cli-tools" aria-labelledby="cli-tools-title">
            <div class="title-row">
                <h2 id="cli-tools-title">"Command-line tools"</h2>
                {move || file.get().map(|(file, _)| view! {
                    <span class="dim cut" title="file of command-line tools">"Configured in " <span class="mono"><Foreign text=file limit=400 /></span></span>
                }.into_any())}
                <span class="side">
                    <button class="button small" id="add-cli-tool" on:click=click(add)>"Add a command-line tool…"</button>
                </span>
            </div>
            {move || failure.get().map(|error| trouble(format!("Cannot read the command-line tools: {error}")))}
            {move || file.get().and_then(|(_, problem)| problem).map(trouble)}
            {move || none.get().then(|| view! {
                <p class="card quiet">
                    <Icon name="wrench" />
                    " No command-line tools yet. Add a program that is in PATH: Schemascope reads its help, shows what would be offered, and serves it to agents as a tool."
                </p>
            }.into_any())}
            {move || some.get().then(|| draw(lines))}
        </section>
    }
}

fn trouble(text: String) -> AnyView {
    view! { <p class="trouble" role="alert"><Foreign text=text limit=600 /></p> }.into_any()
}

/// The table.
fn draw(lines: Memo<Vec<Line>>) -> AnyView {
    let controls = Controls::default();
    let aliases = Memo::new(move || {
        lines.with(|lines| lines.iter().map(|line| line.alias.clone()).collect::<Vec<_>>())
    });
    let body = keyed(move || {
        let row = |alias: String| {
            KeyedRow::new(alias.clone(), move || view! { <Row alias=alias lines=lines controls=controls /> })
        };
        aliases.get().into_iter().map(row).collect()
    });
    view! {
        <div class="card cli-list" tabindex="0" role="region" aria-label="List of command-line tools">
            {table("cli-table", COLUMNS, None, body)}
        </div>
    }
    .into_any()
}

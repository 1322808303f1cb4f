//! A command-line tool in the table: its columns, and the buttons that act on it.

use std::collections::BTreeSet;

use leptos::prelude::*;
use schemascope_api::{CliOrigin, RefreshCliTool};

use super::decide::CliDecision;
use super::detail::Detail;
use super::dialog::CliAsking;
use super::list::Line;
use super::words::{name, origin, report, state};
use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::door;
use crate::layout::{Shown, Width};
use crate::numbers::count;
use crate::parts::{Column, Foreign, cells};

/// The columns. The last one holds the buttons, which [`Row`] draws.
pub const COLUMNS: &[Column<Line>] = &[
    Column::text("alias", "Alias", Width::Share(110, 1.0), &alias),
    Column::text("program", "Program", Width::Share(90, 1.0), &program),
    Column::drawing("state", "State", Width::Share(110, 1.5), &state_and_reason),
    Column::number("tools", "Tools", Width::Fixed(44), &|line: &Line| count(line.tools as u64).into_any()),
    Column::number("offered", "Options offered", Width::Fixed(96), &|line: &Line| {
        count(line.offered as u64).into_any()
    })
    .shown(Shown::Medium),
    Column::number("withheld", "Withheld (run programs)", Width::Fixed(140), &|line: &Line| {
        count(line.withheld as u64).into_any()
    })
    .shown(Shown::Wide),
    Column::drawing("buttons", "Actions", Width::Fixed(250), &|_| ().into_any()),
];

/// The columns without the buttons.
const FACTS: &[Column<Line>] = COLUMNS.split_at(COLUMNS.len() - 1).0;

/// State that the rows share.
#[derive(Clone, Copy, Default)]
pub struct Controls {
    /// The alias whose detail is shown.
    pub shown: RwSignal<Option<String>>,
    /// Aliases whose help is being read again.
    pub reading: RwSignal<BTreeSet<String>>,
}

#[component]
pub fn Row(
    /// Name of the command-line tool.
    alias: String,
    /// All command-line tools.
    lines: Memo<Vec<Line>>,
    /// State that the rows share.
    controls: Controls,
) -> impl IntoView {
    let app = App::get();
    let shown_name = name(&alias);
    let alias = StoredValue::new(alias);
    let line = Memo::new(move || {
        let found = |lines: &Vec<Line>| {
            alias.with_value(|alias| lines.iter().find(|line| line.alias == *alias).cloned())
        };
        lines.with(found)
    });
    let is_shown = Memo::new(move || alias.with_value(|alias| controls.shown.get().as_ref() == Some(alias)));
    let is_reading =
        Memo::new(move || alias.with_value(|alias| controls.reading.with(|reading| reading.contains(alias))));
    let can_remove = Memo::new(move || {
        line.with(|line| line.as_ref().is_some_and(|line| line.origin != CliOrigin::CommandLine))
    });
    let toggle = move |_| {
        let shown = (!is_shown.get_untracked()).then(|| alias.get_value());
        controls.shown.set(shown);
    };
    let refresh = move |_| {
        let name = alias.get_value();
        if controls.reading.try_update(|reading| reading.insert(name.clone())) == Some(true) {
            read_again(app, controls, name);
        }
    };
    let remove = move |_| {
        let origin = line.with_untracked(|line| line.as_ref().map(|line| line.origin));
        let is_in_file = origin == Some(CliOrigin::File);
        let decision = CliDecision::Remove { alias: alias.get_value(), is_in_file };
        app.dialog.set(Some(Dialog::CliTool(CliAsking::Decide(decision))));
    };
    let of = shown_name.clone();
    let show_label = move || format!("{} {of}", if is_shown.get() { "Hide" } else { "Show" });
    let read_label = format!("Read help again: {shown_name}");
    let remove_label = format!("Remove {shown_name}");
    view! {
        <div class="cli-tool">
            <div class="tr">
                {move || line.get().map(|line| cells(FACTS, &line))}
                <span class="buttons">
                    <button class="button small" aria-label=show_label on:click=click(toggle)
                        aria-expanded=move || if is_shown.get() { "true" } else { "false" }>
                        {move || if is_shown.get() { "Hide" } else { "Show" }}
                    </button>
                    <button class="button small" aria-label=read_label prop:disabled=move || is_reading.get() on:click=click(refresh)>
                        {move || if is_reading.get() { "Reading help…" } else { "Read help again" }}
                    </button>
                    {move || can_remove.get().then(|| view! {
                        <button class="button small" aria-label=remove_label.clone() on:click=click(remove)>"Remove…"</button>
                    }.into_any())}
                </span>
            </div>
            {move || is_shown.get().then(|| view! { <Detail alias=alias.get_value() line=line is_reading=is_reading /> }.into_any())}
        </div>
    }
}

/// Reads a program's help again and reports the outcome.
fn read_again(app: App, controls: Controls, alias: String) {
    leptos::task::spawn_local(async move {
        let reply = door::call(&RefreshCliTool { alias: alias.clone() }).await;
        controls.reading.update(|reading| {
            reading.remove(&alias);
        });
        match reply {
            Ok(row) => report(app, &row, &format!("Help of {} read again", name(&row.alias))),
            Err(error) => {
                app.report_error(error);
                app.decided.update(|decided| *decided += 1);
            }
        }
    });
}

fn alias(line: &Line) -> AnyView {
    let tag = origin(line.origin)
        .map(|(word, sentence)| view! { " "<span class="tag" title=sentence>{word}</span> }.into_any());
    view! { <span class="mono"><Foreign text=line.alias.clone() limit=64 /></span>{tag} }.into_any()
}

fn program(line: &Line) -> AnyView {
    view! { <span class="mono"><Foreign text=line.command.clone() limit=120 /></span> }.into_any()
}

fn state_and_reason(line: &Line) -> AnyView {
    let (word, dot) = state(line.state);
    let reason = line
        .reason
        .clone()
        .map(|reason| view! { <span class="reason"><Foreign text=reason limit=400 /></span> }.into_any());
    view! { <span class="state"><i class=dot></i>{word}</span>{reason} }.into_any()
}

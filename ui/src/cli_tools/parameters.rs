//! The table of a program's options and arguments: what each does, and whether it is offered.

use std::collections::BTreeSet;

use leptos::prelude::*;
use schemascope_api::CliParameter;

use crate::cells::RwSignal;
use crate::cli_entry::{RUNS_PROGRAMS, allow_name, withheld};
use crate::layout::{Shown, Width};
use crate::parts::{Column, Foreign, Views, cells, table};
use crate::text::visible;

/// Most characters of a description, and of spellings.
const MAX_DESCRIPTION: usize = 400;
const MAX_SPELLING: usize = 200;

/// Flags that are offered although they run programs.
pub type Allowed = RwSignal<BTreeSet<String>>;

/// A parameter in the table.
struct Parameter {
    row: CliParameter,
    /// Where it can be allowed; none where it is only shown.
    allowed: Option<Allowed>,
}

const COLUMNS: &[Column<Parameter>] = &[
    Column::drawing("spelling", "Spelling", Width::Share(140, 1.3), &spelling),
    Column::<Parameter>::drawing("property", "Property", Width::Share(100, 0.9), &property)
        .shown(Shown::Medium),
    Column::drawing("effects", "What it does", Width::Share(100, 0.8), &effects),
    Column::drawing("offered", "Offered", Width::Share(130, 1.0), &offered),
    Column::drawing("description", "Description", Width::Share(150, 2.2), &description),
];

/// Draws the table.
pub fn parameters(rows: &[CliParameter], allowed: Option<Allowed>) -> AnyView {
    let line = move |row: &CliParameter| {
        let parameter = Parameter { row: row.clone(), allowed };
        view! { <div class="tr">{cells(COLUMNS, &parameter)}</div> }.into_any()
    };
    table("cli-parameters", COLUMNS, None, rows.iter().map(line).views())
}

/// Numbers of parameters in a sentence.
pub fn summary(rows: &[CliParameter]) -> String {
    if rows.is_empty() {
        return "The help names no options and no arguments.".to_owned();
    }
    let reasons: Vec<&str> = rows.iter().filter_map(withheld).collect();
    let runs = reasons.iter().filter(|reason| **reason == RUNS_PROGRAMS).count();
    let offered = rows.len() - reasons.len();
    let mut text = format!("Options and arguments: {offered} offered");
    if runs > 0 {
        text += &format!(", {runs} withheld (runs programs)");
    }
    if reasons.len() > runs {
        text += &format!(", {} withheld (prints help or needs a terminal)", reasons.len() - runs);
    }
    text + "."
}

fn spelling(parameter: &Parameter) -> AnyView {
    let row = &parameter.row;
    let text = format!("{} {}", row.flags.join(", "), row.value_name);
    view! { <span class="mono"><Foreign text=text.trim().to_owned() limit=MAX_SPELLING /></span> }.into_any()
}

fn property(parameter: &Parameter) -> AnyView {
    view! { <span class="mono type"><Foreign text=parameter.row.property.clone() limit=MAX_SPELLING /></span> }
        .into_any()
}

fn effects(parameter: &Parameter) -> AnyView {
    let tag = |effect: &String| {
        let class = if effect == RUNS_PROGRAMS { "tag warn" } else { "tag" };
        view! { <span class=class>{effect.clone()}</span> }.into_any()
    };
    view! { <span class="tags">{parameter.row.effects.iter().map(tag).views()}</span> }.into_any()
}

fn offered(parameter: &Parameter) -> AnyView {
    let Some(reason) = withheld(&parameter.row) else {
        return view! { <span>"offered"</span> }.into_any();
    };
    let word = format!("withheld: {reason}");
    let allowed = match parameter.allowed {
        Some(allowed) if reason == RUNS_PROGRAMS => allowed,
        _ => return view! { <span class="dim">{word}</span> }.into_any(),
    };
    let name = allow_name(&parameter.row).to_owned();
    let label = format!("Allow {}", visible(&name, 80));
    let changed = name.clone();
    let is_allowed = move || allowed.with(|allowed| allowed.contains(&name));
    let (is_checked, is_offered) = (is_allowed.clone(), is_allowed);
    view! {
        <span class="warn">{move || if is_offered() { "offered: you allow it".to_owned() } else { word.clone() }}</span>
        <label class="check">
            <input type="checkbox" aria-label=label prop:checked=is_checked
                on:input:target=move |event| {
                    let is_checked = event.target().checked();
                    allowed.update(|allowed| {
                        if is_checked {
                            allowed.insert(changed.clone());
                        } else {
                            allowed.remove(&changed);
                        }
                    });
                } />
            <span>"Allow"</span>
        </label>
    }
    .into_any()
}

fn description(parameter: &Parameter) -> AnyView {
    view! { <span class="dim"><Foreign text=parameter.row.description.clone() limit=MAX_DESCRIPTION /></span> }
        .into_any()
}

//! Switching automatic promotion on, with what it promotes at once.

use leptos::prelude::*;
use schemascope_api::{CandidateRow, ListCandidates, Setting};

use super::{Reply, Undo, change, choose_by, value};
use crate::app::App;
use crate::cells::{RwSignal, StoredValue, click};
use crate::door;
use crate::numbers::number_of;
use crate::parts::{ToolName, Views};

/// Its name.
pub const SETTING: &str = "auto_promote";
/// The value that promotes nothing.
const NEVER: &str = "never";
/// Most versions that are listed.
const MAX_LISTED: usize = 8;

/// A value that was chosen, and the versions it promotes at once.
type Asking = RwSignal<Option<(&'static str, Vec<CandidateRow>)>>;

/// The values of the setting. One that promotes versions at once is saved after these were shown.
pub fn choose_with_preview(
    reply: Reply,
    setting: &'static Setting,
    choices: &[(&'static str, &'static str)],
) -> AnyView {
    let app = App::get();
    let asking: Asking = RwSignal::new(None);
    // Number of the latest press, so that the reply to an earlier one is ignored.
    let latest = StoredValue::new(0_u32);
    let save = move |word: &'static str, undo: Undo| {
        asking.set(None);
        change(app, reply, SETTING, word.to_owned(), undo, |_| ());
    };
    let press = move |word: &'static str| {
        latest.update_value(|latest| *latest += 1);
        let mine = latest.get_value();
        if word == NEVER || value(reply, SETTING) == word {
            return save(word, Undo::Offered);
        }
        leptos::task::spawn_local(async move {
            let rows = door::call(&ListCandidates {}).await;
            if latest.try_with_value(Clone::clone) != Some(mine) {
                return;
            }
            match rows {
                Ok(rows) => {
                    let due: Vec<_> = rows.into_iter().filter(|row| row.automatic).collect();
                    if due.is_empty() { save(word, Undo::Offered) } else { asking.set(Some((word, due))) }
                }
                Err(error) => app.report_error(error),
            }
        });
    };
    let asked = move || {
        asking.get().map(|(word, due)| {
            let versions = number_of(due.len(), "version is", "versions are");
            let more = due.len().saturating_sub(MAX_LISTED);
            let line = |row: &CandidateRow| {
                view! { <li><ToolName id=row.tool_id.clone() />{format!(" v{}", row.version)}</li> }.into_any()
            };
            view! {
                <div class="asked" role="group" aria-label="Versions that are promoted at once">
                    <p>{format!("{versions} ready and will be promoted now:")}</p>
                    <ul>{due.iter().take(MAX_LISTED).map(line).views()}</ul>
                    {(more > 0).then(|| view! { <p class="dim">{format!("… {more} more")}</p> }.into_any())}
                    <button class="button small" on:click=click(move |_| asking.set(None))>"Cancel"</button>
                    <button class="button small primary" on:click=click(move |_| save(word, Undo::Impossible))>"Switch on"</button>
                </div>
            }
            .into_any()
        })
    };
    view! { {choose_by(reply, setting, choices, press)}{asked} }.into_any()
}

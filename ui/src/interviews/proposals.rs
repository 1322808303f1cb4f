//! Descriptions of fields that interviews propose: a group of the review page.

use leptos::prelude::*;
use schemascope_api::DescriptionProposal;

use super::decide_descriptions;
use crate::app::{App, Undoing};
use crate::cells::{Memo, RwSignal, click};
use crate::door;
use crate::numbers::count;
use crate::parts::{Foreign, KeyedRow, ToolName, Views, keyed};
use crate::route::Route;

/// Longest description, in characters: all that agents get is shown.
const MAX_SHOWN: usize = 2_000;

/// Proposals that no one decided about, as the engine last sent them.
pub fn open_proposals(app: App) -> Memo<Vec<DescriptionProposal>> {
    Memo::new(move || app.live.about().map(|about| about.proposals.clone()).unwrap_or_default())
}

/// The group of the review page; nothing if there are no proposals.
#[component]
pub fn Proposals(
    /// The proposals.
    proposals: Memo<Vec<DescriptionProposal>>,
) -> impl IntoView {
    let any = Memo::new(move || proposals.with(|proposals| !proposals.is_empty()));
    let number = Memo::new(move || proposals.with(Vec::len));
    move || {
        any.get().then(|| {
            let row = |proposal: DescriptionProposal| {
                KeyedRow::new(proposal.proposal_id.clone(), move || view! { <Proposed proposal=proposal /> })
            };
            view! {
                <section class="card proposals" tabindex="0" aria-labelledby="proposals-title">
                    <header>
                        <h2 id="proposals-title">"Descriptions of fields"</h2>
                        <span class="side">{move || match number.get() {
                            1 => "1 interview".to_owned(),
                            several => format!("{} interviews", count(several as u64)),
                        }}</span>
                    </header>
                    {keyed(move || proposals.get().into_iter().map(row).collect())}
                </section>
            }
            .into_any()
        })
    }
}

#[component]
fn Proposed(
    /// The proposal.
    proposal: DescriptionProposal,
) -> impl IntoView {
    let app = App::get();
    let DescriptionProposal { proposal_id, project_id, tool_id, descriptions, .. } = proposal;
    let is_busy = RwSignal::new(false);
    let decide = {
        let tool_id = tool_id.clone();
        move |accept: bool| {
            let (tool, project, id) = (tool_id.clone(), project_id.clone(), proposal_id.clone());
            is_busy.set(true);
            leptos::task::spawn_local(async move {
                let command = decide_descriptions(project.clone(), id.clone(), Some(accept));
                match door::call(&command).await {
                    Ok(_) => {
                        let done = if accept { "Descriptions accepted" } else { "Descriptions rejected" };
                        app.notify_decided(done, vec![Undoing::Descriptions(tool, project, id)]);
                    }
                    Err(error) => app.report_error(error),
                }
                is_busy.set(false);
            });
        }
    };
    let (accept, reject) = (decide.clone(), decide);
    let fields = descriptions.into_iter().map(|(path, description)| {
        let place = if path.is_empty() { "the tool itself".to_owned() } else { path.clone() };
        view! {
            <dt class=if path.is_empty() { "faint" } else { "mono" }><Foreign text=place limit=200 /></dt>
            <dd><Foreign text=description limit=MAX_SHOWN /></dd>
        }
        .into_any()
    });
    view! {
        <article class="proposal" aria-label=format!("Descriptions for {}", crate::text::visible(&tool_id, 80))>
            <div class="title-row">
                <h3><a href=Route::tool(&tool_id).address()><ToolName id=tool_id.clone() /></a></h3>
                <span class="side">
                    <button class="button small" prop:disabled=move || is_busy.get() on:click=click(move |_| accept(true))>"Accept"</button>
                    <button class="button small" prop:disabled=move || is_busy.get() on:click=click(move |_| reject(false))>"Reject"</button>
                </span>
            </div>
            <dl>{fields.views()}</dl>
            <p class="quiet">"Accepted descriptions are part of inferred and promoted schemas, of wrappers, and of what agents see in the tool list."</p>
        </article>
    }
}

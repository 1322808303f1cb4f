//! The dialog that starts an interview.

use leptos::prelude::*;
use schemascope_api::{CallInterview, PageId};
use serde_json::{Map, Value};

use super::dialog::ActingDialog;
use super::interview::{Place, call, members};
use crate::app::App;
use crate::cells::RwSignal;
use crate::door;
use crate::interviews::found::text;
use crate::parts::{Acting, saved_person};
use crate::route::Route;

#[component]
pub fn StartDialog() -> impl IntoView {
    let app = App::get();
    let acting = Acting::new();
    let name = RwSignal::new(String::new());
    let is_empty = move || name.with(|name| name.trim().is_empty());
    let submit = move || {
        if !acting.begin() {
            return;
        }
        let name = name.get_untracked().trim().to_owned();
        leptos::task::spawn_local(async move {
            let place = match start(name).await {
                Ok(place) => place,
                Err(error) => return acting.fail(error),
            };
            let begun = begin(&place).await;
            let is_open = acting.is_open();
            acting.close();
            app.decided.update(|decided| *decided += 1);
            if is_open {
                app.go(Route::item(PageId::Interviews, place.conversation_id));
            }
            match begun {
                Ok(Some(ds_id)) => {
                    app.notify(format!("Interview started with {}", super::words::name(&ds_id)));
                }
                Ok(None) => app.notify("Interview started"),
                Err(error) => app.report_error(format!("The interview was started, but {error}")),
            }
        });
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        let is_plain = event.key() == "Enter" && !event.ctrl_key() && !event.meta_key();
        if is_plain && !untrack(is_empty) {
            event.prevent_default();
            submit();
        }
    };
    view! {
        <ActingDialog title="Start an interview".to_owned() act="Start" focus="#project-name" acting=acting disabled=Box::new(is_empty) submit=Box::new(submit)>
            <p class="dim">"Starts a project with one conversation, pursues the recommended Discovery Schema and asks its first question."</p>
            <p>
                <label>"Name of the project"
                    <input type="text" id="project-name" maxlength="200" autocomplete="off" placeholder="for example Bakery" on:keydown=keydown
                        prop:value=move || name.get() on:input:target=move |event| name.set(event.target().value()) />
                </label>
            </p>
        </ActingDialog>
    }
}

/// Starts a project with a conversation.
async fn start(project_name: String) -> Result<Place, String> {
    let arguments = members(&[("project_name", project_name.as_str())]);
    let command = CallInterview { tool: "start_interview".to_owned(), arguments, person: saved_person() };
    let reply = door::call(&command).await.map_err(|error| error.to_string())?;
    Ok(Place { project_id: text(&reply, "project_id"), conversation_id: text(&reply, "conversation_id") })
}

/// Starts what is recommended, and asks its first question. Returns its id, if anything is recommended.
async fn begin(place: &Place) -> Result<Option<String>, String> {
    let next = call("get_next_ds", place, Map::new()).await?;
    let Some(ds_id) = next.get("ds_id").and_then(Value::as_str) else { return Ok(None) };
    call("start_ds_pursuit", place, members(&[("ds_id", ds_id)])).await?;
    call("get_next_question", place, members(&[("ds_id", ds_id)])).await?;
    Ok(Some(ds_id.to_owned()))
}

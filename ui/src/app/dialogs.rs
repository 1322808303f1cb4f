//! Dialogs over the page.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use schemascope_api::RestartServer;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::{App, Dialog};
use crate::cells::{click, effect};
use crate::{door, pages, text};

#[component]
pub fn Dialogs() -> impl IntoView {
    let app = App::get();
    move || {
        app.dialog.get().map(|dialog| match dialog {
            Dialog::Palette => view! { <Modal label="Commands">{pages::palette()}</Modal> }.into_any(),
            Dialog::Decide(asking) => view! {
                <Modal label="Decision">{pages::decision(asking)}</Modal>
            }
            .into_any(),
            Dialog::Acknowledge(asking) => view! {
                <Modal label="Drift">{pages::acknowledgement(asking)}</Modal>
            }
            .into_any(),
            Dialog::Judge(asking) => view! {
                <Modal label="Failures in text">{pages::judgement(asking)}</Modal>
            }
            .into_any(),
            Dialog::Batch(batch) => view! {
                <Modal label="Decision">{pages::batch(batch)}</Modal>
            }
            .into_any(),
            Dialog::Export(exporting) => view! {
                <Modal label="Export">{pages::export(exporting)}</Modal>
            }
            .into_any(),
            Dialog::CliTool(asking) => view! {
                <Modal label="Command-line tool">{pages::cli_tool(asking)}</Modal>
            }
            .into_any(),
            Dialog::Interview(asking) => view! {
                <Modal label="Interview">{pages::interview(asking)}</Modal>
            }
            .into_any(),
            Dialog::Help => view! { <Modal label="Help">{pages::keys_and_filters()}</Modal> }.into_any(),
        })
    }
}

/// A dialog. It keeps the focus until it is closed and then returns it; the browser does both.
#[component]
fn Modal(
    /// Its name for screen readers.
    label: &'static str,
    /// Its content.
    children: Children,
) -> impl IntoView {
    let app = App::get();
    let place: NodeRef<leptos::html::Dialog> = NodeRef::new();
    effect(move || {
        if let Some(dialog) = place.get() {
            let _ = dialog.show_modal();
        }
    });
    let press = click(move |event: MouseEvent| {
        // A press on the dialog itself is one beside its content.
        if event.target().is_some_and(|target| target.dyn_ref::<HtmlDialogElement>().is_some()) {
            app.close_dialog();
        }
    });
    let cancel = move |event: web_sys::Event| {
        event.prevent_default();
        app.close_dialog();
    };
    view! {
        <dialog class="dialog" aria-label=label node_ref=place on:mousedown=press on:cancel=cancel>
            {children()}
        </dialog>
    }
}

/// Restarts a server and reports the outcome.
pub fn restart(app: App, server_name: String) {
    leptos::task::spawn_local(async move {
        match door::call(&RestartServer { server_name: server_name.clone() }).await {
            Ok(()) => app.notify(format!("Restarting {}", text::visible(&server_name, 60))),
            Err(error) => app.report_error(error),
        }
    });
}

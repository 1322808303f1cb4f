//! Views whose code is loaded on demand.
//!
//! The build splits functions marked with `wasm_split` off the first load. Calling one loads its code first.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

use super::{Empty, Loading};
use crate::app::App;
use crate::cells::{RwSignal, click, effect};
use crate::live::Connection;

/// A call of a function that may have to be loaded.
pub type OnDemand<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// Progress of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Loading,
    Failed,
}

/// Draws a view whose code `load` loads. Code that is loaded already is used at once, without a frame in between.
pub fn on_demand(
    load: fn() -> OnDemand<()>,
    draw: impl Fn() -> OnDemand<AnyView> + Send + 'static,
) -> AnyView {
    let progress = RwSignal::new(Progress::Loading);
    let draw = Box::new(draw);
    let app = App::get();
    effect(move || {
        let is_live = app.live.connection.get() == Connection::Live;
        if is_live && progress.get_untracked() == Progress::Failed {
            progress.set(Progress::Loading);
        }
    });
    let content = move || {
        if progress.get() == Progress::Failed {
            return failed(progress);
        }
        // The view belongs to this closure's reactive owner, so it is drawn here and not after waiting.
        match ready(load()) {
            Some(Ok(())) => ready(draw()).and_then(Result::ok).unwrap_or_else(|| failed(progress)),
            Some(Err(_)) => failed(progress),
            None => {
                leptos::task::spawn_local(async move {
                    let loaded = load().await.is_ok();
                    progress.set(if loaded { Progress::Loading } else { Progress::Failed });
                });
                view! { <Loading /> }.into_any()
            }
        }
    };
    view! { {content} }.into_any()
}

/// The result of a future that need not wait.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn failed(progress: RwSignal<Progress>) -> AnyView {
    view! {
        <Empty icon="triangle-alert" title="This page could not be loaded">
            <p>"Schemascope does not answer, or was updated since this tab was opened."</p>
            <p>
                <button class="button" on:click=click(move |_| progress.set(Progress::Loading))>"Try again"</button>
            </p>
        </Empty>
    }
    .into_any()
}

//! Folders of wrappers: whether they are current, their last changes, and newer texts beside edited wrappers.

use leptos::prelude::*;
use schemascope_api::{
    EditedWrapper, EvolveWrappers, ForgetWrapperTarget, GetWrapperFolders, LatestWrapper, SettleWrapper,
    WrapperChange, WrapperFolder,
};

use crate::app::App;
use crate::cells::{RwSignal, StoredValue, click, effect};
use crate::door;
use crate::numbers::ago;
use crate::parts::{Foreign, Loading, Views};
use crate::versions::raw;

/// Number of wrappers that are not current that are shown.
const SHOWN: usize = 20;

/// The folders, as the engine last sent them.
type Folders = RwSignal<Option<Result<Vec<WrapperFolder>, String>>>;

#[component]
pub fn Wrappers() -> impl IntoView {
    let app = App::get();
    let folders: Folders = RwSignal::new(None);
    // Again when wrappers were kept current or something was decided.
    effect(move || {
        app.live.wrappers.track();
        app.decided.track();
        load(folders);
    });
    view! {
        <section class="card group wrapper-folders" aria-label="Wrappers">
            <h2>"Wrappers"</h2>
            {move || match folders.get() {
                None => view! { <Loading /> }.into_any(),
                Some(Err(error)) => view! { <p class="bad"><Foreign text=error limit=400 /></p> }.into_any(),
                Some(Ok(all)) if all.is_empty() => view! {
                    <p class="dim">"No folder has wrappers yet. " <code>"schemascope generate --out wrappers"</code>
                        " writes them; they are kept current from then on."</p>
                }.into_any(),
                Some(Ok(all)) => all.into_iter().map(|one| folder(app, folders, one)).views().into_any(),
            }}
        </section>
    }
}

fn load(folders: Folders) {
    leptos::task::spawn_local(async move {
        let reply = door::call(&GetWrapperFolders {}).await.map_err(|error| error.to_string());
        folders.set(Some(reply));
    });
}

fn folder(app: App, folders: Folders, folder: WrapperFolder) -> AnyView {
    let WrapperFolder { target, gone, problem, wrapper_count, behind, edited, latest } = folder;
    let path = StoredValue::new(target.path.clone());
    let offered = edited.iter().filter(|wrapper| wrapper.difference.is_some()).count();
    let state = match (&problem, gone, behind.len(), offered) {
        (Some(_), ..) => ("tag bad", "cannot be kept current".to_owned()),
        (_, true, ..) => ("tag bad", "gone".to_owned()),
        (_, _, 0, 0) => ("tag good", "current".to_owned()),
        (_, _, 0, offered) => ("tag warn", format!("{offered} to decide")),
        (_, _, behind, _) => ("tag warn", format!("{behind} behind")),
    };
    let update = click(move |_| {
        leptos::task::spawn_local(async move {
            match door::call(&EvolveWrappers::default()).await {
                Ok(_) => load(folders),
                Err(error) => app.report_error(error),
            }
        });
    });
    let forget = click(move |_| {
        leptos::task::spawn_local(async move {
            match door::call(&ForgetWrapperTarget { path: path.get_value() }).await {
                Ok(_) => {
                    app.notify("No longer kept current; the files stay");
                    load(folders);
                }
                Err(error) => app.report_error(error),
            }
        });
    });
    let is_behind = !behind.is_empty();
    let count = if wrapper_count == 1 { "1 wrapper".to_owned() } else { format!("{wrapper_count} wrappers") };
    let languages = target.languages.join(", ");
    view! {
        <div class="wrapper-folder">
            <header>
                <h3 class="mono cut" title=path.get_value()><Foreign text=target.path limit=300 /></h3>
                <span class=state.0>{state.1}</span>
                {is_behind.then(|| view! { <button class="button small primary" on:click=update>"Bring up to date"</button> }.into_any())}
                <button class="button small" on:click=forget title="The files stay as they are">"Stop keeping it current"</button>
            </header>
            <p class="dim">{format!("{count} in {languages}")}</p>
            {problem.map(|problem| view! { <p class="bad"><Foreign text=problem limit=400 /></p> }.into_any())}
            {edited.into_iter().map(|wrapper| decide(app, folders, path, wrapper)).views()}
            {changes("Behind", behind.into_iter().map(|WrapperChange { file, why, .. }| (file, why, None)).collect())}
            {changes("Last changes", latest.into_iter().map(|LatestWrapper { file, at, why }| (file, why, Some(at.as_millis()))).collect())}
        </div>
    }
    .into_any()
}

/// Wrappers, with the reason of a change and its time.
fn changes(title: &'static str, changes: Vec<(String, String, Option<u64>)>) -> Option<AnyView> {
    let app = App::get();
    let more = changes.len().saturating_sub(SHOWN);
    let line = |(file, why, at): (String, String, Option<u64>)| {
        view! {
            <li>
                <span class="mono cut"><Foreign text=file limit=200 /></span>
                <span><Foreign text=why limit=300 /></span>
                <span class="dim">{at.map(|at| move || ago(at, app.live.now.get()))}</span>
            </li>
        }
        .into_any()
    };
    (!changes.is_empty()).then(|| {
        view! {
            <h4>{title}</h4>
            <ul class="changes">{changes.into_iter().take(SHOWN).map(line).views()}</ul>
            {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more")}</p> }.into_any())}
        }
        .into_any()
    })
}

/// A wrapper that was edited by hand, with the text beside it.
fn decide(app: App, folders: Folders, path: StoredValue<String>, wrapper: EditedWrapper) -> AnyView {
    let EditedWrapper { file, difference } = wrapper;
    let Some(lines) = difference else {
        return view! {
            <p class="edited"><span class="mono"><Foreign text=file limit=200 /></span>" was edited by hand and stays."</p>
        }
        .into_any();
    };
    let name = StoredValue::new(file.clone());
    let settle = move |take: bool| {
        click(move |_| {
            let command = SettleWrapper { path: path.get_value(), file: name.get_value(), take };
            leptos::task::spawn_local(async move {
                match door::call(&command).await {
                    Ok(()) => app.notify(if take { "New text taken" } else { "Your text stays" }),
                    Err(error) => app.report_error(error),
                }
                load(folders);
            });
        })
    };
    let take_label = format!("Take the new text of {file}");
    let keep_label = format!("Keep the edited text of {file}");
    view! {
        <div class="edited offered">
            <p><span class="mono"><Foreign text=file limit=200 /></span>" was edited by hand. The new text is beside it; taking it replaces the marked region."</p>
            {raw(&lines)}
            <p class="buttons">
                <button class="button small" aria-label=take_label on:click=settle(true)>"Take the new text"</button>
                <button class="button small" aria-label=keep_label on:click=settle(false)>"Keep mine"</button>
            </p>
        </div>
    }
    .into_any()
}

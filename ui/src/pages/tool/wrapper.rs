//! The wrapper of a tool in each language: what code that calls it looks like.

use leptos::prelude::*;
use schemascope_api::{GetWrapper, Quality, RawSchema, Source, Strategy, WrapperText};

use super::Detail;
use crate::app::App;
use crate::cells::{Memo, RwSignal, click, effect};
use crate::door;
use crate::parts::{Empty, Foreign, Loading, Payload, Views};

/// Languages: as commands name them, and as people do.
const LANGUAGES: &[(&str, &str)] = &[("python", "Python"), ("typescript", "TypeScript"), ("rust", "Rust")];

/// What a wrapper depends on, besides decisions.
type Basis = (String, Option<(Source, Quality, bool, Option<u32>)>, [Option<RawSchema>; 2]);

#[component]
pub fn Wrapper(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let app = App::get();
    let language = RwSignal::new(0_usize);
    let loaded = RwSignal::new(None::<Result<WrapperText, String>>);
    let basis: Memo<Basis> = known.part(|detail| {
        let row = &detail.row;
        let standing = (row.source, row.quality, row.violated, row.effective_version);
        let schemas = [detail.inferred_schema.clone(), detail.declared_schema.clone()];
        (row.tool_id.clone(), Some(standing), schemas)
    });
    effect(move || {
        let (tool_id, at) = (basis.get().0, language.get());
        app.decided.track();
        let lang = LANGUAGES.get(at).map_or("python", |(name, _)| name).to_owned();
        leptos::task::spawn_local(async move {
            let reply = door::call(&GetWrapper { tool_id, lang }).await.map_err(|error| error.to_string());
            // Another language may have been chosen meanwhile.
            if language.try_with_untracked(|now| *now == at) == Some(true) {
                loaded.set(Some(reply));
            }
        });
    });
    let choices = LANGUAGES.iter().enumerate().map(|(at, (_, title))| {
        view! {
            <button aria-pressed=move || if language.get() == at { "true" } else { "false" }
                on:click=click(move |_| language.set(at))>{*title}</button>
        }
        .into_any()
    });
    view! {
        <div class="wrapper-tab">
            <header>
                <div class="segments" role="group" aria-label="Language">{choices.views()}</div>
                {move || loaded.get().and_then(Result::ok).map(|wrapper| view! {
                    <p><b>{word(wrapper.strategy)}</b>": " <Foreign text=wrapper.reason limit=300 />"."</p>
                }.into_any())}
            </header>
            {move || match loaded.get() {
                None => view! { <Loading /> }.into_any(),
                Some(Err(error)) => view! {
                    <Empty icon="wrench" title="No wrapper"><p><Foreign text=error limit=300 /></p></Empty>
                }.into_any(),
                Some(Ok(wrapper)) => {
                    let (_, title) = LANGUAGES[language.get_untracked().min(LANGUAGES.len() - 1)];
                    let file = wrapper.path.rsplit('/').next().unwrap_or_default().to_owned();
                    let note = |note: String| view! { <li><Foreign text=note limit=400 /></li> }.into_any();
                    let notes = wrapper.notes.into_iter().map(note).views();
                    view! {
                        <Payload title=title file=file body=wrapper.text plain=true />
                        <ul class="quiet">{notes}</ul>
                        <p class="quiet">"Wrappers of all tools, with what they need: " <code>"schemascope generate --out wrappers"</code></p>
                    }.into_any()
                }
            }}
        </div>
    }
}

fn word(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Typed => "Typed",
        Strategy::Inferred => "Inferred",
        Strategy::Helper => "Helper",
    }
}

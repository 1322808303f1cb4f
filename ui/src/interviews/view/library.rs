//! The library: Discovery Schemas, files that cannot be used, and the folder for own files.

use leptos::prelude::*;

use super::known::Library;
use crate::cells::Memo;
use crate::numbers::{count, number_of};
use crate::parts::{Foreign, Icon, Views};

#[component]
pub fn LibraryList(
    /// The library.
    library: Memo<Option<Library>>,
) -> impl IntoView {
    let number = move || library.with(|library| library.as_ref().map_or(0, |library| library.schemas.len()));
    let unusable =
        move || library.with(|library| library.as_ref().map_or(0, |library| library.unusable.len()));
    view! {
        <details class="library" id="library">
            <summary>
                {move || format!("Discovery Schemas ({})", count(number() as u64))}
                {move || (unusable() > 0).then(|| view! {
                    " "<span class="tag bad"><Icon name="triangle-alert" />" "{number_of(unusable(), "unusable file", "unusable files")}</span>
                }.into_any())}
            </summary>
            {move || library.get().map(|library| draw(&library))}
        </details>
    }
}

fn draw(library: &Library) -> AnyView {
    let schema = |(ds_id, name, path, is_own): &(String, String, String, bool)| {
        let path = (!is_own).then(|| {
            view! { <span class="faint mono"><Foreign text=path.clone() limit=300 /></span> }.into_any()
        });
        view! {
            <li>
                <span><Foreign text=name.clone() limit=120 /></span>
                <span class="dim mono"><Foreign text=ds_id.clone() limit=120 /></span>
                {path}
            </li>
        }
        .into_any()
    };
    let file = |(path, line, reason): &(String, usize, String)| {
        view! {
            <li>
                <span class="mono"><Foreign text=path.clone() limit=300 />{format!(", line {line}")}</span>
                <span class="bad"><Foreign text=reason.clone() limit=400 /></span>
            </li>
        }
        .into_any()
    };
    view! {
        {(!library.unusable.is_empty()).then(|| view! {
            <ul aria-label="Unusable files">{library.unusable.iter().map(file).views()}</ul>
        }.into_any())}
        <ul aria-label="Discovery Schemas">{library.schemas.iter().map(schema).views()}</ul>
        <p class="dim">"Own files belong in "<span class="mono"><Foreign text=library.folder.clone() limit=400 /></span>"."</p>
    }
    .into_any()
}

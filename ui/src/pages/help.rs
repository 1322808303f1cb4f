//! The user guide, shown as pages of the dashboard.

use leptos::prelude::*;
use schemascope_api::PageId;

use crate::app::App;
use crate::browser;
use crate::cells::{Memo, RwSignal, effect};
use crate::markdown::{Block, Inline, blocks};
use crate::parts::{Empty, Loading, Views, inlines};
use crate::route::Route;

/// A file that is being loaded.
type Loaded = Option<Result<String, String>>;

#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    let chosen = Memo::new(move || app.route.with(|route| route.item_of(PageId::Help)));
    let topics = RwSignal::new(Vec::<(String, String)>::new());
    let document: RwSignal<Loaded> = RwSignal::new(None);
    leptos::task::spawn_local(async move { topics.set(browser::guide_topics().await) });
    // The chosen topic, else the first.
    let topic = Memo::new(move || {
        chosen.get().or_else(|| topics.with(|topics| topics.first().map(|(name, _)| name.clone())))
    });
    effect(move || {
        let Some(name) = topic.get() else { return };
        document.set(None);
        leptos::task::spawn_local(async move {
            // A name may contain anything; files of the guide have simple names.
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            let text = if is_name { browser::fetch_text(&format!("/guide-{name}.md")).await } else { None };
            if topic.try_with_untracked(|topic| *topic == Some(name.clone())) == Some(true) {
                document.set(Some(text.ok_or(name)));
            }
        });
    });
    let link = move |(name, title): (String, String)| {
        let href = Route::item(PageId::Help, &*name).address();
        let is_current = move || (topic.get().as_ref() == Some(&name)).then_some("page");
        view! { <a href=href aria-current=is_current>{title}</a> }.into_any()
    };
    view! {
        <div class="page guide">
            <nav aria-label="Topics">{move || topics.get().into_iter().map(link).views()}</nav>
            <article class="scrolls" tabindex="0" aria-label="Guide">
                {move || match document.get() {
                    None => view! { <Loading /> }.into_any(),
                    Some(Err(name)) => view! {
                        <Empty icon="search" title="Unknown topic">
                            <p>"The guide has no topic named " <b>{crate::text::visible(&name, 60)}</b> "."</p>
                        </Empty>
                    }.into_any(),
                    Some(Ok(text)) => blocks(&text).iter().map(block).views().into_any(),
                }}
            </article>
        </div>
    }
}

fn block(block: &Block) -> AnyView {
    match block {
        Block::Heading(1, text) => view! { <h1>{inlines(text)}</h1> }.into_any(),
        Block::Heading(2, text) => view! { <h2>{inlines(text)}</h2> }.into_any(),
        Block::Heading(_, text) => view! { <h3>{inlines(text)}</h3> }.into_any(),
        Block::Paragraph(text) => view! { <p>{inlines(text)}</p> }.into_any(),
        Block::Code(code) => view! { <pre tabindex="0">{code.clone()}</pre> }.into_any(),
        Block::List(numbered, items) => {
            let item = |(depth, text): &(usize, Vec<Inline>)| {
                view! { <li style:margin-left=format!("{}px", depth * 18)>{inlines(text)}</li> }.into_any()
            };
            let items = items.iter().map(item).views();
            if *numbered {
                view! { <ol>{items}</ol> }.into_any()
            } else {
                view! { <ul>{items}</ul> }.into_any()
            }
        }
        Block::Table(rows) => {
            let Some((head, body)) = rows.split_first() else { return ().into_any() };
            let header = |cell: &Vec<Inline>| view! { <th scope="col">{inlines(cell)}</th> }.into_any();
            let cell = |cell: &Vec<Inline>| view! { <td>{inlines(cell)}</td> }.into_any();
            let row = |row: &Vec<Vec<Inline>>| view! { <tr>{row.iter().map(cell).views()}</tr> }.into_any();
            view! {
                <table>
                    <thead><tr>{head.iter().map(header).views()}</tr></thead>
                    <tbody>{body.iter().map(row).views()}</tbody>
                </table>
            }
            .into_any()
        }
    }
}

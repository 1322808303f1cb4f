//! The changes between two schemas: by meaning, and line by line.

use leptos::prelude::*;
use schemascope_api::{ChangeClass, ChangeRow};

use crate::parts::{Foreign, Icon, Named, Views};
use crate::text::visible;

/// Most lines drawn of a comparison line by line.
const MAX_LINES: usize = 2_000;

/// The class of a change for readers or senders, as a word with a colour and an icon.
fn class(class: ChangeClass, side: &'static str) -> AnyView {
    let (word, colour, icon) = match class {
        ChangeClass::Breaking => ("breaking", "bad", "triangle-alert"),
        ChangeClass::Risky => ("risky", "warn", "circle-question-mark"),
        ChangeClass::Safe => ("safe", "", "check"),
    };
    view! {
        <span class=format!("tag {colour}") title=format!("{word} for {side}")>
            <Icon name=icon />
            " "
            {word}
            <span class="hidden">{format!(" for {side}")}</span>
        </span>
    }
    .into_any()
}

/// Changes with their effect on readers and on senders, at most `most` of them.
pub fn changes(rows: &[ChangeRow], most: usize) -> AnyView {
    if rows.is_empty() {
        return view! { <p class="quiet">"Both schemas mean the same."</p> }.into_any();
    }
    // The worst first, as the list may be shortened.
    let mut sorted: Vec<&ChangeRow> = rows.iter().collect();
    sorted.sort_by_key(|change| std::cmp::Reverse((change.output, change.input)));
    let line = |row: &&ChangeRow| {
        let path = if row.path.is_empty() { "whole result".to_owned() } else { row.path.clone() };
        view! {
            <li>
                {class(row.output, "readers")}
                {class(row.input, "senders")}
                <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
                <span><Named text=row.sentence.clone() /></span>
            </li>
        }
        .into_any()
    };
    let more = rows.len().saturating_sub(most);
    view! {
        <ul class="changed" aria-label="Changes with their effect on readers and senders">
            <li class="heads faint" aria-hidden="true">
                <span title="Code that reads these values">"Readers"</span>
                <span title="Code that sends these values">"Senders"</span>
                <span>"Path"</span>
                <span>"Change"</span>
            </li>
            {sorted.iter().take(most).map(line).views()}
        </ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more")}</p> }.into_any())}
    }
    .into_any()
}

/// The lines that differ.
pub fn raw(lines: &[String]) -> AnyView {
    if lines.is_empty() {
        return view! { <p class="quiet">"Both schemas have the same text."</p> }.into_any();
    }
    let line = |line: &String| {
        let (class, label) = match line.as_bytes().first() {
            Some(b'+') => ("new", "added: "),
            Some(b'-') => ("gone", "removed: "),
            Some(b'@') => ("faint", ""),
            _ => ("", ""),
        };
        view! { <span class=class><span class="hidden">{label}</span><Foreign text=line.clone() limit=400 />"\n"</span> }.into_any()
    };
    let more = lines.len().saturating_sub(MAX_LINES);
    view! {
        <pre class="json lines" tabindex="0" dir="ltr">{lines.iter().take(MAX_LINES).map(line).views()}</pre>
        {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more lines")}</p> }.into_any())}
    }
    .into_any()
}

//! What changed between two schemas: first what it means, then line by line.

use leptos::prelude::*;
use schemascope_api::{ChangeClass, ChangeRow};

use crate::parts::{Foreign, Icon, Views};
use crate::text::visible;

/// Lines drawn of a raw comparison.
const LINES: usize = 2_000;

/// A class in a word, its colour and a sign of its own.
fn class(class: ChangeClass) -> AnyView {
    let (word, colour, icon) = match class {
        ChangeClass::Breaking => ("breaking", "bad", "triangle-alert"),
        ChangeClass::Risky => ("risky", "warn", "circle-question-mark"),
        ChangeClass::Safe => ("safe", "", "check"),
    };
    view! { <span class=format!("tag {colour}")><Icon name=icon />" " {word}</span> }.into_any()
}

/// Changes for who reads the output, at most `most` of them.
pub fn changes(rows: &[ChangeRow], most: usize) -> AnyView {
    if rows.is_empty() {
        return view! { <p class="quiet">"The two say the same."</p> }.into_any();
    }
    // The worst first: what matters must not be cut.
    let mut sorted: Vec<&ChangeRow> = Vec::new();
    for wanted in [ChangeClass::Breaking, ChangeClass::Risky, ChangeClass::Safe] {
        for row in rows.iter().filter(|row| row.output == wanted) {
            sorted.push(row);
        }
    }
    let line = |row: &&ChangeRow| {
        let path = if row.path.is_empty() { "whole result".to_owned() } else { row.path.clone() };
        view! {
            <li>
                {class(row.output)}
                <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
                <span><Foreign text=row.sentence.clone() limit=500 /></span>
            </li>
        }
        .into_any()
    };
    let more = rows.len().saturating_sub(most);
    view! {
        <ul class="changed" aria-label="Changes for who reads the output">{sorted.iter().take(most).map(line).views()}</ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more")}</p> }.into_any())}
    }
    .into_any()
}

/// The lines that differ.
pub fn raw(lines: &[String]) -> AnyView {
    if lines.is_empty() {
        return view! { <p class="quiet">"The two are the same text."</p> }.into_any();
    }
    let line = |line: &String| {
        let (class, label) = match line.as_bytes().first() {
            Some(b'+') => ("new", "new: "),
            Some(b'-') => ("gone", "gone: "),
            Some(b'@') => ("faint", ""),
            _ => ("", ""),
        };
        view! { <span class=class><span class="hidden">{label}</span><Foreign text=line.clone() limit=400 />"\n"</span> }.into_any()
    };
    let more = lines.len().saturating_sub(LINES);
    view! {
        <pre class="json lines" tabindex="0" dir="ltr">{lines.iter().take(LINES).map(line).views()}</pre>
        {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more lines")}</p> }.into_any())}
    }
    .into_any()
}

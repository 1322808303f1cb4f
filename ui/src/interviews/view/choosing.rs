//! Answers that are chosen or filled into a table.

use leptos::prelude::*;

use super::interview::Draft;
use crate::cells::{Memo, StoredValue, click};
use crate::parts::{Foreign, KeyedRow, Views, keyed, shown};
use crate::text::visible;

/// Columns of a template that only inform.
const FACTS: [&str; 3] = ["type", "presence", "example"];

/// Radio buttons, or check boxes where several choices can apply.
pub fn choices(draft: Draft, question: &str, all: &[String], takes_several: bool) -> AnyView {
    let choice = |(at, choice): (usize, &String)| {
        let (label, choice) = (choice.clone(), StoredValue::new(choice.clone()));
        let is_chosen =
            move || choice.with_value(|choice| draft.chosen.with(|chosen| chosen.contains(choice)));
        let change = move |is_checked: bool| {
            draft.chosen.update(|chosen| {
                if !takes_several {
                    chosen.clear();
                }
                match is_checked {
                    true => chosen.insert(choice.get_value()),
                    false => choice.with_value(|choice| chosen.remove(choice)),
                };
            });
            draft.is_touched.set(draft.chosen.with_untracked(|chosen| !chosen.is_empty()));
        };
        view! {
            <label class="check">
                <input type=if takes_several { "checkbox" } else { "radio" } name="answer" id=(at == 0).then_some("answer")
                    prop:checked=is_chosen on:change:target=move |event| change(event.target().checked()) />
                <span><Foreign text=label limit=300 /></span>
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset aria-describedby="answer-help">
            <legend class="question-text">{shown(question)}</legend>
            {all.iter().enumerate().map(choice).views()}
        </fieldset>
    }
    .into_any()
}

/// A table that can be filled in and grows by a button.
pub fn table(draft: Draft, question: &str, headings: &[String]) -> AnyView {
    let width = headings.len();
    let number = Memo::new(move || draft.rows.with(Vec::len));
    let head = |heading: &String| {
        view! { <th scope="col"><Foreign text=heading.clone() limit=80 /></th> }.into_any()
    };
    let head = headings.iter().map(head).views();
    let headings = StoredValue::new(headings.to_vec());
    let add = move |_| draft.rows.update(|rows| rows.push(vec![String::new(); width]));
    view! {
        <p class="question-text" id="question-text">{shown(question)}</p>
        <div class="scrolls" tabindex="0" role="region" aria-labelledby="question-text">
            <table class="answer-table" aria-describedby="answer-help">
                <thead><tr>{head}</tr></thead>
                <tbody>
                    {keyed(move || {
                        (0..number.get()).map(|at| KeyedRow::new(at, move || row(draft, headings, at))).collect()
                    })}
                </tbody>
            </table>
        </div>
        <p><button class="button small" on:click=click(add)>"Add a row"</button></p>
    }
    .into_any()
}

/// A row. What informs only is shown as text.
fn row(draft: Draft, headings: StoredValue<Vec<String>>, at: usize) -> AnyView {
    let cells = draft.rows.with_untracked(|rows| rows.get(at).cloned().unwrap_or_default());
    let cell = |(column, heading): (usize, &String)| {
        let text = cells.get(column).cloned().unwrap_or_default();
        if FACTS.contains(&heading.as_str()) && !text.is_empty() {
            return view! { <td class="dim"><Foreign text=text limit=200 /></td> }.into_any();
        }
        let label = format!("{}, row {}", visible(heading, 80), at + 1);
        let change = move |value: String| {
            draft.rows.update(|rows| {
                if let Some(cell) = rows.get_mut(at).and_then(|row| row.get_mut(column)) {
                    *cell = value;
                }
            });
            draft.is_touched.set(true);
        };
        view! {
            <td>
                <input type="text" id=(at == 0 && column == 0).then_some("answer") aria-label=label autocomplete="off" prop:value=text
                    on:input:target=move |event| change(event.target().value()) />
            </td>
        }
        .into_any()
    };
    let cells = headings.with_value(|headings| headings.iter().enumerate().map(cell).views());
    view! { <tr>{cells}</tr> }.into_any()
}

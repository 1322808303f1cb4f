//! The user's rules of redaction, tried before they are kept.

use leptos::prelude::*;
use schemascope_api::{ChangeRedaction, RedactionRules, SettingsReply, TriedRedaction, TryRedaction};

use super::Reply;
use crate::app::App;
use crate::cells::{Memo, RwSignal, click, effect};
use crate::numbers::count;
use crate::parts::{Foreign, Views, shown};
use crate::{browser, door};

/// After a key, before the rules are tried.
const PAUSE: i32 = 300;
/// What stands for something redacted begins and ends so.
const MARKER: (char, char) = ('⟦', '⟧');
const EXAMPLE: &str = r#"{"badge": "EMP-00417", "api_key": "sk-live-51H8x", "city": "Lisbon"}"#;

fn rules_of(reply: &Option<Result<SettingsReply, String>>) -> RedactionRules {
    reply
        .as_ref()
        .and_then(|reply| reply.as_ref().ok())
        .map(|reply| reply.redaction.clone())
        .unwrap_or_default()
}

/// Lines that say something.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[component]
pub fn Redaction(
    /// The settings.
    reply: Reply,
) -> impl IntoView {
    let app = App::get();
    let kept = Memo::new(move || reply.with(rules_of));
    let first = kept.get_untracked();
    let keys = RwSignal::new(first.keys.join("\n"));
    let patterns = RwSignal::new(first.patterns.join("\n"));
    let text = RwSignal::new(EXAMPLE.to_owned());
    let rules = Memo::new(move || RedactionRules {
        keys: keys.with(|text| lines(text)),
        patterns: patterns.with(|text| lines(text)),
    });
    let tried = RwSignal::new(None::<Result<TriedRedaction, String>>);
    let round = RwSignal::new(0_u64);
    // Tried a moment after the last key; an answer to an older question is not shown.
    effect(move || {
        let command = TryRedaction { rules: rules.get(), text: text.get() };
        round.update(|round| *round += 1);
        let mine = round.get_untracked();
        leptos::task::spawn_local(async move {
            browser::sleep(PAUSE).await;
            if round.try_with_untracked(|round| *round) != Some(mine) {
                return;
            }
            let answer = door::call(&command).await.map_err(|error| error.to_string());
            if round.try_with_untracked(|round| *round) == Some(mine) {
                tried.set(Some(answer));
            }
        });
    });
    let is_other = Memo::new(move || rules.get() != kept.get());
    let is_wrong = Memo::new(move || tried.with(|tried| matches!(tried, Some(Err(_)))));
    let keep = move |_| {
        let rules = rules.get_untracked();
        leptos::task::spawn_local(async move {
            match door::call(&ChangeRedaction { rules }).await {
                Ok(now) => {
                    reply.set(Some(Ok(now)));
                    app.say("Kept, and in force for what is recorded from now on");
                }
                Err(error) => app.complain(error),
            }
        });
    };
    let back = move |_| {
        let kept = kept.get_untracked();
        keys.set(kept.keys.join("\n"));
        patterns.set(kept.patterns.join("\n"));
    };
    let trouble = move || {
        let problem = reply.with(|reply| match reply {
            Some(Ok(reply)) => reply.redaction_problem.clone(),
            _ => None,
        });
        problem.map(|text| {
            view! { <p class="trouble" role="alert"><Foreign text=text limit=400 /></p> }.into_any()
        })
    };
    view! {
        <section class="card group" aria-label="Redaction">
            <h2>"Redaction"</h2>
            <p class="dim">
                "Before anything is stored, secrets become markers: what stands under telling keys, what has the form of a secret, and every value of your configuration. Add what is secret for you."
            </p>
            {trouble}
            <div class="rules">
                <label>"Keys whose values are secret, one per line"
                    <textarea rows="4" spellcheck="false" placeholder="badge_number" prop:value=move || keys.get()
                        on:input:target=move |event| keys.set(event.target().value())></textarea>
                </label>
                <label>"Patterns (regular expressions), one per line"
                    <textarea rows="4" spellcheck="false" placeholder=r"EMP-\d{5}" prop:value=move || patterns.get()
                        on:input:target=move |event| patterns.set(event.target().value())></textarea>
                </label>
                <label>"Try them on a text or a JSON document"
                    <textarea rows="5" id="redaction-text" spellcheck="false" prop:value=move || text.get()
                        on:input:target=move |event| text.set(event.target().value())></textarea>
                </label>
                <div class="tried" aria-live="polite">
                    <span>"As it would be stored"</span>
                    {move || tried.get().map(|tried| match tried {
                        Ok(tried) => view! { <Tried tried=tried /> }.into_any(),
                        Err(error) => view! { <p class="bad"><Foreign text=error limit=400 /></p> }.into_any(),
                    })}
                </div>
            </div>
            {move || is_other.get().then(|| view! {
                <div class="buttons">
                    <button class="button" on:click=click(back)>"Back to what is kept"</button>
                    <button class="button primary" prop:disabled=move || is_wrong.get() on:click=click(keep)>"Keep these rules"</button>
                </div>
            }.into_any())}
        </section>
    }
}

#[component]
fn Tried(
    /// What came of it.
    tried: TriedRedaction,
) -> impl IntoView {
    let TriedRedaction { redacted, calls, calls_changed, values } = tried;
    let stored = match (calls, calls_changed) {
        (0, _) => "No calls are stored yet to try them on.".to_owned(),
        (calls, 0) => format!("In the latest {} stored calls they find nothing more.", count(calls)),
        (calls, changed) => format!(
            "In {} of the latest {} stored calls they find {} more values. Rules hold for what comes; for what is stored, stop Schemascope and run: schemascope redact",
            count(changed),
            count(calls),
            count(values)
        ),
    };
    view! {
        <pre class="mono" tabindex="0">{marked(&redacted)}</pre>
        <p class="dim">{stored}</p>
    }
}

/// A text with its markers set off.
fn marked(text: &str) -> Vec<AnyView> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while let Some((plain, behind)) = rest.split_once(MARKER.0) {
        let Some((marker, behind)) = behind.split_once(MARKER.1) else { break };
        pieces.extend(shown(plain));
        let marker = format!("{}{marker}{}", MARKER.0, MARKER.1);
        pieces.push(view! { <mark>{shown(&marker).into_iter().views()}</mark> }.into_any());
        rest = behind;
    }
    pieces.extend(shown(rest));
    pieces
}

//! The user's redaction rules, with a preview of their effect.

use leptos::prelude::*;
use schemascope_api::{
    ChangeRedaction, ErrorKind, RedactionRules, SettingsReply, TriedRedaction, TryRedaction,
};

use super::Reply;
use crate::app::App;
use crate::cells::{Memo, RwSignal, click, effect};
use crate::numbers::{count, number_of};
use crate::parts::{Foreign, Views, shown};
use crate::{browser, door};

/// Pause after the last key before the preview is updated, in milliseconds.
const TYPING_PAUSE_MS: i32 = 300;
/// First and last character of the marker that replaces a secret.
const MARKER: (char, char) = ('⟦', '⟧');
const EXAMPLE: &str = r#"{"badge": "EMP-00417", "api_key": "sk-live-51H8x", "city": "Lisbon"}"#;

fn rules_of(reply: &Option<Result<SettingsReply, String>>) -> RedactionRules {
    reply
        .as_ref()
        .and_then(|reply| reply.as_ref().ok())
        .map(|reply| reply.redaction.clone())
        .unwrap_or_default()
}

/// Non-empty lines.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[component]
pub fn Redaction(
    /// The settings.
    reply: Reply,
) -> impl IntoView {
    let app = App::get();
    let saved = Memo::new(move || reply.with(rules_of));
    let first = saved.get_untracked();
    let keys = RwSignal::new(first.keys.join("\n"));
    let patterns = RwSignal::new(first.patterns.join("\n"));
    let text = RwSignal::new(EXAMPLE.to_owned());
    let rules = Memo::new(move || RedactionRules {
        keys: keys.with(|text| lines(text)),
        patterns: patterns.with(|text| lines(text)),
    });
    // Rules that were changed elsewhere replace what nothing was typed into.
    Effect::new(move |before: Option<RedactionRules>| {
        let now = saved.get();
        if before.is_some_and(|before| before != now && before == rules.get_untracked()) {
            keys.set(now.keys.join("\n"));
            patterns.set(now.patterns.join("\n"));
        }
        now
    });
    // The preview, or whether the rules are invalid and why there is none.
    let tried = RwSignal::new(None::<Result<TriedRedaction, (bool, String)>>);
    let round = RwSignal::new(0_u64);
    // Requested a moment after the last key; replies to earlier requests are ignored.
    effect(move || {
        app.live.connection.track();
        let command = TryRedaction { rules: rules.get(), text: text.get() };
        round.update(|round| *round += 1);
        let mine = round.get_untracked();
        leptos::task::spawn_local(async move {
            browser::sleep(TYPING_PAUSE_MS).await;
            if round.try_with_untracked(|round| *round) != Some(mine) {
                return;
            }
            let answer = door::call(&command)
                .await
                .map_err(|error| (error.kind == ErrorKind::Invalid, error.to_string()));
            if round.try_with_untracked(|round| *round) == Some(mine) {
                tried.set(Some(answer));
            }
        });
    });
    let is_changed = Memo::new(move || rules.get() != saved.get());
    let is_invalid = Memo::new(move || tried.with(|tried| matches!(tried, Some(Err((true, _))))));
    let save = move |_| {
        let rules = rules.get_untracked();
        leptos::task::spawn_local(async move {
            match door::call(&ChangeRedaction { rules }).await {
                Ok(now) => {
                    reply.set(Some(Ok(now)));
                    app.notify("Saved; applies to calls from now on");
                }
                Err(error) => app.report_error(error),
            }
        });
    };
    let back = move |_| {
        let saved = saved.get_untracked();
        keys.set(saved.keys.join("\n"));
        patterns.set(saved.patterns.join("\n"));
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
                "Values of sensitive keys, values that look like secrets, and all values from your configuration are replaced before anything is stored. Add your own rules."
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
                <label>"Text or JSON to test the rules"
                    <textarea rows="5" id="redaction-text" spellcheck="false" prop:value=move || text.get()
                        on:input:target=move |event| text.set(event.target().value())></textarea>
                </label>
                <div class="tried" aria-live="polite">
                    <span>"Stored as"</span>
                    {move || tried.get().map(|tried| match tried {
                        Ok(tried) => view! { <Tried tried=tried /> }.into_any(),
                        Err((_, error)) => view! { <p class="bad"><Foreign text=error limit=400 /></p> }.into_any(),
                    })}
                </div>
            </div>
            {move || is_changed.get().then(|| view! {
                <div class="buttons">
                    <button class="button" on:click=click(back)>"Discard changes"</button>
                    <button class="button primary" prop:disabled=move || is_invalid.get() on:click=click(save)>"Save rules"</button>
                </div>
            }.into_any())}
        </section>
    }
}

#[component]
fn Tried(
    /// The preview.
    tried: TriedRedaction,
) -> impl IntoView {
    let TriedRedaction { redacted, calls, calls_changed, values } = tried;
    let stored = match (calls, calls_changed) {
        (0, _) => "No stored calls to test the rules on yet.".to_owned(),
        (calls, 0) => {
            format!(
                "The rules find nothing more in the latest {}.",
                number_of(calls as usize, "stored call", "stored calls")
            )
        }
        (calls, changed) => format!(
            "The rules find {} in {} of the latest {}. They apply to new calls; to redact stored ones, stop Schemascope and run: schemascope redact",
            number_of(values as usize, "more value", "more values"),
            count(changed),
            number_of(calls as usize, "stored call", "stored calls")
        ),
    };
    view! {
        <pre class="mono" tabindex="0">{marked(&redacted)}</pre>
        <p class="dim">{stored}</p>
    }
}

/// A text with highlighted markers.
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

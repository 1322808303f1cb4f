//! Saving files, with a word about where they are.

use crate::app::App;
use crate::door;
use crate::text::visible;

/// Longest path that is shown, in characters.
const MAX_PLACE: usize = 200;

/// Saves a text as a file. Returns what to say of it, or nothing if the user cancelled.
pub async fn saved(name: &str, text: &str) -> Result<Option<String>, String> {
    let place = door::save(name, text).await?;
    Ok(place.map(|place| format!("{} saved", visible(&place, MAX_PLACE))))
}

/// Saves a text as a file, and says so.
pub fn save(app: App, name: String, text: String) {
    leptos::task::spawn_local(async move {
        match saved(&name, &text).await {
            Ok(Some(said)) => app.notify(said),
            Ok(None) => {}
            Err(error) => app.report_error(format!("Cannot save: {error}")),
        }
    });
}

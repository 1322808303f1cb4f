//! Light, dark, or what the system says.

use super::App;
use crate::browser;
use crate::cells::{RwSignal, effect};

/// What the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Whatever the system says.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// What was chosen at an earlier visit.
    pub fn kept() -> Self {
        match browser::kept("theme").as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// The next one, round and round.
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    /// Its name, as kept and shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Its icon.
    pub fn icon(self) -> &'static str {
        match self {
            Self::System => "monitor",
            Self::Light => "sun",
            Self::Dark => "moon",
        }
    }
}

/// Keeps the page in the theme chosen, also when the system changes.
pub fn apply(app: App) {
    let system_light = RwSignal::new(browser::system_is_light());
    effect(move || {
        let theme = app.theme.get();
        browser::keep("theme", Some(theme.name()));
        let light = match theme {
            Theme::System => system_light.get(),
            Theme::Light => true,
            Theme::Dark => false,
        };
        if let Some(root) = browser::document().document_element() {
            let _ = root.set_attribute("data-theme", if light { "light" } else { "dark" });
        }
    });
    // Looked at with every second that passes: a listener for one media query is not worth its code.
    effect(move || {
        app.live.now.track();
        let light = browser::system_is_light();
        if system_light.get_untracked() != light {
            system_light.set(light);
        }
    });
}

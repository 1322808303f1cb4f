//! The theme: light, dark, or the system's.

use super::App;
use crate::browser;
use crate::cells::{RwSignal, effect};

/// The chosen theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// The system's theme.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The theme chosen at an earlier visit.
    pub fn saved() -> Self {
        match browser::saved("theme").as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// The next theme, in a cycle.
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    /// Its name, as saved and shown.
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

/// Applies the theme, also when it or the system's changes.
pub fn apply(app: App) {
    let system_light = RwSignal::new(browser::system_is_light());
    effect(move || {
        let theme = app.theme.get();
        browser::save("theme", Some(theme.name()));
        let light = match theme {
            Theme::System => system_light.get(),
            Theme::Light => true,
            Theme::Dark => false,
        };
        if let Some(root) = browser::document().document_element() {
            let _ = root.set_attribute("data-theme", if light { "light" } else { "dark" });
        }
    });
    // Checked every second: a listener for a media query would add code.
    effect(move || {
        app.live.now.track();
        let light = browser::system_is_light();
        if system_light.get_untracked() != light {
            system_light.set(light);
        }
    });
}

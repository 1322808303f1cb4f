//! Variables that programs inherit.

/// Variables a program inherits, besides every `LC_*`: those the MCP SDKs pass on, and those programs need to find
/// their locale, temporary files and settings. All others may be secrets.
const INHERITED: &[&str] = &[
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERPROFILE",
];

/// Variable that names the process that started a program. A Schemascope that is its own upstream would list its own
/// tools again and again, under ever longer names.
pub const UPSTREAM_OF: &str = "SCHEMASCOPE_UPSTREAM_OF";

/// The variables of our environment that programs inherit.
pub fn inherited() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        // Shells export functions as variables that begin with `()`; programs do not need them.
        let wanted = INHERITED.contains(&name.to_ascii_uppercase().as_str()) || name.starts_with("LC_");
        (wanted && !value.starts_with("()")).then_some((name, value))
    })
}

//! Groups of own tools. The setting `own_tools` makes them part of `/mcp`.

/// A group of own tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// What is known about the tools of other servers.
    Insight,
    /// Which tool feeds which.
    Plans,
    /// Command-line tools.
    Cli,
    /// Interviews.
    Interviews,
}

impl Group {
    /// Name of the group in the setting.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Insight => "insight",
            Self::Plans => "plans",
            Self::Cli => "cli",
            Self::Interviews => "interviews",
        }
    }
}

#[cfg(test)]
mod tests {
    use schemascope_api::OWN_TOOL_GROUPS;

    use super::*;

    #[test]
    fn setting_accepts_every_group() {
        let words: Vec<&str> = OWN_TOOL_GROUPS.iter().map(|choice| choice.word).collect();
        assert_eq!(
            words,
            [Group::Insight.name(), Group::Plans.name(), Group::Cli.name(), Group::Interviews.name()]
        );
    }
}

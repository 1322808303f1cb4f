//! Register of the dashboard's pages.
//!
//! Addresses, navigation, palette, key help, window titles and the paths the engine serves all follow from
//! [`PAGES`]. A new page is an entry here and the code that draws it in `ui/src/pages`.

/// Key that begins the chord of every page: `g t` opens the tools.
pub const CHORD: char = 'g';

/// Name of a page in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageId {
    /// State of all tools, servers and the recorder.
    Overview,
    /// All tools; with an item, one of them.
    Tools,
    /// Versions and drift that need a decision.
    Review,
    /// Recorded calls.
    Calls,
    /// Which tool's results feed which tool.
    Graph,
    /// Interviews by Discovery Schemas.
    Interviews,
    /// Upstream servers.
    Servers,
    /// Settings and redaction rules.
    Settings,
    /// The user guide.
    Help,
}

/// What an address can name below a page: `/calls/ID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Nothing.
    None,
    /// An entry that opens within the page.
    Within,
    /// An entry that is shown instead of the list. It gives the window its title.
    Instead,
}

/// A page of the dashboard.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// Its name in code.
    pub id: PageId,
    /// First part of its path: `tools`. Empty for the start page.
    pub path: &'static str,
    /// Title in navigation, palette and window.
    pub title: &'static str,
    /// Name of its icon in `assets/icons.svg`.
    pub icon: &'static str,
    /// Key that opens it after [`CHORD`].
    pub key: char,
    /// What it shows, in a few words.
    pub label: &'static str,
    /// What an address can name below it.
    pub item: Item,
    /// Keys that act on the page, and what they do.
    pub keys: &'static [(char, &'static str)],
    /// Further parameters of its address, beside the filter and the tab, in their order.
    pub params: &'static [&'static str],
}

/// Every page, in the order of the navigation.
pub const PAGES: &[Page] = &[
    Page {
        id: PageId::Overview,
        path: "",
        title: "Overview",
        icon: "gauge",
        key: 'o',
        label: "schema coverage, problems and latest calls",
        item: Item::None,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Tools,
        path: "tools",
        title: "Tools",
        icon: "wrench",
        key: 't',
        label: "all tools and what is known of their results",
        item: Item::Instead,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Review,
        path: "review",
        title: "Review",
        icon: "inbox",
        key: 'r',
        label: "versions and drift that need a decision",
        item: Item::Within,
        keys: &[
            ('p', "promote the candidate, or all selected"),
            ('x', "reject the candidate, or all selected"),
            ('a', "acknowledge drift"),
            (' ', "select the tool"),
            ('J', "extend the selection down"),
            ('K', "extend the selection up"),
        ],
        params: &[],
    },
    Page {
        id: PageId::Calls,
        path: "calls",
        title: "Calls",
        icon: "activity",
        key: 'c',
        label: "recorded calls, newest first",
        item: Item::Within,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Graph,
        path: "graph",
        title: "Graph",
        icon: "waypoints",
        key: 'g',
        label: "which tool's results feed which tool",
        item: Item::None,
        keys: &[
            ('+', "open the next hop of the selected tool, or close it"),
            ('f', "put the selected tool in the middle"),
            ('p', "plan the calls that lead to the tool in the middle"),
            ('v', "switch between picture and table in a narrow window"),
        ],
        params: &["focus", "hops", "min", "open", "from", "to", "plan", "have"],
    },
    Page {
        id: PageId::Interviews,
        path: "interviews",
        title: "Interviews",
        icon: "messages-square",
        key: 'i',
        label: "questions, answers and what they add up to",
        item: Item::Within,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Servers,
        path: "servers",
        title: "Servers",
        icon: "server",
        key: 's',
        label: "state and log of each server",
        item: Item::Within,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Settings,
        path: "settings",
        title: "Settings",
        icon: "sliders",
        key: ',',
        label: "versions, adaptation, retention and redaction",
        item: Item::None,
        keys: &[],
        params: &[],
    },
    Page {
        id: PageId::Help,
        path: "help",
        title: "Guide",
        icon: "book-open",
        key: 'h',
        label: "the user guide",
        item: Item::Within,
        keys: &[],
        params: &[],
    },
];

impl PageId {
    /// Its entry in the register.
    pub fn page(self) -> &'static Page {
        // Every id has an entry: a test compares the two.
        PAGES.iter().find(|page| page.id == self).unwrap_or(&PAGES[0])
    }
}

impl Page {
    /// The page of a path such as `tools/shop__get_order`, without the leading slash.
    pub fn of_path(path: &str) -> Option<&'static Self> {
        let (first, item) = path.split_once('/').unwrap_or((path, ""));
        let page = PAGES.iter().find(|page| page.path == first)?;
        (item.is_empty() || page.item != Item::None).then_some(page)
    }

    /// The page a key opens after [`CHORD`].
    pub fn of_key(key: &str) -> Option<&'static Self> {
        let mut chars = key.chars();
        let key = chars.next().filter(|_| chars.next().is_none())?;
        PAGES.iter().find(|page| page.key == key)
    }

    /// Its keys as written in help and tooltips: `g t`.
    pub fn chord(&self) -> String {
        format!("{CHORD} {}", self.key)
    }

    /// The address of its list: `/tools`.
    pub fn address(&self) -> String {
        format!("/{}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_differ_in_id_path_and_key() {
        for (at, page) in PAGES.iter().enumerate() {
            assert_eq!(page.id.page(), page);
            for other in &PAGES[..at] {
                assert!(page.id != other.id && page.path != other.path && page.key != other.key);
            }
        }
    }

    #[test]
    fn paths_and_keys_lead_to_their_page() {
        assert_eq!(Page::of_path("tools/a").map(|page| page.id), Some(PageId::Tools));
        assert_eq!(Page::of_path("").map(|page| page.id), Some(PageId::Overview));
        assert_eq!(Page::of_path("settings/a"), None);
        assert_eq!(Page::of_path("nowhere"), None);
        assert_eq!(Page::of_key(",").map(Page::chord), Some("g ,".to_owned()));
        assert_eq!(Page::of_key("tt"), None);
    }
}

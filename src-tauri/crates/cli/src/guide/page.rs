//! The pages of the guide.

/// A page of the guide.
#[derive(Debug)]
pub struct Topic {
    /// Name in `schemascope help TOPIC`, and name of the file without `.md`.
    pub name: &'static str,
    /// The page in Markdown.
    pub text: &'static str,
}

/// Embeds pages of `assets/guide`.
macro_rules! pages {
    ($($name:literal),+ $(,)?) => {
        &[$(Topic { name: $name, text: include_str!(concat!("../../../../../assets/guide/", $name, ".md")) },)+]
    };
}

/// Every page, in the order in which a newcomer reads them.
pub const TOPICS: &[Topic] = pages![
    "concepts",
    "connect",
    "cli-tools",
    "discovery",
    "interviews",
    "run",
    "review-and-promote",
    "edges",
    "graph",
    "wrappers",
    "report",
    "overrides",
    "team",
    "ci",
    "redaction",
    "settings",
    "commands",
    "data-directory",
    "troubleshooting",
];

/// The page with this name.
pub fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

impl Topic {
    /// The first sentence after the heading.
    pub fn summary(&self) -> String {
        let paragraph: Vec<&str> = self
            .text
            .lines()
            .skip(1)
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty())
            .collect();
        let paragraph = paragraph.join(" ");
        let sentence = paragraph.split_once(". ").map_or(paragraph.as_str(), |(sentence, _)| sentence);
        sentence.trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_of_the_guide_is_a_topic() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../assets/guide");
        let names =
            fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let pages: BTreeSet<String> =
            names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned())).collect();
        let topics: BTreeSet<String> = TOPICS.iter().map(|topic| topic.name.to_owned()).collect();
        assert_eq!(pages, topics);
    }

    #[test]
    fn every_page_begins_with_a_heading_and_a_short_sentence() {
        for topic in TOPICS {
            assert!(topic.text.starts_with("# "), "{}", topic.name);
            let summary = topic.summary();
            assert!((15..=90).contains(&summary.chars().count()), "{}: {summary:?}", topic.name);
        }
    }
}

//! Words of names: split, reduced to their stem, and sorted into what they say about a field.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Longest part of a name that is read, in bytes.
const MAX_NAME: usize = 256;

/// Words that say only that a field identifies something.
const ID: &[&str] = &[
    "id",
    "key",
    "code",
    "number",
    "no",
    "ref",
    "reference",
    "uuid",
    "guid",
    "identifier",
    "handle",
    "slug",
    "token",
    "num",
    "name",
    "login",
    "hash",
    "sha",
];

/// Words for amounts, positions and states: values that are equal by accident.
const AMOUNT: &[&str] = &[
    "count",
    "total",
    "page",
    "size",
    "limit",
    "offset",
    "amount",
    "price",
    "max",
    "min",
    "top",
    "depth",
    "days",
    "weeks",
    "nights",
    "minutes",
    "hours",
    "seconds",
    "duration",
    "level",
    "priority",
    "stage",
    "score",
    "rank",
    "quantity",
    "year",
    "month",
    "stars",
    "points",
    "fee",
    "balance",
    "percent",
    "progress",
    "index",
    "step",
    "width",
    "height",
    "length",
    "bytes",
    "version",
    "status",
    "state",
    "type",
    "kind",
    "format",
    "style",
    "order",
    "sort",
    "enabled",
    "ok",
    "success",
    "unit",
    "currency",
    "rate",
    "value",
    "per",
    "temperature",
    "adults",
    "lat",
    "lon",
    "latitude",
    "longitude",
    "expires",
    "in",
    "done",
    "first",
    "last",
];

/// Words for free text.
const TEXT: &[&str] = &[
    "text",
    "content",
    "message",
    "body",
    "description",
    "title",
    "subject",
    "note",
    "reason",
    "query",
    "q",
    "search",
    "pattern",
    "data",
    "label",
    "headline",
    "summary",
    "term",
    "keyword",
    "prompt",
    "new",
    "observation",
    "remark",
    "caption",
    "feedback",
    "instruction",
    "quote",
    "bio",
    "annotation",
    "transcript",
    "abstract",
    "excerpt",
    "snippet",
    "statement",
    "paragraph",
];

/// Words that only connect.
const EMPTY: &[&str] =
    &["the", "of", "by", "to", "from", "for", "a", "an", "and", "with", "is", "on", "source", "target", "my"];

/// Words of tool names that say what is done, not with what.
const VERBS: &[&str] = &[
    "get", "list", "search", "find", "create", "update", "delete", "remove", "add", "set", "read", "write",
    "fetch", "open", "close", "show", "view", "check", "cancel", "make", "do", "run", "start", "finish",
    "send", "load", "save", "edit", "move", "copy", "describe", "query", "lookup", "retrieve", "all",
    "recent", "latest", "known", "info", "detail", "status", "history", "by", "of", "in", "to", "with",
    "for", "from", "new", "text", "multiple", "many",
];

/// Returns the stem of a word: singular, and one spelling for words that mean the same.
fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let singular = if let Some(root) = lower.strip_suffix("ies").filter(|root| root.len() > 2) {
        format!("{root}y")
    } else if let Some(root) = lower
        .strip_suffix("es")
        .filter(|root| ["ss", "x", "ch", "sh"].iter().any(|end| root.ends_with(end)) && root.len() > 2)
    {
        root.to_owned()
    } else if let Some(root) =
        lower.strip_suffix('s').filter(|root| root.len() > 2 && !root.ends_with(['s', 'u', 'i']))
    {
        root.to_owned()
    } else {
        lower
    };
    match singular.as_str() {
        "uri" | "link" | "href" | "permalink" => "url",
        "file" | "filename" | "filepath" | "directory" | "folder" | "dir" => "path",
        "people" | "person" | "customer" | "account_holder" => {
            if singular == "customer" {
                "customer"
            } else {
                "person"
            }
        }
        "repository" => "repo",
        "organisation" | "organization" => "org",
        "tz" | "zone" => "timezone",
        "mail" | "emailaddress" => "email",
        "username" | "assignee" | "author" | "reporter" | "creator" | "requester" | "approver" | "owner"
        | "watcher" | "reviewer" | "manager" | "follower" | "editor" | "maintainer" | "moderator"
        | "participant" | "attendee" | "contributor" | "submitter" | "collaborator" | "uploader"
        | "commenter" => "user",
        "identifier" | "uuid" | "guid" | "ids" => "id",
        "reference" => "ref",
        "sha" | "commit" | "revision" => "commit",
        "next" => "cursor",
        other => other,
    }
    .to_owned()
}

/// Splits a name into stems.
pub(crate) fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars().take(MAX_NAME) {
        let starts = c.is_uppercase() && before.is_lowercase();
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(stem(&word));
            word.clear();
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(stem(&word));
    }
    words.dedup();
    words.truncate(8);
    words
}

fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// Words of a list with their stems.
fn with_stems(list: &'static [&'static str]) -> HashSet<String> {
    list.iter().flat_map(|word| [(*word).to_owned(), stem(word)]).collect()
}

/// Whether a word only says that something is identified.
pub(crate) fn is_id(word: &str) -> bool {
    has(ID, word) || stem(word) == "id"
}

/// Whether a word says what something is called, and not by which id it is found.
pub(crate) fn is_name(word: &str) -> bool {
    ["name", "title", "slug", "login", "handle"].contains(&word)
}

/// Whether a word names an amount, a position or a state.
pub(crate) fn is_amount(word: &str) -> bool {
    static STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| with_stems(AMOUNT));
    STEMS.contains(word)
}

/// Whether a name asks a question that is answered by yes or no, as `is_open` and `hasMore` do.
pub(crate) fn asks(words: &[String]) -> bool {
    words.len() > 1 && has(&["is", "has", "can", "should", "was", "are"], &words[0])
}

/// Whether a word names free text.
pub(crate) fn is_text(word: &str) -> bool {
    has(TEXT, word)
}

/// Whether a name says where a list continues, as `cursor`, `next_page_token` and `pageToken` do.
pub(crate) fn is_cursor(words: &[String]) -> bool {
    let is = |word: &str| words.iter().any(|own| own == word);
    let only = words.iter().all(|word| has(&["cursor", "continuation", "page", "token", "marker"], word));
    only && (["cursor", "continuation"].iter().any(|word| is(word)) || is("page") && is("token"))
}

/// Returns the words of a name that name a thing.
pub(crate) fn nouns(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| !is_id(word) && !has(EMPTY, word)).cloned().collect()
}

/// Returns the words of a tool's name that name a thing. The server's name in front says nothing, as in `git_log`; it
/// counts where it stands behind, or alone: `get_ticket` of the server `tickets`.
pub(crate) fn tool_nouns(name: &str, server: &str) -> Vec<String> {
    static STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| with_stems(VERBS));
    let server = split(server);
    let words = split(name);
    let is_noun = |word: &&String| !STEMS.contains(*word) && !is_id(word);
    let in_front = words.iter().take_while(|word| server.contains(word)).count();
    let behind: Vec<String> = words.iter().skip(in_front).filter(is_noun).cloned().collect();
    if behind.is_empty() { words.iter().filter(is_noun).cloned().collect() } else { behind }
}

/// Whether a tool makes something, as its name says.
pub(crate) fn creates(name: &str) -> bool {
    split(name).iter().any(|word| has(&["create", "new", "register", "make"], word))
}

/// Kinds of values that every server understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Common {
    Url,
    Email,
    Timezone,
    Phone,
}

/// Returns the kind of values that a name says, if every server understands it.
pub(crate) fn common(words: &[String]) -> Option<Common> {
    const KINDS: [(&str, Common); 4] = [
        ("url", Common::Url),
        ("email", Common::Email),
        ("timezone", Common::Timezone),
        ("phone", Common::Phone),
    ];
    KINDS.into_iter().find(|(name, _)| words.iter().any(|word| word == name)).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_stems_the_words_of_a_name() {
        assert_eq!(split("orderIds"), ["order", "id"]);
        assert_eq!(split("list_companies"), ["list", "company"]);
        assert_eq!(split("page_url"), ["page", "url"]);
        assert_eq!(split("permalinks"), ["url"]);
        assert_eq!(split("addresses"), ["address"]);
        assert_eq!(split("status"), ["status"]);
    }

    #[test]
    fn cursors_are_known_by_their_names() {
        for name in ["cursor", "next_cursor", "nextPageToken", "page_token", "next", "NextContinuationToken"]
        {
            assert!(is_cursor(&split(name)), "{name}");
        }
        for name in ["next_invoice_id", "page", "token", "access_token", "page_id", ""] {
            assert!(!is_cursor(&split(name)), "{name}");
        }
    }

    #[test]
    fn tool_nouns_leave_out_verbs_and_the_server_in_front() {
        assert_eq!(tool_nouns("git_file_history", "git"), ["path"]);
        assert_eq!(tool_nouns("get_customer", "shop"), ["customer"]);
        // Named after what it is about.
        assert_eq!(tool_nouns("get_ticket", "tickets"), ["ticket"]);
        assert_eq!(tool_nouns("ticket_list", "tickets"), ["ticket"]);
    }
}

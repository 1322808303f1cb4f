//! Lists that no words introduce: a whole description, its beginning or its end.

use super::{MAX_CHOICES, are_kinds, gives_examples, has_default, list::closed};
use crate::hints::default;
use crate::patterns::{found, found_near, is_match, pattern};

pattern!(OR_AT_START, r"^([a-z0-9]\w*) or ([a-z0-9]\w*)[,;] default:? ");
// `can be (index1/index2/read1, default is none`.
pattern!(CAN_BE_SLASHED, r"\b(?:can be|one of|either) \(?([a-z]\w*(?:/[a-z]\w*){2,})(?:[),.; ]|$)");
pattern!(FRAMED, r" \|\w+\| ");
pattern!(AT_START, r"^([(\[]?[A-Za-z0-9][\w.+-]*[)\]]?(?: ?\| ?[(\[]?[A-Za-z0-9][\w.+-]*[)\]]?)+)(?:\s|$)");

/// A word in small letters that is not broken.
pub(super) fn is_word(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    !word.is_empty() && !word.ends_with('-') && word.chars().all(is_part)
}

/// `JSON`, `CMYK8`.
pub(super) fn is_acronym(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// `Set the style to sysv/gnu/both. Default: both`: a list with the default in it.
pub(super) fn slashed_with_default(description: &str) -> Vec<String> {
    let Some(default) = default(description) else { return Vec::new() };
    let lists = description.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';']));
    let items = lists.map(|list| list.split('/').map(str::to_owned).collect::<Vec<_>>());
    let fits = |items: &Vec<String>| {
        items.len() > 2
            && items.contains(&default)
            && (items.iter().all(|item| is_word(item)) || items.iter().all(|item| is_acronym(item)))
            && !are_kinds(items)
    };
    items.into_iter().find(fits).unwrap_or_default()
}

/// Whether values are those of a switch: `yes`, `no`.
pub(super) fn is_switch(items: &[String]) -> bool {
    matches!(items.join("/").to_lowercase().as_str(), "yes/no" | "on/off" | "true/false" | "y/n" | "0/1")
}

/// The values of a description that is nothing else: `normal,inverted,left`.
pub(super) fn whole(description: &str) -> Vec<String> {
    let items: Vec<String> = description.split([',', '|']).map(str::to_owned).collect();
    let is_name = |item: &String| item.starts_with(|c: char| c.is_ascii_lowercase()) && is_word(item);
    let fits = (2..=MAX_CHOICES).contains(&items.len()) && items.iter().all(is_name);
    if fits && !are_kinds(&items) { items } else { Vec::new() }
}

/// `(0|1|2) Set its level`, `true |(false) do it`: a description that begins with a list with bars. The default is in
/// parentheses.
pub(super) fn at_start(description: &str) -> Vec<String> {
    if !description.contains('|') {
        return Vec::new();
    }
    let description = &description.replace(" (deprecated)", "");
    let Some(list) = found(&AT_START, description).and_then(|found| found.get(1)) else { return Vec::new() };
    let items: Vec<String> = list
        .as_str()
        .split('|')
        .map(|item| item.trim_matches([' ', '(', ')', '[', ']']).to_owned())
        .collect();
    // `Skip |length| bytes`: bars around a word.
    let is_framed = is_match(&FRAMED, list.as_str());
    if is_framed || are_kinds(&items) || gives_examples(description) { Vec::new() } else { items }
}

/// `1 or 0, default 0`: a description that begins with two values.
pub(super) fn or_at_start(description: &str) -> Vec<String> {
    let Some(captures) = found_near(&OR_AT_START, description, " default") else { return Vec::new() };
    captures.iter().skip(1).flatten().map(|item| item.as_str().to_owned()).collect()
}

/// A description that begins with a list, or whose last sentence is one: `[string] info | warn | error`, `Set its type. ascii,
/// heavy, none, square`.
pub(super) fn bare_list(description: &str) -> Vec<String> {
    let start = ["[string]", "* "].iter().find_map(|mark| description.strip_prefix(mark));
    let start = start.unwrap_or(description).trim_start();
    let last = description.trim_end_matches('.').rsplit(". ").next().unwrap_or_default();
    let last = last.rsplit("; ").next().unwrap_or_default();
    // `Shared or Private`, and nothing else.
    if let Some((one, other)) = start.split_once(" or ")
        && [one, other].iter().all(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric))
    {
        let items = vec![one.to_owned(), other.to_owned()];
        return if are_kinds(&items) { Vec::new() } else { items };
    }
    let slashed = with_slashes(start);
    if !slashed.is_empty() && !gives_examples(description) {
        return slashed;
    }
    // A sentence could begin with a few words and commas.
    // Behind a remark: `format (default: by its name) pam, pbm, pgm, pkm`.
    let behind_remark = description.rsplit_once(") ").map_or("", |(_, text)| text);
    for (text, least) in [(start, 3), (last, 4), (behind_remark, 4)] {
        let items = closed(text, false);
        let is_lower = items.iter().all(|item| item.starts_with(|c: char| !c.is_ascii_uppercase()));
        let is_joined = items.len() > 3 && text.contains(", or ");
        // `Undefined, None, or Previous`, and nothing else.
        let length = items.iter().map(|item| item.len() + 2).sum::<usize>();
        let is_whole = text.len() == description.len() && text.trim_end_matches('.').len() <= length + 4;
        let is_long =
            items.len() >= least || least > 3 && items.len() + 1 == least && has_default(description, &items);
        if is_long && (is_lower || is_joined || is_whole) && !gives_examples(description) {
            return items;
        }
    }
    Vec::new()
}

/// `bash/posix/mksh/bats, default "auto"`.
fn with_slashes(text: &str) -> Vec<String> {
    let (list, rest) = text.split_at(text.find([' ', ',']).unwrap_or(text.len()));
    let mut items: Vec<String> = list.trim_end_matches('.').split('/').map(str::to_owned).collect();
    let rest = rest.trim_start_matches(',').trim_start();
    let ends = rest.is_empty() || rest.starts_with(['(', '[']) || rest.starts_with("default");
    let fits = items.len() > 2 && items.iter().all(|item| is_word(item)) && !are_kinds(&items);
    if !fits || !ends {
        return Vec::new();
    }
    let default =
        rest.strip_prefix("default").map(|rest| rest.trim_matches([' ', ':', '"', '\'', '.', '(', ')']));
    if let Some(default) =
        default.filter(|default| is_word(default) && !items.iter().any(|item| item == default))
    {
        items.push(default.to_owned());
    }
    items
}

/// rich-click: `How to open it. (ro|rw|rwc)`.
pub(super) fn at_end(description: &str) -> Vec<String> {
    let list = description.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    list.map(|(_, list)| list).filter(|list| list.matches('|').count() > 0).map(whole).unwrap_or_default()
}

/// `Set its type BMP/EMF/EPS/GIF`, at the end.
pub(super) fn slashed_at_end(description: &str) -> Vec<String> {
    let mut words = description.trim_end_matches('.').rsplit(' ');
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().to_lowercase());
    let items: Vec<String> = last.split('/').map(str::to_owned).collect();
    let told = found_near(&CAN_BE_SLASHED, description, "/").filter(|_| !gives_examples(description));
    if let Some(told) = told {
        let items: Vec<String> = told[1].split('/').map(str::to_owned).collect();
        return if are_kinds(&items) { Vec::new() } else { items };
    }
    let fits = items.len() > 3
        && !["default", "in", "at", "path", "see"].contains(&before.trim_end_matches(':'))
        && (items.iter().all(|item| is_acronym(item)) || items.iter().all(|item| is_word(item)))
        && !are_kinds(&items)
        && !gives_examples(description);
    if fits { items } else { Vec::new() }
}

/// `Send failed|all info`: one list with bars.
pub(super) fn with_bars(description: &str) -> Vec<String> {
    let mut lists = description.split_whitespace().filter(|word| word.contains('|'));
    let (Some(list), None) = (lists.next(), lists.next()) else { return Vec::new() };
    let list = list.trim_end_matches(['.', ',', ';']);
    let is_open = gives_examples(description) || description.contains("regex");
    let named: Vec<String> = list.split('|').map(str::to_owned).collect();
    let is_name = |item: &String| item.len() > 2 && item.chars().all(|c| c.is_ascii_alphanumeric());
    match is_open {
        true => Vec::new(),
        // `style = OverTheSpot|Root`
        false if named.len() > 2 && named.iter().all(is_name) && !are_kinds(&named) => named,
        false => whole(list.trim_matches(['<', '>'])),
    }
}

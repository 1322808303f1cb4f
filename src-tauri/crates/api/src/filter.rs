//! Filter tokens: `tool:git* status:error duration:>500ms`.
//!
//! Every token must hold; `-` before one turns it round; a bare word is looked for in the tool id. The
//! same reading serves lists in the engine and what comes in live. Owns: the language. Refuses to know:
//! where rows come from.

use std::fmt;

use schemascope_model::{Outcome, Quality, Source};

use crate::{CallRow, ToolRow};

/// What is filtered: it decides which tokens there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Calls: `tool: server: status: duration: client: fits:`
    Calls,
    /// Tools: `tool: server: quality: source: violated: calls:`
    Tools,
}

/// A filter that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter(Vec<Term>);

/// A filter that cannot be read; says what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFilter(String);

impl fmt::Display for InvalidFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidFilter {}

#[derive(Debug, Clone, PartialEq)]
struct Term {
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Word(String),
    Tool(String),
    /// Exactly this one.
    ToolId(String),
    Server(String),
    Client(String),
    Status(Status),
    Duration(Comparison, f64),
    Fits(bool),
    Quality(Comparison, Quality),
    Source(Source),
    Violated(bool),
    Calls(Comparison, f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Status {
    Failed,
    Is(Outcome),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Subject {
    /// The tokens there are, for help and errors.
    pub fn tokens(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Calls => &[
                ("tool:git*", "tool id or name; * stands for anything"),
                ("server:shop", "upstream"),
                ("status:error", "ok, error (any failure), tool_error, lost, cancelled"),
                ("duration:>500ms", "< <= > >= with us, ms, s"),
                ("client:claude*", "name of the client"),
                ("fits:no", "whether it fit the declared schema"),
            ],
            Self::Tools => &[
                ("tool:git*", "tool id or name; * stands for anything"),
                ("server:shop", "upstream"),
                ("quality:<high", "none, low, medium, high; < <= > >="),
                ("source:inferred", "declared, hybrid, inferred, unknown"),
                ("violated:yes", "breaks what it declares"),
                ("calls:>100", "< <= > >="),
            ],
        }
    }
}

impl Filter {
    /// Reads tokens separated by blanks. Nothing gives the filter that lets everything through.
    pub fn parse(text: &str, subject: Subject) -> Result<Self, InvalidFilter> {
        tokens(text).map(|token| term(token, subject)).collect::<Result<_, _>>().map(Self)
    }

    /// A filter for one tool and no other, whatever its name.
    pub fn of_tool(id: &str) -> String {
        format!("tool:\"{}\"", id.replace('\\', "\\\\").replace('"', "\\\""))
    }

    /// Whether nothing but failures can pass.
    pub fn is_of_failures(&self) -> bool {
        self.0.iter().any(|term| match &term.test {
            Test::Status(Status::Failed) => !term.negated,
            Test::Status(Status::Is(outcome)) => !term.negated && outcome.is_failure(),
            _ => false,
        })
    }

    /// Whether calls of some tools cannot pass, whatever they are like.
    pub fn is_of_tools(&self) -> bool {
        self.0.iter().any(|term| term.test.of_tool("").is_some())
    }

    /// Whether a call of this tool can pass.
    pub fn may_be_of(&self, tool_id: &str) -> bool {
        self.0.iter().all(|term| term.test.of_tool(tool_id).is_none_or(|holds| holds != term.negated))
    }

    /// Whether there is nothing to filter.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a call passes.
    pub fn call(&self, row: &CallRow) -> bool {
        self.0.iter().all(|term| term.test.call(row) != term.negated)
    }

    /// Whether a tool passes.
    pub fn tool(&self, row: &ToolRow) -> bool {
        self.0.iter().all(|term| term.test.tool(row) != term.negated)
    }
}

impl Test {
    /// Whether a tool passes, where the tool alone decides.
    fn of_tool(&self, id: &str) -> Option<bool> {
        let (server, name) = id.split_once(schemascope_model::SEPARATOR).unwrap_or(("", id));
        Some(match self {
            Self::Word(word) => id.to_lowercase().contains(word),
            Self::Tool(glob) => matches(glob, id) || matches(glob, name),
            Self::ToolId(known) => id == *known,
            Self::Server(glob) => matches(glob, server),
            _ => return None,
        })
    }

    fn call(&self, row: &CallRow) -> bool {
        match self {
            Self::Word(_) | Self::Tool(_) | Self::ToolId(_) | Self::Server(_) => {
                self.of_tool(&row.tool_id).unwrap_or_default()
            }
            Self::Client(glob) => row.client.as_deref().is_some_and(|client| matches(glob, client)),
            Self::Status(Status::Failed) => row.outcome.is_failure(),
            Self::Status(Status::Is(outcome)) => row.outcome == *outcome,
            Self::Duration(comparison, micros) => {
                row.total_us.is_some_and(|total| comparison.holds(total as f64, *micros))
            }
            Self::Fits(fits) => row.fits == Some(*fits),
            Self::Quality(..) | Self::Source(_) | Self::Violated(_) | Self::Calls(..) => false,
        }
    }

    fn tool(&self, row: &ToolRow) -> bool {
        match self {
            Self::Word(word) => row.tool_id.to_lowercase().contains(word),
            Self::Tool(glob) => matches(glob, &row.tool_id) || matches(glob, &row.tool_name),
            Self::ToolId(id) => row.tool_id == *id,
            Self::Server(glob) => matches(glob, &row.server_name),
            Self::Quality(comparison, quality) => comparison.holds(row.quality, *quality),
            Self::Source(source) => row.source == *source,
            Self::Violated(violated) => row.violated == *violated,
            Self::Calls(comparison, calls) => comparison.holds(row.call_count as f64, *calls),
            Self::Client(_) | Self::Status(_) | Self::Duration(..) | Self::Fits(_) => false,
        }
    }
}

impl Comparison {
    fn holds<T: PartialOrd + Copy>(self, found: T, asked: T) -> bool {
        match self {
            Self::Less => found < asked,
            Self::AtMost => found <= asked,
            Self::Equal => found == asked,
            Self::AtLeast => found >= asked,
            Self::More => found > asked,
        }
    }

    /// A comparison at the beginning of a text, and what follows.
    fn split(text: &str) -> (Option<Self>, &str) {
        [
            ("<=", Self::AtMost),
            (">=", Self::AtLeast),
            ("<", Self::Less),
            (">", Self::More),
            ("=", Self::Equal),
        ]
        .into_iter()
        .find_map(|(sign, comparison)| Some((Some(comparison), text.strip_prefix(sign)?)))
        .unwrap_or((None, text))
    }
}

/// Tokens between blanks; blanks between quotation marks are part of a token.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let (mut inside, mut escaped) = (false, false);
        let end = rest.char_indices().find_map(|(at, c)| {
            match c {
                _ if escaped => escaped = false,
                '\\' if inside => escaped = true,
                '"' => inside = !inside,
                c if c.is_whitespace() && !inside => return Some(at),
                _ => {}
            }
            None
        });
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!token.is_empty()).then_some(token)
    })
}

/// What stands between quotation marks, taken literally.
fn quoted(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut escaped = false;
    for c in inner.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            text.push(c);
            escaped = false;
        }
    }
    Some(text)
}

fn term(token: &str, subject: Subject) -> Result<Term, InvalidFilter> {
    let (negated, rest) = match token.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, token),
    };
    let Some((key, value)) = rest.split_once(':') else {
        return Ok(Term { negated, test: Test::Word(rest.to_lowercase()) });
    };
    let test = test(key, value, subject)?;
    Ok(Term { negated, test })
}

fn test(key: &str, value: &str, subject: Subject) -> Result<Test, InvalidFilter> {
    let wrong = |expected: &str| {
        let given =
            if value.is_empty() { "needs a value".to_owned() } else { format!("{value:?} is not one") };
        InvalidFilter(format!("{key}: {given}; expected {expected}"))
    };
    let glob = || if value.is_empty() { Err(wrong("a name")) } else { Ok(value.to_lowercase()) };
    let word = value.to_lowercase();
    let yes_or_no = || match word.as_str() {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(wrong("yes or no")),
    };
    Ok(match (subject, key) {
        (_, "tool") => match quoted(value) {
            Some(id) => Test::ToolId(id),
            None => Test::Tool(glob()?),
        },
        (_, "server") => Test::Server(glob()?),
        (Subject::Calls, "client") => Test::Client(glob()?),
        (Subject::Calls, "status") => Test::Status(match word.as_str() {
            "ok" => Status::Is(Outcome::Ok),
            "error" | "failed" => Status::Failed,
            "tool_error" => Status::Is(Outcome::ToolError),
            "lost" => Status::Is(Outcome::Lost),
            "cancelled" => Status::Is(Outcome::Cancelled),
            _ => return Err(wrong("ok, error, tool_error, lost or cancelled")),
        }),
        (Subject::Calls, "duration") => {
            let (comparison, rest) = Comparison::split(&word);
            let micros = micros(rest).ok_or_else(|| wrong("a time such as >500ms, <2s, >=100us"))?;
            Test::Duration(comparison.unwrap_or(Comparison::AtLeast), micros)
        }
        (Subject::Calls, "fits") => Test::Fits(yes_or_no()?),
        (Subject::Tools, "quality") => {
            let (comparison, rest) = Comparison::split(&word);
            let quality = match rest {
                "none" => Quality::None,
                "low" => Quality::Low,
                "medium" => Quality::Medium,
                "high" => Quality::High,
                _ => return Err(wrong("none, low, medium or high, or such as <high")),
            };
            Test::Quality(comparison.unwrap_or(Comparison::Equal), quality)
        }
        (Subject::Tools, "source") => Test::Source(match word.as_str() {
            "declared" => Source::Declared,
            "hybrid" => Source::Hybrid,
            "inferred" => Source::Inferred,
            "unknown" => Source::Unknown,
            _ => return Err(wrong("declared, hybrid, inferred or unknown")),
        }),
        (Subject::Tools, "violated") => Test::Violated(yes_or_no()?),
        (Subject::Tools, "calls") => {
            let (comparison, rest) = Comparison::split(&word);
            let number = rest.parse().ok().filter(|number: &f64| number.is_finite());
            let calls = number.ok_or_else(|| wrong("a number such as >100"))?;
            Test::Calls(comparison.unwrap_or(Comparison::AtLeast), calls)
        }
        _ => {
            let known: Vec<&str> = subject.tokens().iter().map(|(example, _)| *example).collect();
            return Err(InvalidFilter(format!(
                "there is no token {key}: here; there are {}",
                known.join(", ")
            )));
        }
    })
}

/// Microseconds of `500ms`, `2s`, `100us`; a bare number is milliseconds.
fn micros(text: &str) -> Option<f64> {
    let (number, factor) = [("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("", 1e3)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

/// Whether a name is what a glob says, in any case of letters. `*` stands for anything. Linear in the
/// name for each star: it goes back to the last star only.
fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) =
        (glob.chars().collect(), name.to_lowercase().chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if glob.get(g) == Some(&'*') {
            star = Some((g, n));
            g += 1;
        } else if glob.get(g) == Some(&name[n]) {
            (g, n) = (g + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (g, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use schemascope_model::{IdSource, Timestamp};

    use super::*;

    fn call(tool: &str, outcome: Outcome, total_us: u64) -> CallRow {
        let at = Timestamp::from_millis(1);
        CallRow {
            id: IdSource::new(0, 0).at(at),
            at,
            tool_id: tool.into(),
            outcome,
            carrier: None,
            fits: Some(false),
            total_us: Some(total_us),
            result_bytes: 0,
            client: Some("Claude Code".into()),
        }
    }

    #[test]
    fn tokens_hold_together() {
        let row = call("git__git_log", Outcome::ToolError, 600_000);
        for (text, passes) in [
            ("", true),
            ("tool:git*", true),
            ("tool:git_log", true),
            ("tool:git__git_log", true),
            ("tool:log", false),
            ("tool:*LOG", true),
            ("LOG", true),
            ("-log", false),
            ("server:git -server:shop", true),
            ("status:error", true),
            ("status:tool_error", true),
            ("status:ok", false),
            ("-status:ok", true),
            ("duration:>500ms", true),
            ("duration:<0.6s", false),
            ("duration:>=600000us", true),
            ("duration:600", true),
            ("client:claude*", true),
            ("fits:no", true),
            ("tool:git* status:ok", false),
        ] {
            assert_eq!(Filter::parse(text, Subject::Calls).unwrap().call(&row), passes, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_what_would_be_right() {
        for (text, subject, hint) in [
            ("statu:ok", Subject::Calls, "status:error"),
            ("status:maybe", Subject::Calls, "tool_error"),
            ("duration:>soon", Subject::Calls, ">500ms"),
            ("duration:>-1s", Subject::Calls, ">500ms"),
            ("duration:infs", Subject::Calls, ">500ms"),
            ("tool:", Subject::Calls, "needs a value"),
            ("quality:<good", Subject::Tools, "medium"),
            ("status:ok", Subject::Tools, "quality:<high"),
        ] {
            let error = Filter::parse(text, subject).unwrap_err().to_string();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn a_tool_of_any_name_can_be_named() {
        for id in ["git__git_log", "s__what's new?", "s__a b:c*", "s__\"q\" \\", "s__-x status:ok"] {
            let filter = Filter::parse(&Filter::of_tool(id), Subject::Calls).unwrap();
            assert!(filter.is_of_tools() && filter.may_be_of(id) && !filter.may_be_of("s__other"));
            assert!(filter.call(&call(id, Outcome::Ok, 1)));
            assert!(!filter.call(&call("s__other", Outcome::Ok, 1)));
        }
        let both = Filter::parse("tool:\"s__a b\" status:ok", Subject::Calls).unwrap();
        assert!(both.call(&call("s__a b", Outcome::Ok, 1)) && !both.call(&call("s__a b", Outcome::Lost, 1)));
    }

    /// What a filter leaves is found without looking at what it does not leave.
    #[test]
    fn it_is_known_which_lists_to_look_at() {
        let of = |text: &str| Filter::parse(text, Subject::Calls).unwrap();
        for text in ["status:error", "a status:lost", "status:tool_error tool:x"] {
            assert!(of(text).is_of_failures(), "{text}");
        }
        for text in ["", "-status:error", "status:ok", "-status:ok", "status:cancelled"] {
            assert!(!of(text).is_of_failures(), "{text}");
        }
        let (may, tools) =
            (|text: &str| of(text).may_be_of("shop__get_order"), |text: &str| of(text).is_of_tools());
        assert!(may("order server:shop -tool:list* duration:>1s") && tools("order") && tools("-server:x"));
        assert!(!may("server:git") && !may("-order") && !may("tool:\"shop__get\""));
        assert!(may("status:error") && !tools("status:error client:x") && !tools(""));
    }

    #[test]
    fn globs_do_not_explode() {
        assert!(!matches(&format!("{}b", "a*".repeat(50)), &"a".repeat(1_000)));
        assert!(matches("*a*b", "xxaxxab") && matches("*", "") && !matches("", "x"));
    }
}

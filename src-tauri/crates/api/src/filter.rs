//! Filter tokens: `tool:git* status:error duration:>500ms`.
//!
//! Tokens are combined with AND, `-` before a token excludes it, and a bare word searches tool ids. The same filters
//! apply to lists of the engine and to rows that arrive live, except `text:`, which needs the bodies of a call.

mod text;

use std::borrow::Cow;
use std::fmt;

use schemascope_compose::{Coverage, Edge, State};
use schemascope_model::{Outcome, Quality, Source};

use crate::{CallRow, ToolRow, glob};

/// Kind of rows to filter, which decides the available tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Calls: `tool: server: status: duration: client: fits: text:`
    Calls,
    /// Tools: `tool: server: quality: source: violated: calls:`
    Tools,
    /// Edges between tools: `tool: server: state: confidence: coverage: echo:`
    Edges,
}

/// A parsed filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter(Vec<Term>);

/// Error of an invalid filter, with what is expected.
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
    /// Exactly this tool id.
    ToolId(String),
    Server(String),
    Client(String),
    /// In the arguments, the result or the error.
    Text(String),
    Status(Status),
    Duration(Comparison, f64),
    Fits(bool),
    Quality(Comparison, Quality),
    Source(Source),
    Violated(bool),
    Calls(Comparison, f64),
    State(State),
    Threatened,
    Confidence(Comparison, f64),
    Coverage(Coverage),
    Echo(bool),
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
    /// Available tokens, for help and errors.
    pub fn tokens(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Calls => &[
                ("tool:git*", "tool id or name; * stands for anything"),
                ("server:shop", "upstream"),
                ("status:error", "ok, error (any failure), tool_error, lost, cancelled"),
                ("duration:>500ms", "< <= > >= with us, ms, s"),
                ("client:claude*", "name of the client"),
                ("fits:no", "whether it matched the schema that was effective then"),
                ("text:\"order 7\"", "found in the arguments, the result or the error"),
            ],
            Self::Tools => &[
                ("tool:git*", "tool id or name; * stands for anything"),
                ("server:shop", "upstream"),
                ("quality:<high", "none, low, medium, high; < <= > >="),
                ("source:inferred", "declared, hybrid, inferred, unknown"),
                ("violated:yes", "breaks what it declares"),
                ("calls:>100", "< <= > >="),
            ],
            Self::Edges => &[
                ("tool:git*", "either tool by id or name; * stands for anything"),
                ("server:shop", "upstream of either tool"),
                ("state:seen", "seen, possible, broken, threatened"),
                ("confidence:>.9", "< <= > >="),
                ("coverage:strict", "strict, partial, optional"),
                ("echo:no", "the output only repeats an argument"),
            ],
        }
    }
}

impl Filter {
    /// Parses tokens separated by blanks. An empty text gives the filter that every row passes.
    pub fn parse(text: &str, subject: Subject) -> Result<Self, InvalidFilter> {
        tokens(text).map(|token| term(token, subject)).collect::<Result<_, _>>().map(Self)
    }

    /// A filter that only this tool passes, whatever characters its name has.
    pub fn of_tool(id: &str) -> String {
        format!("tool:{}", quote(id))
    }

    /// A filter that was given as one word: a text that has blanks without quotation marks is meant as a whole.
    pub fn with_blanks(word: &str) -> Cow<'_, str> {
        let is_exclusion = word.starts_with('-');
        match word.strip_prefix('-').unwrap_or(word).strip_prefix("text:") {
            Some(text) if text.contains(char::is_whitespace) && quoted(text).is_none() => {
                Cow::Owned(format!("{}text:{}", if is_exclusion { "-" } else { "" }, quote(text)))
            }
            _ => Cow::Borrowed(word),
        }
    }

    /// Whether only failures can pass.
    pub fn is_of_failures(&self) -> bool {
        self.0.iter().any(|term| match &term.test {
            Test::Status(Status::Failed) => !term.negated,
            Test::Status(Status::Is(outcome)) => !term.negated && outcome.is_failure(),
            _ => false,
        })
    }

    /// Whether the filter excludes every call of some tools.
    pub fn is_of_tools(&self) -> bool {
        self.0.iter().any(|term| term.test.of_tool("").is_some())
    }

    /// Whether a call of this tool can pass.
    pub fn may_be_of(&self, tool_id: &str) -> bool {
        self.0.iter().all(|term| term.test.of_tool(tool_id).is_none_or(|holds| holds != term.negated))
    }

    /// Whether every row passes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a call passes, apart from what [`Filter::bodies`] decides.
    pub fn call(&self, row: &CallRow) -> bool {
        let mut of_rows = self.0.iter().filter(|term| !matches!(term.test, Test::Text(_)));
        of_rows.all(|term| term.test.call(row) != term.negated)
    }

    /// Whether [`Filter::bodies`] decides anything.
    pub fn needs_bodies(&self) -> bool {
        self.0.iter().any(|term| matches!(term.test, Test::Text(_)))
    }

    /// Whether a call with these bodies passes, as JSON: arguments, result, error.
    pub fn bodies(&self, bodies: &[&str]) -> bool {
        self.0.iter().all(|term| match &term.test {
            Test::Text(wanted) => bodies.iter().any(|json| text::contains(json, wanted)) != term.negated,
            _ => true,
        })
    }

    /// Whether a tool passes.
    pub fn tool(&self, row: &ToolRow) -> bool {
        self.0.iter().all(|term| term.test.tool(row) != term.negated)
    }

    /// Whether an edge passes. Words are looked for in the tools and in the paths of fields.
    pub fn edge(&self, edge: &Edge) -> bool {
        self.0.iter().all(|term| term.test.edge(edge) != term.negated)
    }
}

impl Test {
    /// Whether a tool passes the terms that depend on the tool alone.
    fn of_tool(&self, id: &str) -> Option<bool> {
        let (server, name) = id.split_once(schemascope_model::SEPARATOR).unwrap_or(("", id));
        Some(match self {
            Self::Word(word) => id.to_lowercase().contains(word),
            Self::Tool(pattern) => glob(pattern, id) || glob(pattern, name),
            Self::ToolId(known) => id == *known,
            Self::Server(pattern) => glob(pattern, server),
            _ => return None,
        })
    }

    fn call(&self, row: &CallRow) -> bool {
        match self {
            Self::Word(_) | Self::Tool(_) | Self::ToolId(_) | Self::Server(_) => {
                self.of_tool(&row.tool_id).unwrap_or_default()
            }
            Self::Client(pattern) => row.client.as_deref().is_some_and(|client| glob(pattern, client)),
            Self::Status(Status::Failed) => row.outcome.is_failure(),
            Self::Status(Status::Is(outcome)) => row.outcome == *outcome,
            Self::Duration(comparison, micros) => {
                row.total_us.is_some_and(|total| comparison.holds(total as f64, *micros))
            }
            Self::Fits(fits) => row.fits == Some(*fits),
            _ => false,
        }
    }

    fn tool(&self, row: &ToolRow) -> bool {
        match self {
            Self::Word(word) => row.tool_id.to_lowercase().contains(word),
            Self::Tool(pattern) => glob(pattern, &row.tool_id) || glob(pattern, &row.tool_name),
            Self::ToolId(id) => row.tool_id == *id,
            Self::Server(pattern) => glob(pattern, &row.server_name),
            Self::Quality(comparison, quality) => comparison.holds(row.quality, *quality),
            Self::Source(source) => row.source == *source,
            Self::Violated(violated) => row.violated == *violated,
            Self::Calls(comparison, calls) => comparison.holds(row.call_count as f64, *calls),
            _ => false,
        }
    }

    fn edge(&self, edge: &Edge) -> bool {
        match self {
            Self::Word(word) => {
                let fields = edge.fields.iter().flat_map(|field| [&field.output, &field.input]);
                [&edge.from, &edge.to]
                    .into_iter()
                    .chain(fields)
                    .any(|text| text.to_lowercase().contains(word))
            }
            Self::State(state) => edge.state == *state,
            Self::Threatened => !edge.threatened_by.is_empty(),
            Self::Confidence(comparison, share) => comparison.holds(edge.confidence, *share),
            Self::Coverage(coverage) => edge.coverage == *coverage,
            Self::Echo(echo) => edge.echo == *echo,
            test => [&edge.from, &edge.to].into_iter().any(|id| test.of_tool(id).unwrap_or_default()),
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

    /// Parses a comparison at the start of a text. Returns the rest as well.
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

/// Splits a text at blanks, except for blanks between quotation marks.
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

/// A text between quotation marks, as [`quoted`] reads it.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The literal text between quotation marks.
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
        let given = if value.is_empty() {
            "the value is missing".to_owned()
        } else {
            format!("{value:?} is invalid")
        };
        InvalidFilter(format!("{key}: {given}; expected {expected}"))
    };
    let pattern = || if value.is_empty() { Err(wrong("a name")) } else { Ok(value.to_lowercase()) };
    let word = value.to_lowercase();
    let yes_or_no = || match word.as_str() {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(wrong("yes or no")),
    };
    Ok(match (subject, key) {
        (_, "tool") => match quoted(value) {
            Some(id) => Test::ToolId(id),
            None => Test::Tool(pattern()?),
        },
        (_, "server") => Test::Server(pattern()?),
        (Subject::Calls, "client") => Test::Client(pattern()?),
        (Subject::Calls, "text") => match quoted(value).unwrap_or_else(|| value.to_owned()) {
            wanted if wanted.is_empty() => return Err(wrong("a text such as paris or \"order 7\"")),
            wanted => Test::Text(wanted.to_lowercase()),
        },
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
        (Subject::Edges, "state") => match word.as_str() {
            "seen" => Test::State(State::Seen),
            "possible" => Test::State(State::Possible),
            "broken" => Test::State(State::Broken),
            "threatened" => Test::Threatened,
            _ => return Err(wrong("seen, possible, broken or threatened")),
        },
        (Subject::Edges, "coverage") => Test::Coverage(match word.as_str() {
            "strict" => Coverage::Strict,
            "partial" => Coverage::Partial,
            "optional" => Coverage::Optional,
            _ => return Err(wrong("strict, partial or optional")),
        }),
        (Subject::Edges, "confidence") => {
            let (comparison, rest) = Comparison::split(&word);
            let number = rest.parse().ok().filter(|number: &f64| (0.0..=1.0).contains(number));
            let share = number.ok_or_else(|| wrong("a number from 0 to 1 such as >.9"))?;
            Test::Confidence(comparison.unwrap_or(Comparison::AtLeast), share)
        }
        (Subject::Edges, "echo") => Test::Echo(yes_or_no()?),
        _ => {
            let known: Vec<&str> = subject.tokens().iter().map(|(example, _)| *example).collect();
            return Err(InvalidFilter(format!(
                "{key}: is no filter of this list; expected one of {}",
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

#[cfg(test)]
mod tests;

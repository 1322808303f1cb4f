//! Planning the calls that lead to a tool or a field.

use std::collections::BTreeSet;

use schemascope_api::{ApiError, ErrorKind, PlanCalls, Plans};
use schemascope_compose::{Goal, Graph};

use super::Handle;
use crate::engine::Engine;
use crate::nearest::suggestion;

handlers![PlanCalls];

/// Plans in a reply, unless another number is asked for, and at most.
const LIMIT: usize = 3;
const MAX_LIMIT: usize = 20;
/// Tools that a plan to a field is made for.
const MAX_GIVERS: usize = 8;
/// Longest destination, in bytes.
const MAX_WANTED: usize = 2_048;
/// Fields that an error names.
const NAMED: usize = 8;

/// What a plan leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A tool, or a field of its result.
    Tool(Box<str>, Option<Box<str>>),
    /// A field of any tool's result.
    Field(Box<str>),
}

impl Handle<PlanCalls> for Engine {
    async fn handle(&self, command: PlanCalls) -> Result<Plans, ApiError> {
        self.settled().await?;
        let limit = command.limit.unwrap_or(LIMIT);
        if limit == 0 || limit > MAX_LIMIT {
            let message = format!("{limit} plans cannot be made; expected a limit from 1 to {MAX_LIMIT}");
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        if command.to.trim().is_empty() {
            let message = "nothing is wanted; expected a tool, TOOL:PATH, or the name of a field";
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        if command.to.len() > MAX_WANTED {
            let message = format!(
                "{} bytes are no tool and no name of a field; expected at most {MAX_WANTED}",
                command.to.len()
            );
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let find = |written: &str| Ok(self.find(written)?.to_string().into());
        let written: Vec<String> = command.have.iter().chain([&command.to]).cloned().collect();
        let fields = self.in_graph(move |graph| fields_like_tools(graph, written)).await?;
        let to = destination(&command.to, &fields, find)?;
        let have = command.have.iter().map(|name| at_hand(name, &fields, find));
        let have: Vec<Box<str>> = have.collect::<Result<_, ApiError>>()?;
        let planned = self.in_graph(move |graph| plan(graph, &to, &have, limit)).await?;
        planned.map_err(|message| ApiError::new(ErrorKind::NotFound, message))
    }
}

/// Returns those names that are written like tools, as in `__typename`, and are names of fields.
pub(crate) fn fields_like_tools(graph: &Graph, names: Vec<String>) -> BTreeSet<String> {
    names.into_iter().filter(|name| name.contains("__") && graph.has_field(name)).collect()
}

/// Reads what a plan leads to: `server__tool`, `server__tool:PATH`, or the name of a field. A name in `fields` is that
/// of a field unless it is a tool.
pub(crate) fn destination<E>(
    written: &str,
    fields: &BTreeSet<String>,
    find: impl Fn(&str) -> Result<Box<str>, E>,
) -> Result<Destination, E> {
    if !written.contains("__") {
        return Ok(Destination::Field(written.into()));
    }
    if fields.contains(written) {
        let tool = find(written).map(|tool| Destination::Tool(tool, None));
        return Ok(tool.unwrap_or_else(|_| Destination::Field(written.into())));
    }
    // A path may contain anything.
    Ok(match written.split_once(':') {
        Some((tool, path)) => Destination::Tool(find(tool)?, Some(path.into())),
        None => Destination::Tool(find(written)?, None),
    })
}

/// Something at hand: the name of a field as it is, or the id of a tool.
pub(crate) fn at_hand<E>(
    written: &str,
    fields: &BTreeSet<String>,
    find: impl Fn(&str) -> Result<Box<str>, E>,
) -> Result<Box<str>, E> {
    if !written.contains("__") {
        return Ok(written.into());
    }
    find(written).or_else(|error| if fields.contains(written) { Ok(written.into()) } else { Err(error) })
}

/// Plans, best first. A path that a tool's result does not have is an error that says which it has.
pub(crate) fn plan(
    graph: &mut Graph,
    to: &Destination,
    have: &[Box<str>],
    limit: usize,
) -> Result<Plans, String> {
    let field = match to {
        Destination::Tool(tool, None) => return Ok(graph.plan(&Goal::Tool(tool.clone()), have, limit)),
        Destination::Tool(tool, Some(path)) => {
            let known: Vec<&str> = graph.outputs(tool).collect();
            let below = |known: &&str| {
                known
                    .strip_prefix(&**path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
            };
            if !path.is_empty() && !known.is_empty() && !known.iter().any(below) {
                let hint = suggestion(path, known.iter().copied());
                let more = if known.len() > NAMED { ", …" } else { "" };
                let listed = known.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
                let hint = if hint.is_empty() { format!("; they have {listed}{more}") } else { hint };
                return Err(format!("results of {tool} have no {path:?}{hint}"));
            }
            return Ok(graph.plan(&Goal::Output(tool.clone(), path.clone()), have, limit));
        }
        Destination::Field(field) => field,
    };
    let goals = graph.givers(field, MAX_GIVERS);
    if goals.is_empty() {
        let names = graph.field_names();
        let why_none = if names.iter().any(|name| *name == **field) {
            format!("no tool that can be called now gives a field {field:?}")
        } else {
            let hint = suggestion(field, names.iter().map(String::as_str));
            format!("no tool gives a field {field:?}{hint}")
        };
        return Ok(Plans { plans: Vec::new(), why_none: Some(why_none) });
    }
    let (mut plans, mut why_none) = (Vec::new(), None);
    for goal in goals {
        let found = graph.plan(&goal, have, limit);
        plans.extend(found.plans);
        why_none = why_none.or(found.why_none);
    }
    // Equal ones stay in the order of the goals.
    plans.sort_by(|a, b| {
        let missing = a.missing.len().cmp(&b.missing.len());
        missing.then(b.confidence.total_cmp(&a.confidence)).then(a.steps.len().cmp(&b.steps.len()))
    });
    plans.truncate(limit);
    Ok(Plans { why_none: why_none.filter(|_| plans.is_empty()), plans })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destination_is_a_tool_a_path_or_a_field() {
        let find = |tool: &str| if tool == "s__t" { Ok(Box::from(tool)) } else { Err(()) };
        let fields = BTreeSet::from(["s__t".to_owned(), "__typename".to_owned()]);
        let tool = |path: Option<&str>| Destination::Tool("s__t".into(), path.map(Into::into));
        let read = |written: &str| destination(written, &fields, find);
        assert_eq!(read("s__t"), Ok(tool(None)));
        assert_eq!(read("s__t:a[].b"), Ok(tool(Some("a[].b"))));
        assert_eq!(read("s__t:[\"a:b\"]"), Ok(tool(Some("[\"a:b\"]"))));
        assert_eq!(read("order_id"), Ok(Destination::Field("order_id".into())));
        assert_eq!(read("__typename"), Ok(Destination::Field("__typename".into())));
        assert_eq!(read("s__u"), Err(()));
        assert_eq!(at_hand("__typename", &fields, find), Ok("__typename".into()));
        assert_eq!(at_hand("s__u", &fields, find), Err(()));
    }
}

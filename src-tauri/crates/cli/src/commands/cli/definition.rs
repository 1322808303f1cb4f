//! A definition as tables for people.

use anyhow::Result;
use schemascope_api::{CliDefinition, CliParameter};
use schemascope_helptext::{Definition, Subcommand, Value};

use crate::output::{self, harmless};

/// Longest description in a table, in characters.
const WIDTH: usize = 70;

/// Prints what a help text says.
pub fn print(definition: &Definition) -> Result<()> {
    let name = if definition.command.is_empty() { "(no name)" } else { &definition.command };
    output::line(&harmless(format!("{name}  {}", definition.description).trim_end()))?;
    for usage in &definition.usage {
        output::line(&format!("  usage: {}", harmless(usage)))?;
    }
    if !definition.positionals.is_empty() {
        let mut table =
            output::table(&["argument", "property", "required", "repeated", "choices", "description"], &[]);
        for one in &definition.positionals {
            let yes = |is: bool| if is { "yes" } else { "" }.to_owned();
            table.add_row([
                harmless(&one.name).to_string(),
                one.property.clone(),
                yes(one.required),
                yes(one.repeated),
                harmless(&listed(&one.choices, ", ")).to_string(),
                short(&one.description),
            ]);
        }
        output::line("")?;
        output::print_without(&table, &["property", "repeated", "required"])?;
    }
    if !definition.options.is_empty() {
        let mut table = output::table(&["option", "property", "value", "effects", "description"], &[]);
        for one in &definition.options {
            let flags: Vec<&str> = one.flags.iter().chain(&one.negated).map(String::as_str).collect();
            let kind = serde_json::to_value(one.kind).ok();
            let kind = kind.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
            let value = match one.value {
                Value::None => String::new(),
                Value::Unknown => "unknown".to_owned(),
                value => {
                    let kind =
                        if one.choices.is_empty() { kind.to_owned() } else { listed(&one.choices, "|") };
                    let many = if one.repeated { "…" } else { "" };
                    if value == Value::Optional { format!("[{kind}]{many}") } else { format!("{kind}{many}") }
                }
            };
            let effects: Vec<&str> = one.effects.iter().map(|effect| effect.words()).collect();
            table.add_row([
                harmless(&flags.join(", ")).to_string(),
                one.property.clone(),
                harmless(&value).to_string(),
                effects.join(", "),
                short(&one.description),
            ]);
        }
        output::line("")?;
        output::print_without(&table, &["property", "value"])?;
    }
    if definition.reads_stdin {
        output::line("\nIt reads its standard input: property stdin.")?;
    }
    let names = |one: &Subcommand| {
        let all: Vec<&str> =
            std::iter::once(one.name.as_str()).chain(one.aliases.iter().map(String::as_str)).collect();
        harmless(&all.join(", ")).to_string()
    };
    let mut subcommands = definition.subcommands.iter();
    if subcommands.clone().any(|one| !one.description.is_empty()) {
        let mut table = output::table(&["subcommand", "description"], &[]);
        for one in subcommands {
            table.add_row([names(one), short(&one.description)]);
        }
        output::line("")?;
        output::print(&table)?;
    } else if let Some(first) = subcommands.next() {
        let all = subcommands.fold(names(first), |all, one| format!("{all}, {}", names(one)));
        output::line(&format!("\nsubcommands: {all}"))?;
    }
    for note in &definition.notes {
        output::note(&harmless(note));
    }
    Ok(())
}

/// Prints the options of a tool, with what they do and which are withheld.
pub fn print_tool(tool: &CliDefinition) -> Result<()> {
    output::line(&harmless(&tool.tool_id))?;
    let mut table = output::table(&["property", "spelling", "effects", "offered", "description"], &[]);
    for CliParameter { property, flags, value_name, description, effects, withheld } in &tool.parameters {
        let spelling = format!("{} {value_name}", flags.join(", "));
        table.add_row([
            harmless(property).to_string(),
            harmless(spelling.trim()).to_string(),
            effects.join(", "),
            withheld.as_ref().map_or_else(|| "yes".to_owned(), |reason| format!("no: {reason}")),
            short(description),
        ]);
    }
    output::print_without(&table, &["spelling"])?;
    Ok(())
}

/// Choices in a column of a table, and how many there are if not all fit.
fn listed(choices: &[String], between: &str) -> String {
    const MOST: usize = 40;
    let all = choices.join(between);
    if all.chars().count() <= MOST {
        return all;
    }
    let mut shown = String::new();
    for choice in choices {
        if shown.chars().count() + choice.chars().count() > MOST {
            break;
        }
        shown.push_str(choice);
        shown.push_str(between);
    }
    format!("{shown}… ({} values)", choices.len())
}

fn short(text: &str) -> String {
    let plain = harmless(text).to_string();
    if plain.chars().count() <= WIDTH {
        return plain;
    }
    plain.chars().take(WIDTH - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn many_choices_are_counted() {
        let of = |text: &str| listed(&text.split(' ').map(str::to_owned).collect::<Vec<_>>(), "|");
        assert_eq!(of("always auto never"), "always|auto|never");
        let many = "json yaml name go-template go-template-file jsonpath jsonpath-file wide";
        assert_eq!(of(many), "json|yaml|name|go-template|… (8 values)");
    }
}

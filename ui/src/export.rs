//! The dialog that exports files: the report, overrides, registry, bundle, or a version's schema.

use leptos::prelude::*;
use schemascope_api::{Export, ExportedFile, Form, GetReportPage, GetSchema, SchemaChoice};

use crate::app::App;
use crate::cells::click;
use crate::door;
use crate::parts::{Acting, Foreign, Icon, ToolName, Views};
use crate::saving;
use crate::text::file_stem;

/// What is exported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exporting {
    /// The tool, else all tools.
    tool_id: Option<String>,
    /// Its versions whose schemas are offered, the newest first.
    versions: Vec<u32>,
}

impl Exporting {
    /// All tools.
    pub fn all() -> Self {
        Self::default()
    }

    /// One tool, with the schemas of these versions.
    pub fn tool(tool_id: String, versions: Vec<u32>) -> Self {
        Self { tool_id: Some(tool_id), versions }
    }
}

/// What a file contains.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Report,
    Files(Form),
    Schema(SchemaChoice),
}

const FILES: [(Form, &str, &str); 3] = [
    (
        Form::Overrides,
        "Overrides",
        "names, descriptions, annotations, hidden tools and schemas as agents see them",
    ),
    (Form::Registry, "Registry", "type_registry.json: schemas, quality and counts, in the known form"),
    (Form::Bundle, "Bundle", "shapes, versions and decisions, for another machine or `schemascope check`"),
];

/// The dialog.
#[component]
pub fn ExportDialog(
    /// What is exported.
    exporting: Exporting,
) -> impl IntoView {
    let app = App::get();
    let acting = Acting::new();
    let Acting { busy, problem, .. } = acting;
    let Exporting { tool_id, versions } = exporting;
    let of = tool_id.clone();
    let run = Callback::new(move |content: Content| {
        if !acting.begin() {
            return;
        }
        let tool_id = tool_id.clone();
        leptos::task::spawn_local(async move {
            let saved = match file(tool_id, content).await {
                Ok(file) => saving::saved(&file.name, &file.text).await,
                Err(error) => Err(error),
            };
            match saved {
                Ok(Some(said)) => {
                    acting.close();
                    app.notify(said);
                }
                // Cancelled: the dialog stays for another choice.
                Ok(None) => drop(busy.try_update(|busy| *busy = false)),
                Err(error) => acting.fail(error),
            }
        });
    });
    let line = |content: Content, name: String, what: String| {
        view! {
            <li>
                <button class="button small" prop:disabled=move || busy.get() on:click=click(move |_| run.run(content))>{name}</button>
                <span class="dim">{what}</span>
            </li>
        }
        .into_any()
    };
    let mut lines = Vec::new();
    if of.is_none() {
        let page =
            "one HTML page with all figures, for people who do not use Schemascope; no values".to_owned();
        lines.push(line(Content::Report, "Report".to_owned(), page));
    } else {
        let effective = "the schema that clients receive, else the inferred one".to_owned();
        lines.push(line(Content::Schema(SchemaChoice::Best), "Schema".to_owned(), effective));
    }
    for version in versions {
        let what = format!("the schema of version {version}");
        lines.push(line(Content::Schema(SchemaChoice::Version(version)), format!("Schema v{version}"), what));
    }
    for (form, name, what) in FILES {
        lines.push(line(Content::Files(form), name.to_owned(), what.to_owned()));
    }
    view! {
        <div class="inside decide">
            <div class="head">
                <h2>"Export " <span class="dim">"· " {match of {
                    Some(id) => view! { <ToolName id=id /> }.into_any(),
                    None => "all tools".into_any(),
                }}</span></h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            <ul class="exports scrolls" tabindex="0" aria-label="Files">{lines.into_iter().views()}</ul>
            {move || problem.get().map(|text| view! { <p class="bad" role="alert"><Foreign text=text limit=600 /></p> }.into_any())}
        </div>
    }
}

/// The file to save.
async fn file(tool_id: Option<String>, content: Content) -> Result<ExportedFile, String> {
    match (content, tool_id) {
        (Content::Report, _) => door::call(&GetReportPage {}).await.map_err(|error| error.to_string()),
        (Content::Files(form), tool_id) => {
            // An exact id is no pattern.
            let command =
                Export { form, tools: tool_id.into_iter().collect(), with_values: false, team: false };
            let reply = door::call(&command).await.map_err(|error| error.to_string())?;
            reply.files.into_iter().next().ok_or_else(|| "there is nothing to export".to_owned())
        }
        (Content::Schema(choice), Some(tool_id)) => {
            let reply = door::call(&GetSchema { tool_id: tool_id.clone(), choice }).await;
            let reply = reply.map_err(|error| error.to_string())?;
            let text = serde_json::to_string_pretty(&reply.schema).map_err(|error| error.to_string())? + "\n";
            let version = reply.version.map(|version| format!(".v{version}")).unwrap_or_default();
            Ok(ExportedFile { name: format!("{}{version}.json", file_stem(&tool_id)), text })
        }
        (Content::Schema(_), None) => Err("no tool is chosen".to_owned()),
    }
}

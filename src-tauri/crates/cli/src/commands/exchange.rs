//! `export` and `import`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use schemascope_api::{
    Export as ExportCommand, ExportReply, ExportedFile, Form, GetPatch, Import as ImportCommand, ImportReply,
};
use schemascope_engine::{Durability, Front};
use serde_json::{Map, Value, json};

use super::cli::import::{How, import as import_cli};
use super::verb::{Alone, verbs, with_engine};
use crate::args::{Args, person};
use crate::output::{self, count, counted, harmless, read_file as read};

verbs!(Share: alone Export, alone Import);

/// Least time between two looks of `--follow`.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(1);
/// Largest number of files read from a folder.
const MAX_FILES: usize = 10_000;

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileForm {
    /// type_registry.json: one row per tool, in a form that other programs read
    Registry,
    /// tool_overrides.json: the effective schemas, with names, descriptions and visibility
    Overrides,
    /// One JSON Schema file per tool
    Schemas,
    /// Counts, structure and effective schemas, for a team or as a baseline of `check`
    Bundle,
    /// The team's key, which hashes in bundles are made with
    Key,
    /// ai-tools.json, .qwencoderc.json or qwencode.config.json: command-line tools; `import` only
    Cli,
    /// Code for the author of a server, so that it declares the output schema of TOOL; `export` only
    Patch,
}

/// An SDK for MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sdk {
    /// The official one, with Zod
    Typescript,
    /// The official one, with Pydantic
    Python,
    /// rmcp, with schemars
    Rust,
    /// Any: the JSON Schema
    Json,
}

impl Sdk {
    fn word(self) -> &'static str {
        match self {
            Self::Typescript => "typescript",
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Json => "json",
        }
    }
}

/// Write a registry, overrides, schemas, a bundle, the team's key or a patch for a server
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  schemascope export bundle --out bundle.json    for the team, or as a baseline\n  \
    schemascope export schemas --out schemas --tool 'git__*'\n  \
    schemascope export patch git__git_log --sdk python    for the server's author\n  \
    schemascope export registry --follow types.json    until it is interrupted\n\n\
    Bundles contain no observed values: keyed hashes replace values, and keys that are data. A hash shows only \
    whether two values are equal. Bundles do contain names of fields, counts, formats, lengths, and what \
    servers declare. Someone who also has the team's key can test guesses of values: keep the key apart."
)]
pub struct Export {
    /// What to write
    #[arg(value_enum)]
    form: FileForm,
    /// With `patch`: the tool
    #[arg(value_name = "TOOL_ID", required_if_eq("form", "patch"))]
    tool_id: Option<String>,
    /// With `patch`: the server's SDK
    #[arg(long, value_enum, default_value = "json")]
    sdk: Sdk,
    /// The file, or the folder for schemas [default: standard output]
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// With `registry`: write this file, and again whenever something changes, until interrupted
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    follow: Option<PathBuf>,
    /// Only tools with this id; * and ? match anything; can be repeated
    #[arg(long = "tool", value_name = "GLOB")]
    tools: Vec<String>,
    /// Write a bundle, or a patch, with observed values, redacted as they are stored
    #[arg(long)]
    with_values: bool,
    /// Add the counts of imported bundles from other machines; a bundle always has them
    #[arg(long)]
    team: bool,
}

/// Read a registry, overrides, schemas, a bundle, the team's key or command-line tools
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  schemascope import bundle theirs.json --dry-run    print what would change\n  \
    schemascope import key team-key.json               before anything is recorded\n  \
    schemascope import cli .qwencoderc.json            command-line tools; asks\n\n\
    A schema that is not known here becomes a candidate with the origin `import`, which you promote or reject. \
    Nothing reaches agents before. Counts of other machines are kept apart from your own, and of each tool the \
    later counts of a machine stay. Bundles are signed with the team's key; a file that was changed is rejected. \
    Parts that cannot be true are set aside with the reason, and the command exits with 1. An invalid file \
    changes nothing."
)]
pub struct Import {
    /// What the file is
    #[arg(value_enum)]
    form: FileForm,
    /// The file; for schemas, a file named after its tool (git__git_log.json) or a folder of them
    file: PathBuf,
    /// Print what would change, without changing it
    #[arg(long)]
    dry_run: bool,
    /// Import a bundle without a signature, as older versions wrote it: you vouch for what it says
    #[arg(long)]
    unsigned: bool,
    /// Add command-line tools without asking
    #[arg(long)]
    yes: bool,
    /// Reason, kept in the audit log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Alone for Export {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match form(self.form) {
            _ if self.tool_id.is_some() && self.form != FileForm::Patch => {
                output::error("only `export patch` takes a tool; --tool selects tools of the other forms");
                Ok(ExitCode::from(2))
            }
            _ if self.follow.is_some() && self.form != FileForm::Registry => {
                output::error("--follow works with `export registry` only");
                Ok(ExitCode::from(2))
            }
            None if self.form == FileForm::Patch => {
                with_engine(args, async |front| export_patch(args, self, front).await).await
            }
            None if self.form == FileForm::Cli => {
                output::error("command-line tools are in ai-tools.json in the data directory; copy it");
                Ok(ExitCode::from(2))
            }
            None => export_key(args, self),
            Some(form) => with_engine(args, async |front| export(args, self, form, front).await).await,
        }
    }
}

impl Alone for Import {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match form(self.form) {
            _ if self.unsigned && self.form != FileForm::Bundle => {
                output::error("--unsigned works with bundles only; the other forms have no signature");
                Ok(ExitCode::from(2))
            }
            None if self.form == FileForm::Cli => {
                let how = How { dry_run: self.dry_run, yes: self.yes, reason: self.reason.as_deref() };
                with_engine(args, async |front| import_cli(args, front, &self.file, how).await).await
            }
            None if self.form == FileForm::Patch => {
                output::error("a patch is for the author of a server; nothing here reads it");
                Ok(ExitCode::from(2))
            }
            None => import_key(args, self),
            Some(form) => with_engine(args, async |front| import(args, self, form, front).await).await,
        }
    }
}

/// The form that an engine reads and writes whole. The key needs no engine, and command-line tools are added one by one.
fn form(form: FileForm) -> Option<Form> {
    Some(match form {
        FileForm::Registry => Form::Registry,
        FileForm::Overrides => Form::Overrides,
        FileForm::Schemas => Form::Schemas,
        FileForm::Bundle => Form::Bundle,
        FileForm::Key | FileForm::Cli | FileForm::Patch => return None,
    })
}

fn export_key(args: &Args, verb: &Export) -> Result<ExitCode> {
    let text = schemascope_engine::team_key(&args.options(Durability::default())?.data_dir)?;
    match &verb.out {
        Some(out) => {
            replace_file(out, &text, true)?;
            output::note(&format!("{}: keep it as secret as a password", out.display()));
        }
        None => output::line(text.trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes what the author of a server pastes.
async fn export_patch(args: &Args, verb: &Export, front: &Front) -> Result<ExitCode> {
    let tool_id = verb.tool_id.clone().unwrap_or_default();
    let command = GetPatch { tool_id, sdk: verb.sdk.word().to_owned(), with_values: verb.with_values };
    let patch = front.call(command).await?;
    for note in &patch.notes {
        output::note(&harmless(&format!("note: {note}")));
    }
    if verb.sdk == Sdk::Json && !args.quiet && !args.json {
        for line in &patch.evidence {
            output::note(&harmless(line));
        }
    }
    match &verb.out {
        Some(path) => write_file(path, &patch.text, verb.with_values)?,
        None if args.json => {}
        None if verb.sdk == Sdk::Json => output::json_text(&patch.text)?,
        // Foreign text in code is ASCII, or a comment without characters that act.
        None => output::line(patch.text.trim_end())?,
    }
    if args.json {
        output::json(&patch)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn import_key(args: &Args, verb: &Import) -> Result<ExitCode> {
    let data_dir = args.options(Durability::default())?.data_dir;
    let text = read(&verb.file)?;
    let (key_id, changed) = schemascope_engine::adopt_key(&data_dir, &text, verb.dry_run)
        .with_context(|| verb.file.display().to_string())?;
    if args.json {
        output::json(
            &json!({"key_id": key_id, "changed": changed && !verb.dry_run, "dry_run": verb.dry_run}),
        )?;
    } else {
        output::line(&match (changed, verb.dry_run) {
            (false, _) => format!("key {key_id} is already in use here"),
            (true, true) => format!("key {key_id} would be used from now on"),
            (true, false) => format!("key {key_id} is used from now on"),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn export(args: &Args, verb: &Export, form: Form, front: &Front) -> Result<ExitCode> {
    if verb.with_values && form != Form::Bundle {
        output::error("--with-values works with bundles only; the other forms have the schemas as they are");
        return Ok(ExitCode::from(2));
    }
    if let Some(file) = &verb.follow {
        return follow(args, verb, form, front, file).await;
    }
    let (tools, with_values, team) = (verb.tools.clone(), verb.with_values, verb.team);
    let reply = front.call(ExportCommand { form, tools, with_values, team }).await?;
    let Some(out) = &verb.out else {
        if form == Form::Schemas {
            let schema = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
            let id = |name: &str| name.strip_suffix(".json").unwrap_or(name).to_owned();
            let all: Map<String, Value> =
                reply.files.iter().map(|file| (id(&file.name), schema(&file.text))).collect();
            output::schema(&Value::Object(all))?;
        } else {
            for file in &reply.files {
                output::json_text(&file.text)?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    };
    if form == Form::Schemas {
        write_folder(out, &reply.files)?;
    } else {
        for file in &reply.files {
            write_file(out, &file.text, verb.with_values)?;
        }
    }
    if args.json {
        let bytes: usize = reply.files.iter().map(|file| file.text.len()).sum();
        output::json(&json!({
            "tool_count": reply.tool_count, "machine_count": reply.machine_count,
            "file_count": reply.files.len(), "bytes": bytes,
        }))?;
    } else {
        let values = match (form, verb.with_values) {
            (Form::Bundle, true) => "; it contains observed values",
            (Form::Bundle, false) => "; it contains no observed values",
            _ => "",
        };
        output::line(&format!("{}: {}{values}", out.display(), counted(reply.tool_count, "tool")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Keeps a registry file current.
async fn follow(args: &Args, verb: &Export, form: Form, front: &Front, file: &Path) -> Result<ExitCode> {
    if !front.is_attached() {
        output::error("--follow needs a running Schemascope; start `schemascope serve` or the window");
        return Ok(ExitCode::FAILURE);
    }
    let mut written = fs::read_to_string(file).unwrap_or_default();
    let mut is_away = false;
    loop {
        let begun = Instant::now();
        let (tools, team) = (verb.tools.clone(), verb.team);
        let command = ExportCommand { form, tools, with_values: false, team };
        let reply = match front.call(command.clone()).await {
            Ok(reply) => reply,
            // It may have been restarted; its new address is in the data directory.
            Err(error) => match again(args, command).await {
                Some(reply) => reply,
                None => {
                    if !is_away && !args.quiet {
                        output::note(&format!("{error}; waiting for Schemascope to run again"));
                    }
                    is_away = true;
                    tokio::time::sleep(FOLLOW_INTERVAL).await;
                    continue;
                }
            },
        };
        is_away = false;
        let text = reply.files.into_iter().next().map(|file| file.text).unwrap_or_default();
        if text != written {
            replace_file(file, &text, false)?;
            written = text;
            if !args.quiet {
                output::note(&format!("{}: {}", file.display(), counted(reply.tool_count, "tool")));
            }
        }
        // A large registry takes longer, and shall not keep a core busy.
        tokio::time::sleep(FOLLOW_INTERVAL.max(begun.elapsed() * 20)).await;
    }
}

/// Asks the Schemascope that runs now; none if none does.
async fn again(args: &Args, command: ExportCommand) -> Option<ExportReply> {
    let data_dir = args.options(Durability::default()).ok()?.data_dir;
    // Where none has said where it listens, even looking would be in the way of one that starts.
    let front =
        if data_dir.join("instance.json").exists() { Front::attach(&data_dir).ok()?? } else { return None };
    front.call(command).await.ok()
}

async fn import(args: &Args, verb: &Import, form: Form, front: &Front) -> Result<ExitCode> {
    let command = |name: String, text: String, dry_run: bool| ImportCommand {
        form,
        name,
        text,
        dry_run,
        unsigned: verb.unsigned,
        reason: verb.reason.clone(),
        person: person(),
    };
    let mut files = Vec::new();
    if form == Form::Schemas && verb.file.is_dir() {
        let entries =
            fs::read_dir(&verb.file).with_context(|| format!("cannot read {}", verb.file.display()))?;
        let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        if paths.is_empty() || paths.len() > MAX_FILES {
            bail!("{} must have between 1 and {MAX_FILES} .json files", verb.file.display());
        }
        for path in paths {
            files.push((file_name(&path), read(&path)?));
        }
    } else {
        files.push((file_name(&verb.file), read(&verb.file)?));
    }
    // Every file must be valid before the first one is imported.
    if files.len() > 1 && !verb.dry_run {
        for (name, text) in &files {
            front.call(command(name.clone(), text.clone(), true)).await?;
        }
    }
    let mut total = ImportReply { dry_run: verb.dry_run, ..ImportReply::default() };
    for (name, text) in files {
        let reply = front.call(command(name, text, verb.dry_run)).await?;
        total.tools.extend(reply.tools);
        total.machines.extend(reply.machines);
        total.set_aside.extend(reply.set_aside);
        total.notes.extend(reply.notes);
    }
    total.notes.sort();
    total.notes.dedup();
    let code = if total.set_aside.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let written = if args.json { output::json(&total) } else { print_import(&total) };
    output::coded(written, code)
}

fn print_import(total: &ImportReply) -> Result<()> {
    for tool in &total.tools {
        output::line(&harmless(&format!("{}: {}", tool.tool_id, tool.what)))?;
    }
    for machine in &total.machines {
        let calls = count(machine.call_count);
        let what = match machine.what.as_str() {
            "added" => "new",
            "replaced" => "replaces its earlier counts",
            "updated" => "already known; what is known of them was brought up to date",
            "unchanged" => "already known",
            "older" => "left out: newer counts are known",
            "copied" => {
                "left out: they have the id of this machine, whose data directory was copied. It gets another id \
                 when Schemascope starts again; import the file once more then"
            }
            _ => "left out: it is this machine",
        };
        output::line(&harmless(&format!("machine {}: {calls} calls, {what}", machine.machine)))?;
    }
    for part in &total.set_aside {
        let of = |what: &str, name: &Option<String>| name.as_ref().map(|name| format!("{what}{name}"));
        let named: Vec<String> =
            of("machine ", &part.machine).into_iter().chain(of("", &part.tool_id)).collect();
        output::line(&harmless(&format!("{}: set aside: {}", named.join(", "), part.reason)))?;
    }
    for note in &total.notes {
        output::note(&harmless(note));
    }
    if total.tools.is_empty() && total.machines.is_empty() && total.set_aside.is_empty() {
        output::line("the file has nothing to import")?;
    }
    if total.dry_run {
        output::note("nothing was changed (--dry-run)");
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Writes files into a folder: all of them, or none.
fn write_folder(folder: &Path, files: &[ExportedFile]) -> Result<()> {
    let is_new = !folder.exists();
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let staged = folder.join(format!(".schemascope-{}", std::process::id()));
    let written = (|| {
        fs::create_dir(&staged).with_context(|| format!("cannot create the folder {}", staged.display()))?;
        for file in files {
            // A folder in the way is found before anything is replaced.
            if folder.join(&file.name).is_dir() {
                bail!("{} is a folder", folder.join(&file.name).display());
            }
            write_file(&staged.join(&file.name), &file.text, false)?;
        }
        for file in files {
            let path = folder.join(&file.name);
            fs::rename(staged.join(&file.name), &path)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    })();
    let _ = fs::remove_dir_all(&staged);
    if written.is_err() && is_new {
        let _ = fs::remove_dir(folder);
    }
    written
}

fn write_file(path: &Path, text: &str, is_private: bool) -> Result<()> {
    if is_private {
        return replace_file(path, text, true);
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn replace_file(path: &Path, text: &str, is_private: bool) -> Result<()> {
    schemascope_engine::save_file(path, text, is_private)
        .with_context(|| format!("cannot write {}", path.display()))
}

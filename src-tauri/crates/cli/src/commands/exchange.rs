//! `export` and `import`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use schemascope_api::{Export as ExportCommand, Form, Import as ImportCommand, ImportReply};
use schemascope_engine::{Durability, Front};
use serde_json::{Map, Value, json};

use crate::args::{Args, Export, FileForm, Import};
use crate::output::{self, count, counted};

/// Bytes of a file that is read, at most.
const MAX_FILE: u64 = 64 << 20;
/// Files of a folder that are read, at most.
const MAX_FILES: usize = 10_000;

fn form(form: FileForm) -> Option<Form> {
    Some(match form {
        FileForm::Registry => Form::Registry,
        FileForm::Overrides => Form::Overrides,
        FileForm::Schemas => Form::Schemas,
        FileForm::Bundle => Form::Bundle,
        FileForm::Key => return None,
    })
}

/// The team's key, which needs no engine.
pub fn export_key(args: &Args, verb: &Export) -> Result<ExitCode> {
    let text = schemascope_engine::team_key(&args.options(Durability::default())?.data_dir)?;
    match &verb.out {
        Some(out) => {
            write_private(out, &text)?;
            output::note(&format!("{}: keep it as you keep a password", out.display()));
        }
        None => output::line(text.trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the team's key.
pub fn import_key(args: &Args, verb: &Import) -> Result<ExitCode> {
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
            (false, _) => format!("key {key_id} is the key here already"),
            (true, true) => format!("key {key_id} would be the key here"),
            (true, false) => format!("key {key_id} is the key here from now on"),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn export(args: &Args, verb: &Export, front: &Front) -> Result<ExitCode> {
    let Some(form) = form(verb.form) else { return Ok(ExitCode::SUCCESS) };
    if verb.with_values && form != Form::Bundle {
        output::note(
            "--with-values is of bundles; the other forms tell what is in force or inferred as it is",
        );
        return Ok(ExitCode::from(2));
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
                output::line(file.text.trim_end())?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    };
    if form == Form::Schemas {
        fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    }
    for file in &reply.files {
        let path = if form == Form::Schemas { out.join(&file.name) } else { out.clone() };
        if verb.with_values {
            write_private(&path, &file.text)?;
        } else {
            fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
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
            (Form::Bundle, true) => "; it holds observed values",
            (Form::Bundle, false) => "; it holds no observed value",
            _ => "",
        };
        output::line(&format!("{}: {}{values}", out.display(), counted(reply.tool_count, "tool")))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn import(args: &Args, verb: &Import, front: &Front) -> Result<ExitCode> {
    let Some(form) = form(verb.form) else { return Ok(ExitCode::SUCCESS) };
    let person = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let command = |name: String, text: String, dry_run: bool| ImportCommand {
        form,
        name,
        text,
        dry_run,
        reason: verb.reason.clone(),
        person: person.clone(),
    };
    let mut files = Vec::new();
    if form == Form::Schemas && verb.file.is_dir() {
        let entries =
            fs::read_dir(&verb.file).with_context(|| format!("cannot read {}", verb.file.display()))?;
        let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        if paths.is_empty() || paths.len() > MAX_FILES {
            bail!("{} has no .json file, or more than {MAX_FILES}", verb.file.display());
        }
        for path in paths {
            files.push((file_name(&path), read(&path)?));
        }
    } else {
        files.push((file_name(&verb.file), read(&verb.file)?));
    }
    // Of several files all must be right before one is taken.
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
    }
    if args.json {
        output::json(&total)?;
        return Ok(ExitCode::SUCCESS);
    }
    for tool in &total.tools {
        output::line(&output::harmless(&format!("{}: {}", tool.tool_id, tool.what)))?;
    }
    for machine in &total.machines {
        let calls = count(machine.call_count);
        let what = match machine.what.as_str() {
            "added" => "new here",
            "replaced" => "in place of what was known of it",
            "unchanged" => "known already",
            "older" => "left out: what is known of it is later",
            _ => "left out: it is this machine",
        };
        output::line(&output::harmless(&format!("machine {}: {calls} calls, {what}", machine.machine)))?;
    }
    if total.tools.is_empty() && total.machines.is_empty() {
        output::line("nothing in it to import")?;
    }
    if total.dry_run {
        output::note("nothing was changed (--dry-run)");
    }
    Ok(ExitCode::SUCCESS)
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A file's text, however large it pretends to be.
pub(super) fn read(path: &Path) -> Result<String> {
    use std::io::Read;
    let unreadable = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).with_context(unreadable)?.take(MAX_FILE + 1).read_to_end(&mut bytes)
    };
    read.with_context(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{} is larger than {} MB", path.display(), MAX_FILE >> 20);
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Writes a file that only its user may read.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

//! Command-line tools: listing, adding and removing them, and deciding about requests of agents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_api::{
    AddCliTool, ApiError, ApproveCliTool, CliCallPreview, CliDefinition, CliLimits, CliOrigin, CliParameter,
    CliPreview, CliRequest, CliState, CliToolDetail, CliToolRow, CliTools, ErrorKind, GetCliTool,
    ListCliTools, PreviewCliCall, ProbeCliTool, RefreshCliTool, RejectCliTool, RemoveCliTool,
};
use schemascope_helptext::{Effect, Policy, STDIN, Tool, Withheld};
use schemascope_model::ToolId;
use schemascope_overrides::WILDCARD;
use schemascope_proxy::OWN_SERVER;
use schemascope_registry::versions::{AuditEvent, CommandLineChange};
use serde_json::Value;

use super::decide::{needs_reason, not_written};
use super::{Handle, internal, nearest};
use crate::cli_tools::{
    CliEntry, Confine, Origin, ProbeError, ProgramFile, Requests, Row, State, concurrency, confines_tcp,
    max_output, probe, resources, timeout_seconds,
};
use crate::engine::Engine;

handlers![
    ListCliTools,
    GetCliTool,
    ProbeCliTool,
    AddCliTool,
    RemoveCliTool,
    RefreshCliTool,
    ApproveCliTool,
    RejectCliTool,
    PreviewCliCall,
];

impl Handle<ListCliTools> for Engine {
    async fn handle(&self, _: ListCliTools) -> Result<CliTools, ApiError> {
        let cli = &self.files.cli;
        let rows = cli.rows();
        Ok(CliTools {
            file: cli.path().display().to_string(),
            problem: cli.problem(),
            tools: rows.iter().map(|(alias, row)| self.cli_row(alias, row)).collect(),
            requests: cli.requests.all(),
        })
    }
}

impl Handle<GetCliTool> for Engine {
    async fn handle(&self, command: GetCliTool) -> Result<CliToolDetail, ApiError> {
        let row = self.known_cli(&command.alias)?;
        let definitions = match &row.state {
            State::Ready(served) => served
                .tools
                .iter()
                .map(|tool| definition(&tool_id(&command.alias, &tool.name), &tool.tool))
                .collect(),
            _ => Vec::new(),
        };
        Ok(CliToolDetail { row: self.cli_row(&command.alias, &row), definitions })
    }
}

impl Handle<ProbeCliTool> for Engine {
    async fn handle(&self, command: ProbeCliTool) -> Result<CliPreview, ApiError> {
        let mut entry = CliEntry::of_command(command.command.trim());
        if !command.subcommand.trim().is_empty() {
            entry.subcommands = vec![command.subcommand.trim().to_owned()];
        }
        // A person looks at it; nothing is offered by that.
        entry.interpreter = true;
        // Nothing but its help is wanted.
        (entry.confine, entry.network) = (Some(Confine::WherePossible(true)), Some(false));
        if let Some(problem) = entry.problem() {
            return Err(ApiError::new(ErrorKind::Invalid, problem));
        }
        let by_name = !entry.subcommands.is_empty();
        let path = std::env::var_os("PATH");
        let file = schemascope_program::find(&entry.command, path.as_deref());
        let file = file.ok().and_then(|program| ProgramFile::look(&program));
        let probed = probe(&entry, by_name).await.map_err(|error| not_probed(&entry, &error))?;
        if let Some(file) = file.filter(|file| ProgramFile::look(&probed.program).as_ref() == Some(file)) {
            self.files.cli.requests.looked_at(&probed.program, file);
        }
        let Some((_, found)) = probed.tools.into_iter().next() else {
            return Err(not_probed(&entry, &ProbeError::Nothing));
        };
        let subcommands = found.subcommands.iter().map(|command| command.name.clone()).collect();
        let tool = Tool::new(found, &Policy::default());
        Ok(CliPreview {
            program: probed.program.display().to_string(),
            definition: definition("", &tool),
            subcommands,
        })
    }
}

impl Handle<AddCliTool> for Engine {
    async fn handle(&self, command: AddCliTool) -> Result<CliToolRow, ApiError> {
        let mut entry: CliEntry = serde_json::from_value(Value::Object(command.entry)).map_err(|error| {
            ApiError::new(ErrorKind::Invalid, format!("the entry has the wrong form: {error}"))
        })?;
        entry.complete();
        if let Some(problem) = entry.problem() {
            return Err(ApiError::new(ErrorKind::Invalid, problem));
        }
        let path = std::env::var_os("PATH");
        if let Err(problem) = schemascope_program::find(&entry.command, path.as_deref()) {
            let message = format!("command {:?} {problem}", entry.command);
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
        if entry.alias == OWN_SERVER {
            let message =
                format!("the alias {OWN_SERVER:?} is that of Schemascope's own tools; choose another one");
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        if self.files.cli.clashes(&self.config().config, &entry.alias) {
            let message = format!(
                "the alias {:?} is the name of a server in mcp.json; choose another one",
                entry.alias
            );
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        if command.only_new && self.files.cli.row(&entry.alias).is_some() {
            let message = format!(
                "there is an entry {:?} already, with options of its own; choose another alias, or edit ai-tools.json",
                entry.alias
            );
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        if self.files.cli.row(&entry.alias).is_some_and(|row| row.origin == Origin::CommandLine) {
            let message =
                format!("{} was given with --cli; choose another alias, or start without it", entry.alias);
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        self.files.cli.put(&entry).map_err(|error| unwritten(self, &error))?;
        // It replaces what was approved for this run.
        self.files.cli.withdraw(&entry.alias);
        self.audit_cli(
            &entry.alias,
            command.reason.as_deref(),
            command.person.as_deref(),
            true,
            CommandLineChange::Added,
        )
        .await?;
        self.read_cli(&entry.alias).await
    }
}

impl Handle<RemoveCliTool> for Engine {
    async fn handle(&self, command: RemoveCliTool) -> Result<(), ApiError> {
        let row = self.known_cli(&command.alias)?;
        if row.origin == Origin::CommandLine {
            let message = format!("{} was given with --cli; start Schemascope without it", command.alias);
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let is_removed = self.files.cli.withdraw(&command.alias)
            || self.files.cli.remove(&command.alias).map_err(|error| unwritten(self, &error))?;
        if !is_removed {
            let file = self.files.cli.path().display();
            let message =
                format!("{file} has no entry {:?} that can be removed; edit the file", command.alias);
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        self.audit_cli(&command.alias, reason, person, true, CommandLineChange::Removed).await?;
        self.services.cli_prober.reload();
        Ok(())
    }
}

impl Handle<RefreshCliTool> for Engine {
    async fn handle(&self, command: RefreshCliTool) -> Result<CliToolRow, ApiError> {
        let row = self.known_cli(&command.alias)?;
        if !self.files.cli.forget(&command.alias) {
            let row = self.cli_row(&command.alias, &row);
            let why = row.reason.unwrap_or_else(|| "it is disabled".to_owned());
            return Err(ApiError::new(
                ErrorKind::Invalid,
                format!("{} cannot be read: {why}", command.alias),
            ));
        }
        self.read_cli(&command.alias).await
    }
}

impl Handle<ApproveCliTool> for Engine {
    async fn handle(&self, command: ApproveCliTool) -> Result<CliToolRow, ApiError> {
        let ApproveCliTool { alias, allow, reason, person, no_reason } = command;
        let allow: BTreeSet<String> = allow.into_iter().collect();
        self.decide_request(&alias, async |request| {
            let entry = CliEntry {
                alias: request.alias.clone(),
                description: request.description.clone(),
                system_prompt: request.system_prompt.clone(),
                allow,
                confine: Some(Confine::WherePossible(true)),
                ..CliEntry::of_command(&request.command)
            };
            if let Some(problem) = entry.problem() {
                return Err(ApiError::new(ErrorKind::Invalid, problem));
            }
            self.still_as_requested(request)?;
            let (reason, person) = (reason.as_deref(), person.as_deref());
            self.audit_cli(&alias, reason, person, no_reason, CommandLineChange::Approved).await?;
            match request.persist {
                true => self.files.cli.put(&entry).map_err(|error| unwritten(self, &error))?,
                false => self.files.cli.approve(entry),
            }
            Ok(())
        })
        .await?;
        self.read_cli(&alias).await
    }
}

impl Handle<RejectCliTool> for Engine {
    async fn handle(&self, command: RejectCliTool) -> Result<(), ApiError> {
        let RejectCliTool { alias, reason, person, no_reason } = command;
        self.decide_request(&alias, async |_| {
            let (reason, person) = (reason.as_deref(), person.as_deref());
            self.audit_cli(&alias, reason, person, no_reason, CommandLineChange::Rejected).await
        })
        .await?;
        self.records.events.renewed();
        Ok(())
    }
}

/// Puts a request back if the decision about it fails, or is given up by its caller.
struct Undecided<'r> {
    requests: &'r Requests,
    request: Option<CliRequest>,
}

impl Drop for Undecided<'_> {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            self.requests.put_back(request);
        }
    }
}

impl Handle<PreviewCliCall> for Engine {
    async fn handle(&self, command: PreviewCliCall) -> Result<CliCallPreview, ApiError> {
        let invalid = |message: String| ApiError::new(ErrorKind::Invalid, message);
        let tool: ToolId =
            command.tool_id.parse().map_err(|error| invalid(format!("{:?}: {error}", command.tool_id)))?;
        let row = self.known_cli(tool.server())?;
        let State::Ready(served) = &row.state else {
            return Err(invalid(format!("{} is not ready; see `schemascope cli list`", tool.server())));
        };
        let Some(one) = served.tools.iter().find(|one| one.name == tool.tool()) else {
            return Err(ApiError::new(ErrorKind::NotFound, format!("there is no tool {tool}")));
        };
        let made = served.invocation(one, command.arguments).map_err(invalid)?;
        let argv = std::iter::once(row.entry.program_name().to_owned()).chain(made.arguments);
        let argv = argv.map(|word| row.entry.without_secrets(&word)).collect();
        Ok(CliCallPreview { argv, stdin: made.stdin })
    }
}

impl Engine {
    fn known_cli(&self, alias: &str) -> Result<Row, ApiError> {
        self.files.cli.row(alias).ok_or_else(|| {
            let rows = self.files.cli.rows();
            let hint = nearest::suggestion(alias, rows.iter().map(|(alias, _)| alias.as_str()));
            ApiError::new(ErrorKind::NotFound, format!("there is no command-line tool {alias:?}{hint}"))
        })
    }

    /// Takes a request out, so that only one decision is made about it, and puts it back if that fails.
    async fn decide_request(
        &self,
        alias: &str,
        decide: impl AsyncFnOnce(&CliRequest) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let requests = &self.files.cli.requests;
        let request = requests.take(alias).ok_or_else(|| self.unknown_request(alias))?;
        let mut undecided = Undecided { requests, request: Some(request.clone()) };
        decide(&request).await?;
        undecided.request = None;
        Ok(())
    }

    /// Nothing took the alias of a request since, and its program is the one that was shown.
    fn still_as_requested(&self, request: &CliRequest) -> Result<(), ApiError> {
        let (cli, alias) = (&self.files.cli, &request.alias);
        let path = std::env::var_os("PATH");
        let found = schemascope_program::find(&request.command, path.as_deref());
        let problem = if cli.row(alias).is_some() {
            format!("there is a command-line tool {alias:?} now; remove it first, or reject the request")
        } else if cli.clashes(&self.config().config, alias) {
            format!("a server in mcp.json has the name {alias:?} now; reject the request")
        } else {
            match found {
                Ok(found) if found.display().to_string() == request.program => {
                    match cli.requests.is_same_program(request) {
                        true => return Ok(()),
                        false => format!(
                            "{} changed since it was requested; look at it again with `schemascope cli probe {}`, or reject \
                             the request",
                            request.program, request.command
                        ),
                    }
                }
                Ok(found) => format!(
                    "{} is {} now, and was {} when it was requested; reject the request, and let the agent ask again",
                    request.command,
                    found.display(),
                    request.program
                ),
                Err(problem) => format!("command {:?} {problem}", request.command),
            }
        };
        Err(ApiError::new(ErrorKind::Invalid, problem))
    }

    fn unknown_request(&self, alias: &str) -> ApiError {
        let all = self.files.cli.requests.all();
        let hint = nearest::suggestion(alias, all.iter().map(|request| request.alias.as_str()));
        ApiError::new(ErrorKind::NotFound, format!("no request for {alias:?} awaits a decision{hint}"))
    }

    /// Reads the file, and the help of an entry's program, and returns what came of it.
    async fn read_cli(&self, alias: &str) -> Result<CliToolRow, ApiError> {
        self.services.cli_prober.reload();
        let cli = Arc::clone(&self.files.cli);
        let unread = cli.unread().into_iter().find(|entry| entry.alias == alias);
        if let Some(entry) = unread {
            cli.probe(entry).await;
        }
        self.services.cli_prober.apply();
        let row = self.known_cli(alias)?;
        Ok(self.cli_row(alias, &row))
    }

    async fn audit_cli(
        &self,
        alias: &str,
        reason: Option<&str>,
        person: Option<&str>,
        may_lack_reason: bool,
        change: CommandLineChange,
    ) -> Result<(), ApiError> {
        let tool = ToolId::new(alias, WILDCARD)
            .map_err(|error| ApiError::new(ErrorKind::Invalid, error.to_string()))?;
        let proposal = self.proposal(&tool, reason, person, None);
        needs_reason(&proposal, may_lack_reason)?;
        let decisions = Arc::clone(&self.knowledge.decisions);
        let writing = move || decisions.write(proposal, |_| Ok(AuditEvent::CommandLine { change }));
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        written.map(drop).map_err(|error| not_written(&tool, error))
    }

    fn cli_row(&self, alias: &str, row: &Row) -> CliToolRow {
        let redactor = self.files.redaction.now();
        let entry = &row.entry;
        let clashes = self.files.cli.clashes(&self.config().config, alias);
        let (state, reason) = match &row.state {
            _ if clashes => (
                CliState::Failed,
                Some("a server in mcp.json has the same name; choose another alias".to_owned()),
            ),
            State::Ready(served) if ProgramFile::look(&served.file.path).as_ref() != Some(&served.file) => {
                let program = served.file.path.display();
                let reason = format!(
                    "{program} changed since its help was read; run `schemascope cli refresh {alias}`"
                );
                (CliState::Failed, Some(reason))
            }
            State::Ready(_) => (CliState::Ready, None),
            State::Reading => (CliState::Reading, None),
            State::Disabled => (CliState::Disabled, None),
            State::Failed(reason) => (CliState::Failed, Some(redactor.text(reason).into_owned())),
        };
        let served = match &row.state {
            State::Ready(served) => Some(served),
            _ => None,
        };
        let (offered, withheld) = served.map(|served| served.counts()).unwrap_or_default();
        CliToolRow {
            alias: alias.to_owned(),
            command: entry.command.clone(),
            state,
            reason,
            origin: match row.origin {
                Origin::File => CliOrigin::File,
                Origin::CommandLine => CliOrigin::CommandLine,
                Origin::Approved => CliOrigin::Approved,
            },
            program: served.map(|served| served.file.path.display().to_string()),
            tools: served
                .map(|served| served.tools.iter().map(|tool| tool_id(alias, &tool.name)).collect())
                .unwrap_or_default(),
            description: entry.description.clone(),
            system_prompt: entry.system_prompt.as_deref().map(|text| redactor.text(text).into_owned()),
            offered,
            withheld,
            notes: served.map(|served| served.notes.clone()).unwrap_or_default(),
            limits: CliLimits {
                timeout_seconds: timeout_seconds(entry),
                max_output_bytes: max_output(entry),
                max_memory_bytes: resources(entry).memory_bytes,
                max_file_bytes: resources(entry).file_bytes,
                concurrency: concurrency(entry),
                roots: entry.roots.iter().map(|root| root.display().to_string()).collect(),
            },
            confinement: confinement(entry),
        }
    }
}

fn tool_id(alias: &str, tool: &str) -> String {
    format!("{alias}{}{tool}", schemascope_model::SEPARATOR)
}

/// What confines a call and what does not, in sentences.
fn confinement(entry: &CliEntry) -> Vec<String> {
    let folders = |folders: &[PathBuf]| {
        folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let mut sentences = vec!["No shell is involved, and no value can become an option.".to_owned()];
    if !entry.roots.is_empty() {
        sentences.push(format!("Paths in arguments must be in {}.", folders(&entry.roots)));
    }
    let confined = entry.confinement(Path::new(&entry.command), Path::new(""));
    sentences.push(match (&confined, &entry.confine) {
        (Some(confined), _) => {
            let own = if confined.write.is_empty() { String::new() } else { format!("{} and ", folders(&confined.write)) };
            format!(
                "The kernel (Landlock) lets it read the system's folders, and read and write {own}a folder of its own. \
                 It can still use sockets of other programs and send signals to programs of yours."
            )
        }
        (None, Some(Confine::WherePossible(true))) => {
            "It should be confined, but this system cannot: it can read and write every file that you can.".to_owned()
        }
        (None, _) => "It can read and write every file that you can; \"confine\": true limits that.".to_owned(),
    });
    let has_network = confined.is_none_or(|confined| confined.network) || !confines_tcp();
    sentences.push(if has_network { "It can use the network." } else { "It cannot use TCP." }.to_owned());
    sentences
}

fn definition(id: &str, tool: &Tool) -> CliDefinition {
    let words = |effects: &[Effect]| effects.iter().map(|effect| effect.words().to_owned()).collect();
    let reason = |withheld: Option<Withheld>| withheld.map(|reason| reason.words().to_owned());
    let positionals = tool.positionals().iter().map(|one| CliParameter {
        property: one.property.clone(),
        flags: vec![one.part.name.clone()],
        value_name: String::new(),
        description: one.part.description.clone(),
        effects: words(&one.part.effects),
        withheld: reason(one.withheld),
    });
    let options = tool.options().iter().map(|one| CliParameter {
        property: one.property.clone(),
        flags: one.part.flags.iter().chain(&one.part.negated).cloned().collect(),
        value_name: one.part.value_name.clone(),
        description: one.part.description.clone(),
        effects: words(&one.part.effects),
        withheld: reason(one.withheld),
    });
    let stdin = tool.stdin().map(|withheld| CliParameter {
        property: STDIN.to_owned(),
        flags: Vec::new(),
        value_name: "standard input".to_owned(),
        description: "Text for the program's standard input.".to_owned(),
        effects: Vec::new(),
        withheld: reason(withheld),
    });
    CliDefinition {
        tool_id: id.to_owned(),
        definition: serde_json::to_value(tool.definition()).unwrap_or_default(),
        parameters: positionals.chain(options).chain(stdin).collect(),
        input_schema: tool.input_schema(),
    }
}

fn not_probed(entry: &CliEntry, error: &ProbeError) -> ApiError {
    match error {
        ProbeError::NotFound(..) => ApiError::new(ErrorKind::NotFound, error.to_string()),
        _ => ApiError::new(ErrorKind::Unavailable, format!("{}: {error}", entry.command)),
    }
}

fn unwritten(engine: &Engine, error: &crate::cli_tools::FileError) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, format!("{} {error}", engine.files.cli.path().display()))
}

//! Running a program for a call: checks first, then an argument vector, then what it printed.

use std::path::PathBuf;
use std::time::Duration;

use schemascope_helptext::Invocation;
use schemascope_program::{Ended, FILE_TOO_LARGE, Outcome, Run, run};
use schemascope_proxy::{Progress, ToolOutput};
use serde_json::{Map, Value, json};
use tokio::runtime::RuntimeFlavor;

use super::cache::ProgramFile;
use super::entry::{max_output, resources, timeout_seconds};
use super::paths::Allowed;
use super::persona;
use super::probe::quiet;
use super::served::{META_ARGV, META_EXIT_CODE, META_TRUNCATED, Served, ServedTool};

impl Served {
    /// The argument vector of a call, behind the program's own name.
    pub(crate) fn invocation(
        &self,
        tool: &ServedTool,
        mut arguments: Map<String, Value>,
    ) -> Result<Invocation, String> {
        // What is null is left out, so a default replaces it.
        arguments.retain(|_, value| !value.is_null());
        let defaults = self.entry.default_args.iter();
        for (property, value) in defaults.filter(|(property, _)| tool.tool.offers(property)) {
            arguments.entry(property.clone()).or_insert_with(|| value.clone());
        }
        if let Some(instructions) = &self.entry.system_prompt {
            persona::instruct(&tool.instructions, instructions, &mut arguments);
        }
        let mut made = tool.tool.invocation(&arguments).map_err(|error| error.to_string())?;
        self.check_paths(&made)?;
        let mut words: Vec<String> = self.entry.args.clone();
        words.extend(tool.words.iter().cloned());
        words.append(&mut made.arguments);
        made.arguments = words;
        Ok(made)
    }

    fn check_paths(&self, made: &Invocation) -> Result<(), String> {
        Allowed { cwd: self.cwd()?, folders: &self.folders, roots: &self.entry.roots }.check(made)
    }

    fn cwd(&self) -> Result<PathBuf, String> {
        match &self.entry.cwd {
            Some(cwd) => Ok(cwd.clone()),
            None if self.entry.is_confined() => Ok(self.folders.work.clone()),
            None => {
                std::env::current_dir().map_err(|error| format!("the working directory is unknown: {error}"))
            }
        }
    }

    pub(super) async fn run(
        &self,
        tool: &ServedTool,
        arguments: Map<String, Value>,
        progress: Progress,
    ) -> Result<ToolOutput, String> {
        // Files are looked up for each path.
        let made = blocking(|| self.invocation(tool, arguments))?;
        let Ok(_turn) = self.running.acquire().await else { return Err("the tool is ending".to_owned()) };
        // Program and links may have changed while it waited.
        blocking(|| self.check_paths(&made))?;
        if ProgramFile::look(&self.file.path).as_ref() != Some(&self.file) {
            return Err(format!(
                "{} is another file than when its help was read; run `schemascope cli refresh {}` to look at it again",
                self.file.path.display(),
                self.entry.alias
            ));
        }
        let timeout = Duration::from_secs(timeout_seconds(&self.entry));
        let argv =
            std::iter::once(self.entry.program_name().to_owned()).chain(made.arguments.iter().cloned());
        let argv: Vec<String> = argv.collect();
        let mut confine = self.entry.confinement(&self.file.path, &self.folders.real_data());
        let mut env = quiet(&self.entry.env);
        let mut cwd = self.entry.cwd.clone();
        if self.entry.is_confined() {
            // Such calls have a place of their own, also where the kernel cannot confine them: the folder of temporary
            // files belongs to all programs, and paths were checked from there.
            let temporary = self.folders.work.join("tmp");
            std::fs::create_dir_all(&temporary)
                .map_err(|error| format!("{} cannot be created: {error}", temporary.display()))?;
            env.insert("TMPDIR".to_owned(), temporary.display().to_string());
            cwd.get_or_insert_with(|| self.folders.work.clone());
        }
        if let Some(confinement) = &mut confine {
            confinement.write.push(self.folders.work.clone());
        }
        let is_confined = confine.is_some();
        let what = Run {
            program: self.file.path.clone(),
            arguments: made.arguments,
            env,
            cwd,
            stdin: made.stdin,
            timeout,
            max_output: max_output(&self.entry),
            resources: resources(&self.entry),
            confine,
        };
        let outcome = run(what, |line| progress.report(line)).await;
        let outcome = outcome.map_err(|error| {
            let hint = match is_confined && error.kind() == std::io::ErrorKind::PermissionDenied {
                true => "; it is confined, so a folder that it needs may be missing in \"roots\"",
                false => "",
            };
            format!("{} could not be started: {error}{hint}", self.entry.program_name())
        })?;
        Ok(self.output(&argv, &outcome, timeout))
    }

    fn output(&self, argv: &[String], outcome: &Outcome, timeout: Duration) -> ToolOutput {
        let mut meta = Map::new();
        let shown: Vec<String> = argv.iter().map(|word| self.entry.without_secrets(word)).collect();
        meta.insert(META_ARGV.to_owned(), json!(shown));
        let how = match outcome.ended {
            Ended::Exit(code) => {
                meta.insert(META_EXIT_CODE.to_owned(), code.into());
                let ok = self.entry.ok_exit_codes();
                let is_ok = ok.contains(&code);
                (!is_ok).then(|| format!("exit code {code}"))
            }
            Ended::Signal(FILE_TOO_LARGE) => Some(
                "a file would have become too large, so it was ended; \"maxFileBytes\" changes the limit"
                    .to_owned(),
            ),
            Ended::Signal(signal) => Some(format!("ended by signal {signal}")),
            Ended::TimedOut => Some(format!(
                "did not end within {} s and was stopped; \"timeoutSeconds\" changes the limit",
                timeout.as_secs()
            )),
        };
        let (stdout, stderr) = (&outcome.stdout, &outcome.stderr);
        let mut truncated = Map::new();
        for (name, captured) in [("stdout", stdout), ("stderr", stderr)] {
            if captured.left_out() > 0 {
                truncated.insert(name.to_owned(), captured.left_out().into());
            }
        }
        if !truncated.is_empty() {
            meta.insert(META_TRUNCATED.to_owned(), Value::Object(truncated));
        }
        let content = match &how {
            // Some programs write everything to stderr.
            None if stdout.is_empty() => vec![stderr.text()],
            None => vec![stdout.text()],
            Some(how) => {
                let mut text = how.clone();
                for (name, captured) in [("stderr", stderr), ("stdout", stdout)] {
                    if !captured.is_empty() {
                        text = format!("{text}\n\n{name}:\n{}", captured.text());
                    }
                }
                vec![text]
            }
        };
        ToolOutput { content, structured: None, is_error: how.is_some(), meta }
    }
}

/// Does work that takes its time without keeping the thread's other tasks waiting.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    let flavor = tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemascope_helptext::Definition;

    use super::*;
    use crate::cli_tools::CliEntry;
    use crate::cli_tools::probe::Probed;
    use crate::cli_tools::served::Folders;

    fn folders() -> Folders {
        let data = std::env::temp_dir().join("schemascope-data-that-does-not-exist");
        Folders { work: data.join("work"), data }
    }

    fn served(entry: CliEntry, help: &str, program: &str) -> Served {
        let definition: Definition = schemascope_helptext::read(help, entry.program_name());
        let file = ProgramFile::look(Path::new(program)).unwrap();
        let probed = Probed {
            program: program.into(),
            tools: vec![(Vec::new(), definition)],
            notes: Vec::new(),
            is_late: false,
        };
        Served::new(entry, file, probed, folders())
    }

    async fn call(served: &Served, arguments: Value) -> Result<ToolOutput, String> {
        let Value::Object(map) = arguments else { panic!("not an object") };
        served.run(&served.tools[0], map, Progress::default()).await
    }

    const CAT: &str = "Usage: cat [OPTION]... [FILE]...\n\nWith no FILE, read standard input.\n\n  -n, --number   number all output lines\n";

    #[test]
    fn name_that_allows_nothing_is_noted() {
        let allow = |names: &[&str]| CliEntry {
            allow: names.iter().map(|name| (*name).to_owned()).collect(),
            ..CliEntry::of_command("sort")
        };
        let help = "Usage: sort [FILE]...\n\n  --compress-program=PROG  compress with PROG\n";
        assert_eq!(served(allow(&["--compress-program", "file", ""]), help, "/usr/bin/sort").notes, [""; 0]);
        assert_eq!(
            served(allow(&["--compres-program"]), help, "/usr/bin/sort").notes,
            [
                "\"allow\" has no effect for --compres-program: no option, argument or subcommand has this name; \
              did you mean --compress-program or compress_program?"
            ]
        );
    }

    #[tokio::test]
    async fn result_is_what_the_program_printed() {
        let cat = served(CliEntry::of_command("cat"), CAT, "/bin/cat");
        let output = call(&cat, json!({"stdin": "{\"a\":1}"})).await.unwrap();
        assert_eq!(output.content, ["{\"a\":1}"]);
        assert!(!output.is_error);
        let output = call(&cat, json!({"file": ["/no/such/file"], "number": true})).await.unwrap();
        assert!(output.is_error && output.content[0].starts_with("exit code 1\n\nstderr:\n"), "{output:?}");
        assert_eq!(output.meta[META_ARGV], json!(["cat", "--number", "/no/such/file"]));
        assert_eq!(output.meta[META_EXIT_CODE], 1);
        let lenient = CliEntry { ok_exit_codes: vec![0, 1], ..CliEntry::of_command("cat") };
        let output =
            call(&served(lenient, CAT, "/bin/cat"), json!({"file": ["/no/such/file"]})).await.unwrap();
        assert!(!output.is_error);
        assert!(output.content[0].ends_with("/no/such/file: No such file or directory\n"), "{output:?}");
        assert!(call(&cat, json!({"files": []})).await.unwrap_err().contains("is no argument"));
    }

    #[tokio::test]
    async fn hostile_values_reach_the_program_as_they_are() {
        let help = "Usage: printf [OPTION] FORMAT [ARGUMENT]...\n\n  --long   x\n";
        let printf = served(CliEntry::of_command("printf"), help, "/usr/bin/printf");
        for value in
            ["-x", "--", "$(id)", "`id`", "a\nb", "; rm -rf /", "--help", "é\u{202e}", "*", "@x", "\"'\\"]
        {
            let output = call(&printf, json!({"format": "%s", "argument": [value]})).await.unwrap();
            assert_eq!(output.content, [value], "{output:?}");
        }
        let long = "x".repeat(100_000);
        let output = call(&printf, json!({"format": "%s", "argument": [long]})).await.unwrap();
        assert_eq!(output.content[0].len(), 100_000);
        assert!(call(&printf, json!({"format": "a\0"})).await.unwrap_err().contains("NUL"));
    }

    #[tokio::test]
    async fn long_output_time_and_paths_are_bounded() {
        let scratch = tempfile::tempdir().unwrap();
        let limited = CliEntry { max_output_bytes: Some(1_000), ..CliEntry::of_command("cat") };
        let output =
            call(&served(limited, CAT, "/bin/cat"), json!({"stdin": "y".repeat(5_000)})).await.unwrap();
        assert!(output.content[0].contains("4000 bytes left out"));
        assert_eq!(output.meta[META_TRUNCATED], json!({"stdout": 4_000}));

        let help = "Usage: sleep NUMBER\n\n  --x   y\n";
        let slow = CliEntry { timeout_seconds: Some(1), ..CliEntry::of_command("sleep") };
        let output = call(&served(slow, help, "/bin/sleep"), json!({"number": "600"})).await.unwrap();
        assert!(output.is_error && output.content[0].contains("did not end within 1 s"), "{output:?}");

        std::os::unix::fs::symlink("/etc", scratch.path().join("link")).unwrap();
        std::fs::write(scratch.path().join("a"), "inside").unwrap();
        let (roots, cwd) = (vec![scratch.path().to_owned()], Some(scratch.path().to_owned()));
        let rooted = served(CliEntry { roots, cwd, ..CliEntry::of_command("cat") }, CAT, "/bin/cat");
        assert_eq!(call(&rooted, json!({"file": ["a"]})).await.unwrap().content, ["inside"]);
        for path in ["/etc/passwd", "link/passwd", "../x", "new/../../x"] {
            let problem = call(&rooted, json!({"file": [path]})).await.unwrap_err();
            assert!(problem.contains("outside of the allowed folders"), "{path}: {problem}");
        }
    }

    #[test]
    fn paths_within_texts_lie_in_the_roots_too() {
        let scratch = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", scratch.path().join("link")).unwrap();
        let (roots, cwd) = (vec![scratch.path().to_owned()], Some(scratch.path().to_owned()));
        let help = "Usage: send [OPTION]...\n\n  --data=TEXT   text to send\n";
        let send = served(CliEntry { roots, cwd, ..CliEntry::of_command("send") }, help, "/bin/cat");
        let made = |text: &str| {
            let Value::Object(arguments) = json!({"data": text}) else { panic!("not an object") };
            send.invocation(&send.tools[0], arguments)
        };
        for text in [
            "f=@/etc/passwd",
            "f=</etc/passwd",
            "x@/etc/passwd",
            "http://x,/etc/passwd",
            "'/etc/passwd'",
            "link",
            "a link",
            "link/passwd",
            "/",
            "/ / x",
        ] {
            assert!(made(text).unwrap_err().contains("outside of the allowed folders"), "{text}");
        }
        for text in [".a / .b", "http://h/x?next=/etc", "s/a/b/", "me@host", "new", "", "c++/x", "a (x86)/b"]
        {
            assert!(made(text).is_ok(), "{text}");
        }
        assert!(made(&"a/".repeat(300)).unwrap_err().contains("301 parts"));
        std::fs::create_dir(scratch.path().join("http:")).unwrap();
        assert!(made("http://../../etc/passwd").unwrap_err().contains("outside of the allowed folders"));
        // Signs within a path do not cut it, wherever the program runs.
        let roots = vec![scratch.path().to_owned()];
        let elsewhere = served(CliEntry { roots, ..CliEntry::of_command("send") }, help, "/bin/cat");
        let path = scratch.path().join("@types/it's/x");
        let arguments = json!({"data": path}).as_object().cloned().unwrap();
        assert!(elsewhere.invocation(&elsewhere.tools[0], arguments).is_ok());
    }

    /// Without the folder, every path was allowed.
    #[test]
    fn roots_that_are_gone_allow_nothing() {
        let help = "Usage: send [OPTION]...\n\n  --data=TEXT   text to send\n";
        let roots = vec![PathBuf::from("/no/such/folder")];
        let send = served(CliEntry { roots, ..CliEntry::of_command("send") }, help, "/bin/cat");
        let arguments = json!({"data": "f=@/etc/passwd"}).as_object().cloned().unwrap();
        let problem = send.invocation(&send.tools[0], arguments).unwrap_err();
        assert!(problem.contains("outside of the allowed folders"), "{problem}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn file_that_becomes_too_large_ends_the_call_and_says_so() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let program = scratch.path().join("fill");
        // The limit holds from just after the start.
        std::fs::write(&program, "#!/bin/sh\nsleep 0.3\nexec head -c 100000 /dev/zero > out\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = program.display().to_string();
        let cwd = Some(scratch.path().to_owned());
        let entry = CliEntry { max_file_bytes: Some(4_096), cwd, ..CliEntry::of_command(&path) };
        let output = call(&served(entry, "Usage: fill\n\n  --x   y\n", &path), json!({})).await.unwrap();
        assert!(output.is_error && output.content[0].contains("maxFileBytes"), "{output:?}");
        assert_eq!(scratch.path().join("out").metadata().unwrap().len(), 4_096);
    }

    #[tokio::test]
    async fn replaced_program_is_not_run() {
        let scratch = tempfile::tempdir().unwrap();
        let program = scratch.path().join("tool");
        std::fs::copy("/bin/cat", &program).unwrap();
        let path = program.display().to_string();
        let tool = served(CliEntry::of_command(&path), CAT, &path);
        assert!(call(&tool, json!({"stdin": "x"})).await.is_ok());
        std::fs::copy("/bin/ls", &program).unwrap();
        assert!(call(&tool, json!({"stdin": "x"})).await.unwrap_err().contains("cli refresh"));
    }

    #[tokio::test]
    async fn defaults_and_instructions_fill_in_what_is_left_out() {
        let help = "Usage: echo [OPTIONS] PROMPT\n\n  --model NAME   model (required)\n  --x   y\n";
        let defaults = json!({"model": "small", "nothing": 1}).as_object().cloned().unwrap();
        let persona = CliEntry {
            default_args: defaults,
            system_prompt: Some("Be brief.".into()),
            ..CliEntry::of_command("echo")
        };
        let echo = served(persona, help, "/bin/echo");
        let output = call(&echo, json!({"prompt": "hi"})).await.unwrap();
        assert_eq!(output.meta[META_ARGV], json!(["echo", "--model", "small", "Be brief.\n\nhi"]));
        assert_eq!(echo.definition(&echo.tools[0])["inputSchema"]["required"], json!(["prompt"]));
        let null = call(&echo, json!({"prompt": "hi", "model": null})).await.unwrap();
        assert_eq!(null.meta[META_ARGV], output.meta[META_ARGV]);
        assert!(echo.notes.iter().any(|note| note.contains("nothing")), "{:?}", echo.notes);
    }
}

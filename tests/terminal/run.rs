//! `run`: a command with the engine up around it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use schemascope_test_support::{McpClient, Program, until};
use serde_json::json;

use super::program;

/// A shell script under `run`.
struct Script {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Script {
    fn start(program: &Program, script: &str) -> Self {
        let run = program.command(&["run"]);
        // `run` leaves a signal ignored that was ignored when it started, as it may be for the tests.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT").arg(run.get_program()).args(run.get_args());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.args(["--", "sh", "-c", script]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits for its end. Returns its exit code and its stderr.
    fn end(mut self) -> (Option<i32>, String) {
        // The script may have ended already.
        let _ = self.child.stdin.take().unwrap().write_all(b"end\n");
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap().code(), err)
    }
}

/// Says where Schemascope is, and waits for a line.
const WAITING: &str = "echo $SCHEMASCOPE_URL; echo $SCHEMASCOPE_TOKEN; read line; exit 7";

fn connect(script: &mut Script) -> McpClient {
    let (url, token) = (script.line(), script.line());
    McpClient::connect(&format!("{url}/mcp"), &token).unwrap()
}

fn store_info(client: &McpClient) -> Option<String> {
    let answer = client.call("shop__store_info", &json!({})).ok()?.result().ok()?;
    answer["structuredContent"]["city"].as_str().map(str::to_owned)
}

#[test]
fn calls_are_recorded_when_the_command_has_ended() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    for attached in [false, true] {
        let _serve = attached.then(|| program.serve(&[]).unwrap());
        let mut script = Script::start(&program, WAITING);
        let client = connect(&mut script);
        for _ in 0..3 {
            assert_eq!(store_info(&client).as_deref(), Some("Graz"));
        }
        client.call("shop__refund", &json!({"id": "1"})).unwrap();
        let (code, err) = script.end();
        assert_eq!((code, err.lines().last()), (Some(7), Some("schemascope: 4 calls, 3 results")), "{err}");
        let calls = program.json_lines(&["calls"]).unwrap();
        assert_eq!(calls.len(), if attached { 8 } else { 4 });
    }
}

/// The instance is killed. A session of the command continues where `run` serves now.
#[test]
fn calls_go_on_when_the_instance_dies() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&["--durability", "strict"]).unwrap();
    let mut script = Script::start(&program, WAITING);
    let client = connect(&mut script);
    assert_eq!(store_info(&client).as_deref(), Some("Graz"));
    serve.kill().unwrap();
    assert_eq!(store_info(&client).as_deref(), Some("Graz"));
    let (code, err) = script.end();
    assert_eq!((code, err.lines().last()), (Some(7), Some("schemascope: 2 calls, 2 results")), "{err}");
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 2);
}

/// Nothing of their requests is read: their bodies are announced here, and never come.
#[test]
fn pages_of_other_sites_are_rejected_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut script = Script::start(&program, WAITING);
    let address = script.line().replace("http://", "");
    for foreign in
        ["host: evil.example".to_owned(), format!("host: {address}\r\norigin: http://evil.example")]
    {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let head =
            format!("POST /mcp HTTP/1.1\r\n{foreign}\r\nconnection: close\r\ncontent-length: 9\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 403", "{foreign}");
    }
    assert_eq!(script.end().0, Some(7));
}

#[test]
fn exit_code_is_that_of_the_command() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    for (command, code) in [
        (&["sh", "-c", "kill -TERM $$"][..], 143),
        (&["/nowhere/at/all"], 127),
        (&["/"], 126),
        (&["true"], 0),
    ] {
        let output = program.command(&["--quiet", "run"]).arg("--").args(command).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
        assert_eq!(output.stderr.is_empty(), ![126, 127].contains(&code), "{output:?}");
    }
}

#[test]
fn signals_are_passed_on_and_nothing_of_the_group_is_left() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut script =
        Script::start(&program, "tail -f /dev/null & echo $!; trap 'echo got it; exit 5' INT; echo; wait");
    let left: u32 = script.line().parse().unwrap();
    script.line();
    let asked = Command::new("kill").args(["-INT", &script.child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert_eq!(script.line(), "got it");
    let (code, err) = script.end();
    assert_eq!((code, err.trim_end()), (Some(5), "schemascope: 0 calls, 0 results"));
    // A process that was adopted by the system may stay a zombie for a moment.
    until("the process has ended", || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", &left.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        state.is_empty() || state.starts_with('Z')
    });
}

/// Modules of a folder are found, and standard output is the command's own.
#[test]
fn modules_of_the_folder_can_be_imported() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let folder = scratch.path().join("our wrappers");
    std::fs::create_dir_all(folder.join("servers/shop")).unwrap();
    std::fs::write(folder.join("servers/shop/one.mjs"), "export const answer = 42;\n").unwrap();
    let script = "import {answer} from 'servers/shop/one.mjs'; console.log(answer)";
    let mut command = program.command(&["--quiet", "run", "--out", folder.to_str().unwrap()]);
    let output = command.args(["--", "node", "--input-type=module", "-e", script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n", "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

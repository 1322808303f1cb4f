//! Secrets that are planted, in front of the program and in what it stored before it knew them: found nowhere.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use schemascope_journal::{Found, Position, Reader};
use schemascope_test_support::{Places, Program, Serve};
use serde_json::{Map, Value, json};

fn program(scratch: &Path, servers: &Value) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let none = Map::new();
    Program::new(&places, scratch, servers.as_object().unwrap_or(&none)).unwrap()
}

/// Everything below the data directory, as it is and, what the journals hold, as it was before it was compressed.
fn contents(data: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut folders, mut contents) = (vec![data.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("ballast") && !path.ends_with("redaction.json") {
                contents.push((path.display().to_string(), fs::read(path).unwrap()));
            }
        }
    }
    for journal in ["journal", "decisions", "interviews"] {
        for found in Reader::new(&data.join(journal), Position::START).unwrap() {
            let Found::Entry(entry) = found.unwrap() else { panic!("damage") };
            contents.push((format!("{journal} at {:?}", entry.at), entry.payload));
        }
    }
    contents
}

/// Where a text is found.
pub(super) fn places_of(text: &str, data: &Path) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    contents(data).into_iter().filter(|(_, bytes)| holds(bytes)).map(|(name, _)| name).collect()
}

/// The first frame of the event stream: all that a dashboard is shown.
fn snapshot(serve: &Serve) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let url = format!("http://{}/api/events", serve.instance["address"].as_str().unwrap());
    let request = agent.get(&url).header("authorization", format!("Bearer {}", serve.owner_token()));
    let mut lines = BufReader::new(request.call().unwrap().into_body().into_reader()).lines();
    lines.find(|line| line.as_ref().unwrap().starts_with("data:")).unwrap().unwrap()
}

/// What servers are started with and say of it, where they are, who calls, and what is wrong with the
/// configuration: all of it is shown and stored without secrets.
#[test]
fn secrets_around_calls_are_never_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let token = format!("ghp_{}", "aB3".repeat(12));
    let says = "echo \"cannot log in with $LOGIN at https://app:planted-address@db.local\" >&2; exit 1";
    let servers = json!({
        "broken": {"command": "sh", "args": ["-c", says], "env": {"LOGIN": "planted-env-7731", "DB_PASSWORD": "planted-env-7731"}},
        "away": {
            "url": "http://127.0.0.1:9/mcp?api_key=planted-query-8842",
            "headers": {"Authorization": "Bearer planted-header-9953"},
        },
        "wrong": {"command": "x", "env": "PASSWORD=planted-config-5521"},
    });
    let program = program(scratch.path(), &servers);
    let serve = program.serve(&["-vv"]).unwrap();
    let client = serve.connect_as(&format!("agent {token}")).unwrap();
    client.request("tools/list", "{}").unwrap();
    for tool in ["broken__x", "away__x", "wrong__x"] {
        client.call(tool, &json!({"note": "nothing"})).unwrap();
    }
    let mut shown = vec![snapshot(&serve)];
    for args in
        [&["servers"][..], &["servers", "broken"], &["servers", "away"], &["report"], &["calls"], &["tools"]]
    {
        for args in [args.to_vec(), [args, &["--json"]].concat()] {
            let run = program.run(&args).unwrap();
            shown.extend([run.out, run.err]);
        }
    }
    shown.push(serve.log().unwrap());
    assert!(
        shown.iter().any(|text| text.contains("cannot log in")),
        "what is shown says something: {shown:?}"
    );
    assert_eq!(serve.stop().unwrap(), Some(0));
    let planted = [
        &*token,
        "planted-env-7731",
        "planted-address",
        "planted-query-8842",
        "planted-header-9953",
        "planted-config-5521",
    ];
    for secret in planted {
        let told = shown.iter().find(|text| text.contains(secret));
        assert!(told.is_none(), "{secret} is shown: {}", told.unwrap());
        assert_eq!(places_of(secret, program.data_dir()), Vec::<String>::new(), "{secret}");
    }
    let calls = program.json_lines(&["calls"]).unwrap();
    assert!(calls.iter().any(|call| call["client"]["name"] == "agent ⟦redacted string 40⟧"), "{calls:?}");
}

/// Secrets in definitions, arguments, results and errors of calls are in no export, list, log or file, though schemas
/// are learned from them, a version is in effect, and drift was reported with its examples.
#[test]
fn secrets_in_calls_are_in_no_export() {
    let scratch = tempfile::tempdir().unwrap();
    let token = format!("ghp_{}", "q7W".repeat(12));
    let secrets =
        [token.as_str(), "planted-pw-4417", "planted-cookie-5528", "planted-basic-6639", "planted-key-7740"];
    let result = |n: u64| {
        let login = json!({"password": "planted-pw-4417", "user": format!("u{n}")}).to_string();
        let mut data = json!({
            "n": n, "auth": {"token": token, "login": login},
            "url": format!("https://me:planted-basic-6639@host.example/{n}"), "kind": if n.is_multiple_of(2) { "a" } else { "b" },
        });
        data[token.as_str()] = json!("a key");
        if n < 120 {
            data["legacy"] = json!("here");
        }
        let text = format!("Set-Cookie: session=planted-cookie-5528; Path=/\n{data}");
        json!({"content": [{"type": "text", "text": text}], "structuredContent": data})
    };
    let failed =
        json!({"isError": true, "content": [{"type": "text", "text": format!("token {token} was refused")}]});
    let definition = |name: &str| json!({"name": name, "description": format!("Call it with {token}"), "inputSchema": {"type": "object"}});
    let tools = json!([
        {"definition": definition("get"), "results": (0..200).map(result).collect::<Vec<_>>()},
        {"definition": definition("fail"), "results": [failed]},
    ]);
    let file = scratch.path().join("tools.json");
    fs::write(&file, tools.to_string()).unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let mirror = json!({"mirror": {"command": places.fixture("mirror"), "args": [file]}});
    let program = program(scratch.path(), &mirror);
    let serve = program.serve(&["-vv"]).unwrap();
    let client = serve.connect(None).unwrap();
    for n in 0..200 {
        client.call("mirror__get", &json!({"id": n, "api_key": "planted-key-7740"})).unwrap();
    }
    client.call("mirror__fail", &json!({"note": format!("with {token}")})).unwrap();
    let done = |args: &[&str]| {
        let run = program.run(args).unwrap();
        assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
        run.out + &run.err
    };
    done(&["promote", "mirror__get", "--reason", "the new login, password=planted-pw-4417"]);
    let mut shown = vec![snapshot(&serve)];
    let folder = scratch.path().join("schemas");
    let schemas = ["export", "schemas", "--out", folder.to_str().unwrap()];
    for args in [
        &["export", "registry"][..],
        &["export", "overrides"],
        &["export", "bundle"],
        &["export", "bundle", "--with-values"],
        &schemas,
        &["schema", "mirror__get"],
        &["versions", "mirror__get"],
        &["drift", "--all"],
        &["audit"],
        &["report"],
        &["calls", "--json"],
        &["tools", "--json"],
        &["impact", "mirror__get", "1"],
    ] {
        shown.push(done(args));
    }
    assert!(
        shown.iter().any(|text| text.contains("legacy")),
        "there is something to look through: {shown:?}"
    );
    for entry in fs::read_dir(folder).unwrap() {
        shown.push(fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    shown.push(serve.log().unwrap());
    assert_eq!(serve.stop().unwrap(), Some(0));
    for secret in secrets {
        let told = shown.iter().find(|text| text.contains(secret));
        assert!(told.is_none(), "{secret} is shown: {}", told.unwrap());
        assert_eq!(places_of(secret, program.data_dir()), Vec::<String>::new(), "{secret}");
    }
}

/// A rule that comes later: what was stored before forgets by it, and is as sound as before.
#[test]
fn redact_applies_current_rules_to_stored_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &json!({}));
    let line = |n: u64| {
        let output = json!({"badge": format!("INT-QZXVK{}", ["A", "B"][(n % 2) as usize]), "employee_no": 918_273 + n % 2, "name": format!("n{n}"), "n": n});
        json!({"tool_id": "hr__find", "output": output, "session": "desk INT-QZXVKB"}).to_string() + "\n"
    };
    let trace = scratch.path().join("trace.ndjson");
    fs::write(&trace, (0..60).map(line).collect::<String>()).unwrap();
    let done = |args: &[&str]| {
        let run = program.run(args).unwrap();
        assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
        run.out
    };
    done(&["backfill", trace.to_str().unwrap()]);
    fs::remove_file(trace).unwrap();
    done(&["promote", "hr__find", "--reason", "asked for by INT-QZXVKA"]);
    let in_force = program.json(&["tools"]).unwrap()[0]["effective_version"].clone();
    let schema = done(&["schema", "hr__find"]);
    assert!(schema.contains("INT-QZXVKA"), "there is something to forget: {schema}");
    let data = program.data_dir();
    fs::create_dir(data.join("index.bad-9999999999999")).unwrap();
    fs::write(data.join("index.bad-9999999999999/db"), "INT-QZXVKA").unwrap();
    let secrets = ["QZXVKA", "QZXVKB", "918273", "918274"];
    assert!(secrets.iter().all(|secret| !places_of(secret, data).is_empty()));

    fs::write(data.join("redaction.json"), r#"{"keys": ["employee_no"], "patterns": ["INT-([A-Z]{6})"]}"#)
        .unwrap();
    let before = contents(data);
    let rehearsed = program.json(&["redact", "--dry-run"]).unwrap();
    let counted = |json: &Value, kind: &str| (json[kind]["records"].as_u64(), json[kind]["changed"].as_u64());
    assert_eq!(counted(&rehearsed, "calls"), (Some(60), Some(60)), "{rehearsed}");
    assert!(counted(&rehearsed, "decisions").1 > Some(1), "{rehearsed}");
    // The lock says who looked last.
    let data_of = |contents: Vec<(String, Vec<u8>)>| {
        contents.into_iter().filter(|(name, _)| !name.ends_with("lock")).collect::<Vec<_>>()
    };
    assert!(data_of(contents(data)) == data_of(before), "nothing changes when it is only told");

    // What another machine counted is not changed behind its back.
    let theirs = data.join("team/other.json");
    fs::create_dir(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, r#"{"values": ["INT-QZXVKA"]}"#).unwrap();
    let redacted = program.json(&["redact"]).unwrap();
    assert_eq!(redacted["left"], json!([theirs]), "{redacted}");
    fs::remove_file(theirs).unwrap();
    for kind in ["calls", "decisions", "states", "declarations"] {
        assert_eq!(redacted[kind], rehearsed[kind], "{kind}");
    }
    for secret in secrets {
        assert_eq!(places_of(secret, data), Vec::<String>::new(), "{secret}");
        for args in [
            &["calls", "--json"][..],
            &["audit", "--json"],
            &["schema", "hr__find"],
            &["versions", "hr__find", "--json"],
        ] {
            let out = done(args);
            assert!(!out.contains(secret), "{secret} in {args:?}: {out}");
        }
    }
    let learned =
        || (program.json(&["tools"]).unwrap(), done(&["schema", "hr__find", "--version", "inferred"]));
    let before = learned();
    assert_eq!(
        (&before.0[0]["effective_version"], &before.0[0]["observation_count"]),
        (&in_force, &json!(60))
    );
    done(&["verify"]);
    done(&["rebuild"]);
    assert_eq!(learned(), before);
    let again = program.json(&["redact", "--dry-run"]).unwrap();
    for kind in ["calls", "decisions", "states", "declarations"] {
        assert_eq!(again[kind]["changed"], 0, "{kind}: {again}");
    }
}

/// Secrets of command-line tools are redacted from new calls, and were left in those that were stored.
#[test]
fn redact_knows_the_secrets_of_command_line_tools() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &json!({}));
    let secret = "correct-horse-battery";
    let trace = scratch.path().join("trace.ndjson");
    let line = |n: u32| {
        json!({"tool_id": "notes__get", "output": {"n": n, "text": format!("it says {secret}")}}).to_string()
            + "\n"
    };
    fs::write(&trace, (0..12).map(line).collect::<String>()).unwrap();
    assert_eq!(program.run(&["backfill", trace.to_str().unwrap()]).unwrap().code, Some(0));
    fs::remove_file(trace).unwrap();
    let data = program.data_dir();
    assert!(!places_of(secret, data).is_empty());

    let tools = scratch.path().join("tools.json");
    let tool = json!({"command": "ls", "env": {"API_TOKEN": secret}});
    fs::write(&tools, json!({"version": "1.0", "tools": [tool]}).to_string()).unwrap();
    let with = ["--ai-tools", tools.to_str().unwrap(), "redact"];
    assert_eq!(program.json(&with).unwrap()["calls"]["changed"], 12);
    assert_eq!(places_of(secret, data), Vec::<String>::new());
    assert_eq!(program.json(&with).unwrap()["calls"]["changed"], 0);

    fs::write(&tools, r#"{"version": "1.0", "tools": 7}"#).unwrap();
    let run = program.run(&with).unwrap();
    assert!(run.code == Some(1) && run.err.contains("has to be an array"), "{run:?}");
    fs::remove_file(program.config()).unwrap();
    let run = program.run(&["redact"]).unwrap();
    assert!(run.code == Some(2) && run.err.contains("there is no such file"), "{run:?}");
}

/// Rules or a configuration that cannot be read: nothing is done, since it is unknown what to look for.
#[test]
fn redact_without_readable_rules_changes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &json!({}));
    let refused = |words: &str| {
        let run = program.run(&["redact"]).unwrap();
        assert!(run.code == Some(1) && run.out.is_empty() && run.err.contains(words), "{words}: {run:?}");
    };
    refused("there is no store in");
    program.run(&["tools"]).unwrap();
    let index = program.data_dir().join("index");
    fs::write(program.data_dir().join("redaction.json"), r#"{"keys": 7}"#).unwrap();
    refused("expected {\"keys\"");
    fs::remove_file(program.data_dir().join("redaction.json")).unwrap();
    fs::write(program.config(), "{").unwrap();
    refused("Its secrets must be known");
    assert!(index.is_dir());
    let help = program.run(&["redact", "--help"]).unwrap().out;
    assert!(help.contains("--dry-run") && help.contains("employee_no"), "{help}");
}

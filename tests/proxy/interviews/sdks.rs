//! Whole interviews by the official SDKs as clients, in both eras, with a model of the client and without one.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::*;

/// The path of a flow shop.
const PATH: [&str; 6] = [
    "process/warm-up-with-challenges",
    "process/scheduling-problem-type",
    "process/flow-shop",
    "data/orm",
    "resources/resource-inventory",
    "optimality/objectives",
];

/// An SDK, and the script that uses it.
struct Client {
    sdk: &'static str,
    era: &'static str,
    has_model: bool,
}

impl Client {
    /// Starts its interview.
    fn begin(&self, places: &Places, job: &Value) -> Child {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sdk");
        let mut command = if self.sdk == "mcp" {
            let mut command = Command::new(places.python());
            command.arg(folder.join("interview.py"));
            command
        } else {
            let mut command = Command::new("node");
            command.arg(folder.join("interview.mjs")).arg(places.npm());
            command
        };
        let mut job = job.clone();
        job["sdk"] = self.sdk.into();
        job["era"] = self.era.into();
        job["model"] = self.has_model.into();
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        child.stdin.take().unwrap().write_all(job.to_string().as_bytes()).unwrap();
        child
    }
}

#[test]
fn clients_of_every_sdk_conduct_whole_interviews() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    assert!(places.python().exists(), "run `cargo xtask setup` first");
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../assets/surrogates/craft-beer.json");
    let script: Value = serde_json::from_slice(&std::fs::read(script).unwrap()).unwrap();
    let job = json!({"url": serve.url(OWN), "token": serve.token(), "facts": script["answers"]});
    let client = |sdk, era, has_model| Client { sdk, era, has_model };
    let clients = [
        client("mcp", "old", true),
        client("mcp", "new", true),
        client("@modelcontextprotocol/sdk", "old", true),
        client("@modelcontextprotocol/client", "old", true),
        client("@modelcontextprotocol/client", "new", true),
        client("mcp", "new", false),
        client("@modelcontextprotocol/client", "new", false),
    ];
    // All at once, and each gets its own answers.
    let begun: Vec<(&Client, Child)> =
        clients.iter().map(|client| (client, client.begin(&places, &job))).collect();
    for (client, child) in begun {
        let output = child.wait_with_output().unwrap();
        let what = format!("{} {} {}", client.sdk, client.era, client.has_model);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let seen: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{what}: {out}\n{err}"));
        assert!(seen["prompt"].as_str().unwrap().contains("Topic of the interview: beer"), "{what}: {seen}");
        assert_eq!(seen["completed"], json!(PATH), "{what}");
        let mut questions = 0;
        for ds in PATH {
            let (known, found) = (&script["answers"][ds], seen["scr_by_ds"][ds].as_object().unwrap());
            questions += found.len();
            // Nobody is asked whether that is all once what is required is there.
            let known = known.as_object().unwrap().iter().filter(|(key, _)| *key != "exhausted?");
            for (key, value) in known {
                assert_eq!(found.get(key), Some(value), "{what}: {ds}: {key}");
            }
        }
        let (wording, reading) = (seen["wording"].as_u64().unwrap(), seen["reading"].as_u64().unwrap());
        if client.has_model {
            assert_eq!((wording, reading), (questions as u64, questions as u64), "{what}: once for each");
        } else {
            assert_eq!((wording, reading), (0, 0), "{what}");
        }
    }
}

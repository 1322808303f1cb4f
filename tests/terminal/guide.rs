//! The README and the user guide: every command and every JSON sample works, and `help` prints the pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use schemascope_test_support::Places;
use serde_json::{Value, json};

use super::program;

/// A fenced block of a page.
struct Block {
    page: String,
    language: String,
    text: String,
}

/// The blocks of the README, then those of the guide by page.
fn blocks() -> Vec<Block> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = fs::read_dir(root.join("assets/guide")).unwrap();
    let mut pages: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    pages.sort();
    pages.insert(0, root.join("README.md"));
    let mut blocks = Vec::new();
    for path in pages {
        let page = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut current: Option<Block> = None;
        for line in text.lines() {
            match (line.strip_prefix("```"), current.take()) {
                (Some(_), Some(block)) => blocks.push(block),
                (Some(language), None) => {
                    let (page, language) = (page.clone(), language.to_owned());
                    current = Some(Block { page, language, text: String::new() });
                }
                (None, Some(mut block)) => {
                    block.text += &format!("{line}\n");
                    current = Some(block);
                }
                (None, None) => {}
            }
        }
        assert!(current.is_none(), "{page}: a block has no end");
    }
    blocks
}

/// Runs a line of a sample as a reader would: in a shell, with `schemascope` on the PATH.
fn shell(scratch: &Path, line: &str) -> std::process::Output {
    let mut path = vec![scratch.join("bin")];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    Command::new("sh")
        .args(["-c", line])
        .current_dir(scratch.join("work"))
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("SCHEMASCOPE_DATA_DIR", scratch.join("data"))
        .env_remove("SCHEMASCOPE_LOG")
        .output()
        .unwrap()
}

/// The folders that [`shell`] needs.
fn prepare(scratch: &Path) {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    for folder in ["bin", "work"] {
        fs::create_dir_all(scratch.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(places.schemascope(), scratch.join("bin/schemascope")).unwrap();
}

#[test]
fn json_samples_are_valid() {
    let mut samples = 0;
    for Block { page, language, text } in blocks() {
        let text = match language.as_str() {
            "json" => text,
            "jsonc" => {
                let without_comment = |line: &str| match line.rfind("//") {
                    Some(at) if !line[at..].contains('"') => line[..at].to_owned(),
                    _ => line.to_owned(),
                };
                text.lines().map(without_comment).collect::<Vec<_>>().join("\n")
            }
            // `wrappers` runs the Python and the Rust.
            "sh" | "text" | "console" | "yaml" | "python" | "rust" | "toml" => continue,
            other => panic!("{page}: a block of {other:?} is checked by no test"),
        };
        samples += 1;
        if let Err(error) = serde_json::from_str::<Value>(&text) {
            panic!("{page}: {error}\n{text}");
        }
    }
    assert!(samples >= 5, "{samples} samples");
}

/// The data directory has a version of a schema, as the samples expect.
#[test]
fn shell_samples_run() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    prepare(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    for n in 0..14 {
        client.call("shop__list_orders", &json!({"limit": 1 + n % 3})).unwrap().result().unwrap();
        client.call("shop__get_order", &json!({"id": "1"})).unwrap().result().unwrap();
    }
    assert_eq!(serve.stop().unwrap(), Some(0));
    fs::copy(program.config(), program.data_dir().join("mcp.json")).unwrap();
    let tools = json!({"version": "1.0", "tools": [{"command": "grep"}]});
    fs::write(scratch.path().join("work/.qwencoderc.json"), tools.to_string()).unwrap();
    let mut lines = 0;
    for Block { page, text, .. } in blocks().into_iter().filter(|block| block.language == "sh") {
        for line in text.lines() {
            lines += 1;
            let output = shell(scratch.path(), line);
            assert!(output.status.success(), "{page}: {line}\n{output:?}");
        }
    }
    assert!(lines >= 30, "{lines} lines");
}

/// Samples that need what a test does not have (a window, a running agent) are at least understood.
#[test]
fn other_samples_use_existing_commands_and_options() {
    let scratch = tempfile::tempdir().unwrap();
    prepare(scratch.path());
    for Block { page, language, text } in blocks() {
        if language != "text" && language != "console" {
            continue;
        }
        let lines = text.lines().map(|line| line.trim_start_matches("$ "));
        for line in lines.filter(|line| line.starts_with("schemascope ")) {
            let line = line.split(" # ").next().unwrap_or(line).replace(['[', ']'], "");
            let output = shell(scratch.path(), &format!("{line} --help"));
            assert!(output.status.success(), "{page}: {line}\n{output:?}");
        }
    }
}

/// What a transcript shows is what the program prints, times apart.
#[test]
fn transcripts_equal_real_output() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    prepare(scratch.path());
    let order = |n: usize, customer: Value| {
        let output = json!({"id": n.to_string(), "customer": customer, "paid": n.is_multiple_of(2), "items": [{"sku": "A", "count": n}]});
        json!({"tool_id": "shop__get_order", "arguments": {"id": n.to_string()}, "output": output})
            .to_string()
    };
    let before = (0..60).map(|n| order(n, json!(format!("customer {n}"))));
    let after = (60..73).map(|n| order(n, json!({"name": format!("customer {n}")})));
    let failed = (0..10).map(|n| {
        let output = format!("Error searching libraries: attempt {n}");
        json!({"tool_id": "docs__search", "output": output}).to_string()
    });
    let trace = scratch.path().join("trace.ndjson");
    fs::write(&trace, before.chain(after).chain(failed).collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(program.run(&["backfill", trace.to_str().unwrap()]).unwrap().code, Some(0));
    let mut transcripts = 0;
    for Block { page, text, .. } in blocks().into_iter().filter(|block| block.language == "console") {
        let (command, shown) = text.split_once('\n').unwrap();
        let line = command.strip_prefix("$ ").unwrap();
        let output = String::from_utf8(shell(scratch.path(), line).stdout).unwrap();
        assert_eq!(without_times(shown), without_times(&output), "{page}: {line}\n{output}");
        transcripts += 1;
    }
    assert_eq!(transcripts, 3);
}

/// A text in which `12:34:56` is `hh:mm:ss`.
fn without_times(text: &str) -> String {
    let words = text.lines().map(|line| {
        let mut masked = line.to_owned();
        for (at, _) in line.match_indices(':') {
            let digits = |range: std::ops::Range<usize>| {
                line.get(range)
                    .is_some_and(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
            };
            if at >= 2 && digits(at - 2..at) && digits(at + 1..at + 3) {
                masked.replace_range(at - 2..at + 3, "hh:mm");
            }
        }
        match masked.find("hh:hh:mm") {
            Some(_) => masked.replace("hh:hh:mm", "hh:mm:ss"),
            None => masked,
        }
    });
    words.collect::<Vec<_>>().join("\n")
}

#[test]
fn help_prints_topics_and_the_help_of_commands() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let help = |args: &[&str]| {
        let run = program.run(&[&["help"], args].concat()).unwrap();
        (run.code, run.out, run.err)
    };
    let (code, all, _) = help(&[]);
    assert_eq!(code, Some(0));
    assert!(all.contains("\n  promote ") && all.contains("\n  concepts "), "{all}");

    let (code, page, _) = help(&["concepts"]);
    let concepts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../assets/guide/concepts.md");
    assert_eq!((code, page), (Some(0), fs::read_to_string(concepts).unwrap()), "plain text for a pipe");

    let (code, usage, _) = help(&["promote"]);
    assert!(code == Some(0) && usage.contains("Usage: schemascope promote"), "{usage}");
    let (code, usage, _) = help(&["drift", "acknowledge"]);
    assert!(code == Some(0) && usage.contains("Usage: schemascope drift acknowledge"), "{usage}");

    let (code, both, _) = help(&["overrides"]);
    assert!(both.starts_with("# ") && code == Some(0), "{both}");
    assert!(both.ends_with("\nFor the command: schemascope overrides --help\n"), "{both}");

    for (wrong, nearest) in
        [("concept", "did you mean concepts"), ("promot", "promote"), ("setings", "settings?")]
    {
        let (code, out, err) = help(&[wrong]);
        assert!(code == Some(2) && out.is_empty() && err.contains(nearest), "{wrong}: {err}");
    }
    let (code, _, err) = help(&["zzzzzzzzzzzzzzzzzzzzzzzzzz"]);
    assert!(code == Some(2) && err.contains("`schemascope help` lists topics"), "{err}");
    assert!(!program.data_dir().exists(), "help needs no data");
}

#[test]
fn new_data_directory_is_reported_once() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let created = format!("created the data directory {}", program.data_dir().display());
    let first = program.run(&["tools"]).unwrap();
    assert!(first.err.contains(&created) && first.out.is_empty(), "{first:?}");
    assert!(!program.run(&["tools"]).unwrap().err.contains(&created));
    let other = program.on(scratch.path().join("other"));
    assert!(!other.run(&["--quiet", "tools"]).unwrap().err.contains("created"));
}

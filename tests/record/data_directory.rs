//! The data directory is private to its user, and one that cannot be written to can be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use schemascope_test_support::{Places, Program, stdio};
use serde_json::{Map, json};

fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

/// Modes of everything in a folder that others can open.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.permissions().mode() & 0o077 != 0 && !metadata.is_symlink() {
            open.push(format!("{} {:o}", path.display(), metadata.permissions().mode()));
        }
        if metadata.is_dir() {
            open.extend(open_to_others(&path));
        }
    }
    open
}

#[test]
fn existing_directory_becomes_private_with_all_files() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let data = program.data_dir();
    fs::create_dir(data).unwrap();
    fs::write(data.join("settings.json"), "{}").unwrap();
    for path in [data.to_owned(), data.join("settings.json")] {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    for _ in 0..2 {
        let serve = program.serve(&[]).unwrap();
        serve.connect(None).unwrap().call("shop__store_info", &json!({})).unwrap().result().unwrap();
        program.run(&["settings", "keep_days", "90"]).unwrap();
        assert_eq!(fs::metadata(data).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(open_to_others(data), Vec::<String>::new(), "while it runs");
        assert_eq!(serve.stop().unwrap(), Some(0));
        assert_eq!(open_to_others(data), Vec::<String>::new(), "after it ended");
    }
}

#[test]
fn links_in_the_data_directory_are_not_followed() {
    for name in ["ballast", "token", "owner-token", "hash-key", "lock", "store.lock", "journal", "team"] {
        let scratch = tempfile::tempdir().unwrap();
        let program = program(scratch.path());
        let outside = scratch.path().join("outside");
        fs::write(&outside, "keep").unwrap();
        fs::create_dir(program.data_dir()).unwrap();
        symlink(&outside, program.data_dir().join(name)).unwrap();
        let run = program.run(&["serve", "--listen", "127.0.0.1:0"]).unwrap();
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(name) && run.err.contains("symbolic link"), "{run:?}");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "keep", "{name}");
    }
}

/// Runs the program in a mount namespace in which the data cannot be written to; `None` where that is not allowed.
fn read_only(program: &Program, args: &[&str]) -> Option<Output> {
    let script =
        "mount --bind \"$D\" \"$D\" && mount -o remount,ro,bind \"$D\" || exit 99; exec \"$0\" \"$@\"";
    let command = program.command(args);
    let mut unshare = Command::new("unshare");
    unshare.args(["-rm", "sh", "-c", script]).arg(command.get_program()).args(command.get_args());
    let output = unshare.env("D", program.data_dir()).env_remove("SCHEMASCOPE_DATA_DIR").output().ok()?;
    let denied =
        output.status.code() == Some(99) || String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
    (!denied).then_some(output)
}

#[test]
fn read_only_data_can_be_read_and_not_changed() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    serve.connect(None).unwrap().call("shop__store_info", &json!({})).unwrap().result().unwrap();
    serve.stop().unwrap();
    for (args, expected) in [
        (&["calls", "--json"][..], "shop__store_info"),
        (&["tools", "--json"], "shop__store_info"),
        (&["schema", "shop__store_info"], "\"type\""),
        (&["report", "--json"], "call_count"),
        (&["verify", "--json"], "calls"),
    ] {
        let Some(output) = read_only(&program, args) else { return };
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains(expected), "{args:?}: {out} {err}");
    }
    for args in [&["settings", "keep_days", "3"][..], &["rebuild"], &["serve", "--listen", "127.0.0.1:0"]] {
        let output = read_only(&program, args).unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {err}");
        assert!(err.to_lowercase().contains("read-only"), "{args:?}: {err}");
    }
    let leftovers = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let leftovers =
        leftovers.filter(|entry| entry.file_name().to_string_lossy().starts_with("schemascope-copy-"));
    assert_eq!(leftovers.count(), 0);
}

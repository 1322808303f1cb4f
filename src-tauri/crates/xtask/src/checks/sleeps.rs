//! Checks that tests wait for conditions, by `until` of `schemascope-test-support`, and not for a fixed time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::root;

/// Folders whose Rust and JavaScript files are tests. Crates have theirs in `src-tauri/crates/*/tests`.
const TESTS: &str = "tests";
const CRATES: &str = "src-tauri/crates";

/// Files that may sleep, how often, and why. A longer list here needs a reason as good as these.
const ALLOWED: &[(&str, usize, &str)] = &[
    (
        "src-tauri/crates/store/tests/faults.rs",
        2,
        "kills a writer at a random moment; a child that only waits",
    ),
    ("tests/benches/src/graph/graph.mjs", 3, "frames after a picture, and the pace of a hand"),
    ("tests/benches/src/graph/main.rs", 1, "the pace of calls"),
    ("tests/benches/src/proxy/contestants.rs", 1, "waits for other products, without the tests' helpers"),
    ("tests/benches/src/proxy/load.rs", 1, "the pace of a load"),
    ("tests/benches/src/proxy/recorder.rs", 1, "waits for the recorder, without the tests' helpers"),
    ("tests/dashboard/mod.rs", 1, "the pace of calls"),
    ("tests/dashboard/page.mjs", 2, "`until` of the browser tests, and a time limit"),
    ("tests/decide/versions.rs", 1, "kills at a moment between decisions"),
    ("tests/proxy/http.rs", 2, "a client that leaves, and a request body that comes late"),
    ("tests/record/recording.rs", 1, "the time after which an answered call is on disk is what is tested"),
    ("tests/record/stopped.rs", 1, "ends the program while a call is under way"),
    ("tests/sdk/tour.mjs", 1, "`until` of the SDK tests"),
    ("tests/support/src/torture/fault.rs", 4, "kills at random moments"),
    ("tests/support/src/wait.rs", 2, "the helper"),
    ("tests/terminal.rs", 1, "interrupts a command, which does not report when its call is under way"),
    ("tests/upstreams/src/conformance/tasks.rs", 1, "a fixture that takes its time"),
    ("tests/upstreams/src/conformance/tools.rs", 1, "a fixture that takes its time"),
    ("tests/upstreams/src/faulty.rs", 1, "a fixture that takes its time"),
    ("tests/upstreams/src/shop/main.rs", 2, "a fixture that takes its time"),
];

/// Sleeps of each file, where there are any.
type Sleeps = BTreeMap<String, usize>;

/// Checks the tests of the repository.
pub fn check() -> Result<()> {
    let mut found = Sleeps::new();
    collect(&root(), TESTS, &mut found)?;
    for folder in fs::read_dir(root().join(CRATES))? {
        let tests = format!("{CRATES}/{}/tests", folder?.file_name().to_string_lossy());
        if root().join(&tests).is_dir() {
            collect(&root(), &tests, &mut found)?;
        }
    }
    let breaches = breaches(&found);
    if breaches.is_empty() { Ok(()) } else { bail!("{}", breaches.join("\n")) }
}

/// Counts the sleeps of every file below a folder. Paths are relative to `root`, with slashes.
fn collect(root: &Path, folder: &str, found: &mut Sleeps) -> Result<()> {
    let entries = fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if name != "node_modules" && name != "target" {
                collect(root, &path, found)?;
            }
            continue;
        }
        let call = match name.rsplit_once('.') {
            Some((_, "rs")) => "sleep(",
            Some((_, "mjs")) => "setTimeout(",
            _ => continue,
        };
        let text = fs::read_to_string(entry.path()).with_context(|| format!("cannot read {path}"))?;
        let count = text.matches(call).count();
        if count > 0 {
            found.insert(path, count);
        }
    }
    Ok(())
}

/// Every file that sleeps more often than it may, and every entry of the list that says too much.
fn breaches(found: &Sleeps) -> Vec<String> {
    let allowed =
        |path: &str| ALLOWED.iter().find(|(file, ..)| *file == path).map_or(0, |(_, count, _)| *count);
    let too_many = found.iter().filter(|(path, count)| **count > allowed(path)).map(|(path, count)| {
        format!(
            "{path} sleeps {count} times and may {} times: wait for a condition with `until` of \
             schemascope-test-support (see ALLOWED in xtask's checks/sleeps.rs)",
            allowed(path)
        )
    });
    let stale = ALLOWED
        .iter()
        .filter(|(path, count, _)| found.get(*path).copied().unwrap_or_default() < *count)
        .map(|(path, count, _)| format!("{path} may sleep {count} times but sleeps less; shorten the list"));
    too_many.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_sleep_only_where_the_list_allows_it() {
        check().unwrap();
    }

    #[test]
    fn sleep_in_a_planted_test_is_a_breach() {
        let repository = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = repository.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("tests/proxy/planted.rs", "fn f() { std::thread::sleep(SECOND); }");
        write("tests/dashboard/planted.mjs", "setTimeout(wake, 10);");
        write("tests/proxy/patient.rs", "fn f() { until(\"it answers\", answers); }");
        let mut found = Sleeps::new();
        collect(repository.path(), TESTS, &mut found).unwrap();
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            ["tests/dashboard/planted.mjs", "tests/proxy/planted.rs"]
        );
        let breaches = breaches(&found);
        for path in found.keys() {
            assert!(breaches.iter().any(|breach| breach.contains(path.as_str())), "{breaches:?}");
        }
    }

    #[test]
    fn sleep_beyond_the_number_of_the_list_is_a_breach() {
        let listed: Sleeps = ALLOWED.iter().map(|(path, count, _)| ((*path).to_owned(), *count)).collect();
        assert!(breaches(&listed).is_empty());
        let mut more = listed.clone();
        *more.get_mut("tests/terminal.rs").unwrap() += 1;
        assert_eq!(breaches(&more).len(), 1);
        let mut fewer = listed;
        fewer.remove("tests/terminal.rs");
        assert_eq!(breaches(&fewer).len(), 1);
    }
}

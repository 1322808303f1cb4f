//! Confining a program with Landlock: which folders it can read and write, and whether it can use TCP.
//!
//! The kernel confines a thread and everything it starts, so a program is started from a thread of its own that was
//! confined before.

use std::io;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::group::ProcessGroup;

/// What a confined program can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Files and folders it can read, besides those of the system.
    pub read: Vec<PathBuf>,
    /// Files and folders it can read and write.
    pub write: Vec<PathBuf>,
    /// Whether it can use TCP.
    pub network: bool,
}

/// Folders that programs need to run at all.
const SYSTEM: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/snap", "/proc", "/sys",
    "/run", "/dev",
];
/// Devices that programs write to.
#[cfg(target_os = "linux")]
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];

/// The folder of the system with this file, which every confined program can read.
pub fn system_folder_of(file: &Path) -> Option<&'static str> {
    SYSTEM.iter().copied().find(|folder| file.starts_with(folder))
}

/// What the kernel confines: `None` if it confines nothing.
pub fn support() -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    {
        use landlock::{ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr};
        let all = |abi: ABI| {
            let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
            let files = ruleset.handle_access(AccessFs::from_all(abi)).ok()?;
            match AccessNet::from_all(abi).is_empty() {
                true => Some(files),
                false => files.handle_access(AccessNet::from_all(abi)).ok(),
            }
        };
        if all(ABI::V4).is_some() {
            return Some("files and TCP");
        }
        all(ABI::V1).map(|_| "files")
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

impl ProcessGroup {
    /// Starts a process that leads a group of its own and is confined. An error if the kernel cannot.
    pub async fn spawn_confined(command: Command, confinement: Confinement) -> io::Result<Self> {
        let runtime = tokio::runtime::Handle::current();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        std::thread::Builder::new().name("confined-start".to_owned()).spawn(move || {
            let _entered = runtime.enter();
            let started = restrict(&confinement).and_then(|()| Self::spawn(command));
            let _ = sender.send(started);
        })?;
        receiver.await.map_err(io::Error::other)?
    }
}

/// Takes from what the calling thread starts the powers by which root looks into other processes, whose environments have
/// secrets: Landlock does not stop those. Only root has them to lose.
#[cfg(target_os = "linux")]
fn drop_powers() {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
    for power in [CapabilitySet::PERFMON, CapabilitySet::SYS_PTRACE, CapabilitySet::SYS_ADMIN] {
        let _ = remove_capability_from_bounding_set(power);
    }
}

/// Confines the calling thread, and everything it starts.
#[cfg(target_os = "linux")]
fn restrict(confinement: &Confinement) -> io::Result<()> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetStatus,
    };
    drop_powers();
    let abi = ABI::V4;
    let prepared = || {
        let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(abi))?;
        if !confinement.network {
            ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
        }
        let mut created = ruleset.create()?;
        let read = SYSTEM.iter().map(PathBuf::from).chain(confinement.read.iter().cloned());
        let write = DEVICES.iter().map(PathBuf::from).chain(confinement.write.iter().cloned());
        let rules = read.map(|path| (path, AccessFs::from_read(abi)));
        for (path, access) in rules.chain(write.map(|path| (path, AccessFs::from_all(abi)))) {
            // A folder that does not exist needs no rule.
            let Ok(opened) = PathFd::new(&path) else { continue };
            let access = if path.is_dir() { access } else { access & AccessFs::from_file(abi) };
            created = created.add_rule(PathBeneath::new(opened, access))?;
        }
        created.restrict_self()
    };
    match prepared() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(()),
        Ok(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel does not support Landlock")),
        Err(error) => Err(io::Error::other(format!("it could not be confined: {error}"))),
    }
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Confinement) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "confining programs needs Linux"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::{Ended, Resources, Run, run};

    async fn confined(script: &str, folder: &Path, network: bool) -> (Ended, String) {
        let confinement = Confinement { write: vec![folder.to_owned()], network, ..Confinement::default() };
        let what = Run {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            env: BTreeMap::new(),
            cwd: Some(folder.to_owned()),
            stdin: None,
            timeout: Duration::from_secs(20),
            max_output: 1 << 16,
            resources: Resources::default(),
            confine: Some(confinement),
        };
        let outcome = run(what, |_| {}).await.unwrap();
        (outcome.ended, outcome.stdout.text() + &outcome.stderr.text())
    }

    #[tokio::test]
    async fn confined_program_reads_and_writes_only_where_it_may() {
        if support().is_none() {
            eprintln!("skipped: this kernel has no Landlock");
            return;
        }
        // Not below the folder of temporary files, which programs may write to.
        let home = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let (inside, outside) = (home.path().join("in"), home.path().join("out"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("secret"), "s3cret").unwrap();
        let (ended, text) = confined("echo x > a && cat a && ls /usr > /dev/null", &inside, true).await;
        assert_eq!((ended, text.as_str()), (Ended::Exit(0), "x\n"));
        for script in [
            "cat ../out/secret",
            "echo x > ../out/b",
            "ls ../out",
            "cat /root/.profile /home/*/.profile",
            "cat /proc/$PPID/environ",
        ] {
            let (ended, text) = confined(script, &inside, true).await;
            assert!(ended != Ended::Exit(0) && !text.contains("s3cret"), "{script}: {text}");
        }
        assert!(!outside.join("b").exists());
        // This process itself stays free.
        assert_eq!(std::fs::read_to_string(outside.join("secret")).unwrap(), "s3cret");
    }

    #[tokio::test]
    async fn confined_program_without_network_cannot_connect() {
        if support() != Some("files and TCP") {
            eprintln!("skipped: this kernel does not confine TCP");
            return;
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        // A shell of the system: what lies below the home directory cannot be read.
        let script = format!("exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'");
        let (with, text) = confined(&script, folder.path(), true).await;
        assert_eq!(with, Ended::Exit(0), "{text}");
        let (without, text) = confined(&script, folder.path(), false).await;
        assert!(without != Ended::Exit(0) && text.contains("Permission denied"), "{text}");
    }
}

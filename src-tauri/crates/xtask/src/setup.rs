//! Installs what tests and demo need. Installed programs are left alone; pinned versions are checked.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{is_there, must, root, step, target};

/// Installs everything.
pub fn everything() -> Result<bool> {
    servers()?;
    window()?;
    browsers()?;
    Ok(true)
}

/// The real servers and the SDKs, from npm and PyPI, pinned in `tests/sdk`.
pub fn servers() -> Result<()> {
    system_packages()?;
    let tools = target()?.join("tools");
    fs::create_dir_all(&tools)?;
    let sdk = root().join("tests/sdk");
    step("real servers and SDK from npm", || {
        pinned(&tools.join("npm"), &sdk, &["package.json", "package-lock.json"], npm)
    })?;
    step("real servers and SDK from PyPI", || {
        pinned(&tools.join("python"), &sdk, &["requirements.txt"], python)
    })
}

/// What libFuzzer is compiled with.
pub fn cxx() -> Result<()> {
    install(&missing(&[("c++", &["--version"], &["g++"])]))
}

/// What the real servers and the tests' clients run on.
fn system_packages() -> Result<()> {
    install(&missing(&[
        ("cc", &["--version"], &["build-essential"]),
        ("git", &["--version"], &["git"]),
        ("node", &["--version"], &["nodejs"]),
        ("npm", &["--version"], &["npm"]),
        ("python3", &["-c", "import venv, ensurepip"], &["python3", "python3-venv"]),
    ]))
}

/// What the window is built from. An error says what to install where we may not.
pub fn window() -> Result<()> {
    install(&missing(&[
        ("pkg-config", &["--exists", "webkit2gtk-4.1"], &["pkg-config", "libwebkit2gtk-4.1-dev"]),
        ("pkg-config", &["--exists", "librsvg-2.0"], &["librsvg2-dev"]),
        ("pkg-config", &["--exists", "dbus-1"], &["libdbus-1-dev"]),
    ]))
}

/// A browser, and a display and a driver for the window, for the tests.
pub fn browsers() -> Result<()> {
    install(&missing(&[
        ("chromium-headless-shell", &["--version"], &["chromium-headless-shell"]),
        ("WebKitWebDriver", &["--version"], &["webkit2gtk-driver"]),
        ("Xvfb", &["-help"], &["xvfb"]),
        ("xdotool", &["version"], &["xdotool"]),
    ]))
}

/// Packages of the programs that do not answer.
fn missing(wanted: &[(&str, &[&str], &[&'static str])]) -> Vec<&'static str> {
    let absent = wanted.iter().filter(|(program, args, _)| !is_there(program, args));
    absent.flat_map(|(.., packages)| packages.iter().copied()).collect()
}

/// Installs Debian packages where we may, else says which.
fn install(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let wanted = packages.join(" ");
    let sudo: &[&str] = if is_there("sudo", &["-n", "true"]) { &["sudo", "-n"] } else { &[] };
    let root = is_there("sh", &["-c", "test $(id -u) -eq 0"]);
    if !is_there("apt-get", &["--version"]) || (!root && sudo.is_empty()) {
        bail!("missing here: {wanted}. On Debian or Ubuntu: sudo apt-get install {wanted}");
    }
    step(&format!("apt-get install {wanted}"), || {
        let apt = |args: &[&str]| {
            let words = [if root { &[] } else { sudo }, &["apt-get"], args].concat();
            must(
                Command::new(words[0])
                    .args(&words[1..])
                    .env("DEBIAN_FRONTEND", "noninteractive")
                    .stdout(Stdio::null()),
            )
        };
        apt(&["update", "-q"])?;
        apt(&[&["install", "-y", "-q", "--no-install-recommends"][..], packages].concat())
    })
}

/// Installs into `folder` what is pinned in `from`, unless it was installed there with the same pins before. Environments
/// of Python do not work once their folder was moved.
pub fn pinned(
    folder: &Path,
    from: &Path,
    pins: &[&str],
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let stamp = folder.join("installed-from");
    let mut wanted = format!("{}\n", folder.display());
    for pin in pins {
        let path = from.join(pin);
        wanted += &fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    for pin in pins {
        fs::copy(from.join(pin), folder.join(pin))?;
    }
    install(folder)?;
    Ok(fs::write(stamp, wanted)?)
}

/// `npm ci`: exactly what the lock says.
pub fn npm(folder: &Path) -> Result<()> {
    must(
        Command::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(folder),
    )
}

/// An environment of its own with what `requirements.txt` lists.
pub fn python(folder: &Path) -> Result<()> {
    must(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let pip = folder.join("bin/python");
    must(
        Command::new(pip)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(folder.join("requirements.txt")),
    )
}

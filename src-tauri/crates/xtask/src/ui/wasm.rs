//! The dashboard's code: what the first load needs, and what is loaded on demand.
//!
//! Functions marked with `wasm_split` in the dashboard, and whatever only they use, become files of their own. The
//! splitter runs between the linker and wasm-bindgen; it needs the linker's relocations.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::Options;

/// Linker option the splitter needs.
pub const EMIT_RELOCATIONS: &str = "-Clink-args=--emit-relocs";
/// Script that loads code on demand.
const LOADER: &str = "load.js";

/// A file of the dashboard's code.
pub struct Code {
    /// Name of the file.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Whether it is loaded only when it is needed.
    pub on_demand: bool,
}

/// Makes the files of a linked module; `work` is a folder for files in between.
pub fn files(linked: &Path, work: &Path) -> Result<Vec<Code>> {
    let wasm = fs::read(linked).with_context(|| format!("cannot read {}", linked.display()))?;
    // A tab that was opened before an update must not load code of another build, so names differ by build.
    let mut hasher = DefaultHasher::new();
    wasm.hash(&mut hasher);
    let build = format!("{:016x}", hasher.finish());

    let _ = fs::remove_dir_all(work);
    fs::create_dir_all(work)?;
    let main = work.join("main.wasm");
    let mut options = Options::new(&wasm);
    options.output_dir = work;
    options.main_out_path = &main;
    let link = format!("./{LOADER}");
    options.link_name = &link;
    options.main_module = "./schemascope.js";
    let split = wasm_split_cli_support::transform(options).map_err(|error| anyhow!("{error:#}"))?;

    let mut loader = fs::read_to_string(work.join(LOADER))?;
    let mut files = bindgen(&main, &work.join("bindgen"))?;
    for path in split.split_modules {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).context("a file has a name")?;
        let name = format!("{stem}-{build}.wasm");
        loader = loader.replace(&format!("./{stem}.wasm"), &format!("./{name}"));
        files.push(Code { name, bytes: without_custom_sections(&fs::read(&path)?)?, on_demand: true });
    }
    files.push(Code { name: LOADER.into(), bytes: loader.into_bytes(), on_demand: false });
    Ok(files)
}

fn bindgen(main: &Path, made: &Path) -> Result<Vec<Code>> {
    Bindgen::new()
        .input_path(main)
        .out_name("schemascope")
        .typescript(false)
        .keep_lld_exports(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)?
        .generate(made)?;
    let wasm = fs::read(made.join("schemascope_bg.wasm"))?;
    let glue = without_comments(&fs::read_to_string(made.join("schemascope.js"))?);
    let first = |name: &str, bytes| Code { name: name.into(), bytes, on_demand: false };
    Ok(vec![first("schemascope.wasm", wasm), first("schemascope.js", glue.into_bytes())])
}

/// The glue without comments on lines of their own, which explain it at length.
fn without_comments(js: &str) -> String {
    let mut inside = false;
    let kept = js.lines().filter(|line| {
        let line = line.trim();
        inside = inside || line.starts_with("/**");
        let is_comment = inside || line.starts_with("// ");
        inside = inside && !line.ends_with("*/");
        !is_comment && !line.is_empty()
    });
    kept.map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// A module without names of functions and the like, which browsers do not need.
fn without_custom_sections(wasm: &[u8]) -> Result<Vec<u8>> {
    const HEADER: usize = 8;
    let (header, mut rest) = wasm.split_at_checked(HEADER).context("not a wasm module")?;
    let mut kept = header.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (size, length) = size(after)?;
        let section = rest.get(..1 + length + size).context("a section of the module is incomplete")?;
        if id != 0 {
            kept.extend_from_slice(section);
        }
        rest = &rest[section.len()..];
    }
    Ok(kept)
}

/// A number in LEB128, and the bytes it takes.
fn size(bytes: &[u8]) -> Result<(usize, usize)> {
    let mut value = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
    }
    Err(anyhow!("a size in the module is malformed"))
}

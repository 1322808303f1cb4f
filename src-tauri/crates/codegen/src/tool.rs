//! What is known of a tool, and what is written for it.

use schemascope_model::{Quality, Source, Strategy, Timestamp, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::classes::Finished;
use crate::graph::Unchecked;

/// A language of wrappers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python with Pydantic v2.
    Python,
    /// TypeScript without dependencies.
    Typescript,
    /// Rust with serde and reqwest.
    Rust,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Python, Self::Typescript, Self::Rust];

    /// Its word in manifests and options.
    pub fn word(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Typescript => "typescript",
            Self::Rust => "rust",
        }
    }

    /// Ending of a wrapper's file.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Python => ".py",
            Self::Typescript => ".ts",
            Self::Rust => ".rs",
        }
    }
}

/// What is known of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its id.
    pub id: ToolId,
    /// Description of the upstream.
    pub description: String,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Where the schema comes from.
    pub source: Source,
    /// How far it can be trusted.
    pub quality: Quality,
    /// Number of observations.
    pub observation_count: u64,
    /// Version in effect, if one was decided on.
    pub version: Option<u32>,
    /// Schema of the arguments.
    pub input_schema: Value,
    /// Schema of the results; not used for helpers.
    pub output_schema: Option<Value>,
    /// Whether the results are text without structure.
    pub is_text: bool,
    /// Whether the tool is no longer listed.
    pub is_gone: bool,
}

/// One line of the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Id of the tool.
    pub tool_id: String,
    /// Language of the wrapper.
    pub lang: Language,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Where the schema comes from.
    pub source: Source,
    /// How far it could be trusted when the wrapper was written.
    pub quality: Quality,
    /// Number of observations at that time.
    pub observation_count: u64,
    /// Version in effect at that time.
    pub version: Option<u32>,
    /// Path of the file in the folder.
    pub file: String,
    /// What is imported.
    pub module: String,
    /// Name of the function.
    pub function: String,
    /// Name of the parameters' type.
    pub params: String,
    /// Name of the result's type.
    pub result: String,
    /// The function that reads a result without a call.
    pub parse: String,
    /// Rules of the schemas that are not checked.
    pub unchecked: Vec<Unchecked>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// When the text changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Timestamp>,
    /// Why it changed.
    #[serde(default)]
    pub why: String,
    /// Digest of the marked region.
    #[serde(default)]
    pub digest: String,
}

/// A wrapper: its manifest entry and the text of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrapper {
    /// The manifest entry.
    pub entry: Entry,
    /// The file's text.
    pub text: String,
}

/// Names of a wrapper that do not depend on its schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// Folder of the server.
    pub server: String,
    /// Name of the file without its ending, and of the function.
    pub tool: String,
}

impl Names {
    /// The wrapper's file in the folder, without its ending.
    pub(crate) fn path(&self) -> String {
        format!("servers/{}/{}", self.server, self.tool)
    }
}

impl Tool {
    /// The manifest entry of a wrapper. `names` are its file, module, function, parameters, result and parser.
    pub(crate) fn entry(&self, lang: Language, names: [&str; 6], finished: Vec<Finished>) -> Entry {
        let [file, module, function, params, result, parse] = names.map(str::to_owned);
        let (mut unchecked, mut notes) = (Vec::new(), Vec::new());
        for part in finished {
            unchecked.extend(part.unchecked);
            notes.extend(part.notes);
        }
        Entry {
            tool_id: self.id.to_string(),
            lang,
            strategy: self.strategy,
            source: self.source,
            quality: self.quality,
            observation_count: self.observation_count,
            version: self.version,
            file,
            module,
            function,
            params,
            result,
            parse,
            unchecked,
            notes,
            written_at: None,
            why: String::new(),
            digest: String::new(),
        }
    }

    /// What a docstring says about the schema.
    pub(crate) fn standing(&self) -> String {
        let observations = match self.observation_count {
            1 => "1 observation".to_owned(),
            count => format!("{count} observations"),
        };
        let version = self.version.map(|version| format!(", version {version}")).unwrap_or_default();
        let known = format!("Schema: {}, quality {}, {observations}{version}.", self.source, self.quality);
        match self.strategy {
            Strategy::Typed => known,
            Strategy::Inferred if self.source == Source::Inferred => {
                format!(
                    "{known}\nWarning: inferred from results; a result that does not fit warns and has `fits` false."
                )
            }
            Strategy::Inferred => {
                format!(
                    "{known}\nWarning: results differ from the schema; one that does not fit warns and has `fits` false."
                )
            }
            Strategy::Helper if self.is_text => format!("{known} The result is text without structure."),
            Strategy::Helper => format!("{known} Nothing is known of the result yet."),
        }
    }

    /// Whether fields that the schema requires may be absent.
    pub(crate) fn is_optional(&self) -> bool {
        self.strategy == Strategy::Inferred && self.quality != Quality::High
    }
}

//! The list of settings. Everything else about them follows from it: validation, the options of `serve`,
//! the terminal, the dashboard's page and the guide.

use super::declare::{choices, form, settings};
use super::kind::{Bounds, Choice, Groups, Setting, SettingGroup, SettingKind};

/// Groups of Schemascope's own tools.
pub const OWN_TOOL_GROUPS: &[Choice] = &[
    Choice { word: "insight", label: "insight", effect: "schemas and quality of the tools of other servers" },
    Choice {
        word: "plans",
        label: "plans",
        effect: "which tool to call next, and the calls that lead to one",
    },
    Choice { word: "cli", label: "cli", effect: "asking you for a command-line tool" },
    Choice { word: "interviews", label: "interviews", effect: "interviewing you by Discovery Schemas" },
];

choices! {
    /// Which candidates are promoted without a person.
    AutoPromote {
        Never = "never", "never", "you promote every version yourself";
        AtHigh = "at_high", "at high quality", "candidates of high quality are promoted";
    }
}

choices! {
    /// Which results on `/mcp` receive structured content.
    Adapt {
        On = "on", "JSON text", "text that is JSON or fits the tool's schema";
        All = "all", "any text", "also plain text of tools without a schema";
        Advertised = "advertised", "only tools with a schema", "only results of tools whose schema is advertised";
        Off = "off", "never", "nothing is added";
    }
}

choices! {
    /// From which quality on wrappers are typed by what was learned.
    ModelFrom {
        Low = "low", "the first result", "inferred schemas of any quality are used";
        Medium = "medium", "medium quality", "inferred schemas are used from 10 observations on";
        High = "high", "high quality", "inferred schemas are used from 100 consistent observations on";
    }
}

choices! {
    /// Whether agents may ask for command-line tools.
    CliRegister {
        Ask = "ask", "ask me", "a request waits in Review; nothing runs before you approve it";
        Off = "off", "no", "requests are rejected";
    }
}

settings! {
    auto_promote, "auto-promote": choice(AutoPromote Never) in Versions {
        label: "Automatic promotion",
        summary: "promote candidates of high quality automatically",
        details: "With `at_high`, a candidate is promoted when its quality is high and it is ready: it breaks no \
            reader, contains no drift that you have not acknowledged, and fits the results that came since it was \
            created, as many as `promote_after` says. A version that you rejected or rolled back is never promoted, \
            and a pin stops automatic promotion. Switching the setting on promotes candidates that qualify already.",
    }
    promote_after, "promote-after": number(10, 1..1_000_000, "results") in Versions {
        label: "Results before a promotion",
        summary: "results after its creation before a version is ready to be promoted",
        details: "A version fits the results it was learned from. It is judged by results that came after it was \
            created: at least this many are needed before it is marked as ready, and before `auto_promote` \
            promotes it. You can promote any version at any time.",
    }
    cut_after, "cut-after": number(10, 1..1_000_000, "results") in Versions {
        label: "Results before a version",
        summary: "results before a schema becomes a version",
        details: "How many results must leave an inferred schema unchanged before it becomes a version. A \
            version is also created when the quality rises.",
    }
    suspend, "suspend": switch(true) in Results {
        label: "Pause a schema when results lack it",
        summary: "stop advertising a schema when results lack structure",
        details: "SDKs reject a result without structure if its tool advertises a schema. After two results in a \
            row without structure or text that fits, the schema is no longer advertised, until a result has \
            structure or fits again. Pinned schemas are never paused.",
    }
    adapt, "adapt": choice(Adapt On) in Results {
        label: "Add structured content to results",
        summary: "add structured content to results on `/mcp`",
        details: "`on` adds structured content if the text is JSON or the tool has a schema. `all` also wraps \
            plain text of tools without a schema. `advertised` changes only results of tools whose schema is \
            advertised. `off` adds nothing, advertises only what servers declare, and enforces no pin. `/mcp/NAME` is \
            never changed.",
    }
    own_tools, "own-tools": groups(OWN_TOOL_GROUPS) in Results {
        label: "Schemascope's own tools",
        summary: "list Schemascope's own tools on `/mcp`",
        details: "Schemascope's own tools are always at `/mcp/schemascope`. `all` also lists them on `/mcp`, as \
            `schemascope__…`; so do names of groups, separated by commas. `schemascope settings` shows by how many \
            bytes and tokens the list grows.",
    }
    cli_register, "cli-register": choice(CliRegister Ask) in Results {
        label: "Agents may ask for command-line tools",
        summary: "whether agents may ask for command-line tools",
        details: "An agent asks with the tool `register_cli_tool` of the group `cli`. With `ask`, the request waits \
            in Review until you approve or reject it. Nothing is run for it before, not even for its help.",
    }
    model_from, "model-from": choice(ModelFrom Low) in Wrappers {
        label: "Type wrappers by learned schemas",
        summary: "least quality of a learned schema in generated wrappers",
        details: "`schemascope generate` writes types for the results of tools. A schema that was only learned from \
            results is used from this quality on. Declared, promoted and pinned schemas are always used.",
    }
    evolve, "evolve": switch(true) in Wrappers {
        label: "Keep wrappers current",
        summary: "keep the wrappers that `generate` wrote current",
        details: "A wrapper is replaced when the quality of its schema rises, a version takes effect or no longer \
            applies, or the server changes what it declares. Wrappers that you edited are left alone.",
    }
    evolve_every, "evolve-every": number(300, 1..86_400, "seconds") in Wrappers {
        label: "Check wrappers every",
        summary: "seconds between two checks of all wrappers",
        details: "Changes of quality, versions and declarations are noticed at once. Other changes of a schema, such \
            as a new field, reach the wrappers at the next check.",
    }
    minizinc_hook, "minizinc-hook": program() in Interviews {
        label: "Model for MiniZinc",
        summary: "program that turns the aggregate of a complete Discovery Schema into a MiniZinc model",
        details: "A list of the program and its arguments, in JSON; no shell is involved. It runs when a Discovery \
            Schema is complete, gets the aggregate as JSON on its standard input and the Discovery Schema's id in the \
            variable `SCHEMASCOPE_DS`, and prints a model or nothing. If the program `minizinc` is installed, the model \
            is solved. `[\"schemascope\", \"interview\", \"minizinc\"]` writes \
            models of flow shops. Both texts are in the conversation's history.",
    }
    keep_days, "keep-days": limit(1..36_500, "days") in Storage {
        label: "Remove calls older than",
        summary: "remove calls older than this, in days",
        details: "Whatever was learned from a removed call stays: schemas, versions, decisions and their evidence.",
    }
    keep_calls, "keep-calls": limit(1..u64::MAX, "calls") in Storage {
        label: "Keep only the newest",
        summary: "keep only the newest calls",
        details: "Older calls are removed within seconds, and as new ones are recorded.",
    }
    keep_mb, "keep-mb": limit(16..1_000_000_000, "MB") in Storage {
        label: "Keep journal and index below",
        summary: "remove the oldest calls above this size, in MB",
        details: "The size is that of journal and index together. The oldest calls are removed first, a file at a time, of an eighth of this size or, from before it was set, of 64 MB. Such a file stays until half of this size is newer, or until the disk is full.",
    }
}

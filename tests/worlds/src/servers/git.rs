//! A git server in the style of the reference server: revisions, branches, files, text answers.

use serde_json::{Value, json};

use crate::data::{Data, Random, person, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

const REPO: &str = "repo_path: s =/srv/code/app";

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("commits", 24, |_, r| {
            let id = r.hex(40);
            json!({"id": id, "short": id[..8], "author": person(r), "message": title(r), "date": r.day()})
        })
        .table("branches", 6, |n, r| {
            json!({"name": if n == 1 { "main".to_owned() } else { format!("feature/{}", title(r).replace(' ', "-")) }})
        })
        .table("files", 9, |n, r| json!({"path": format!("src/{}/{}.rs", r.of(&["core", "net"]), title(r).replace(' ', "_")), "n": n}))
        .table("tags", 4, |n, _| json!({"name": format!("v0.{n}.2")}));
    let tool = |name, inputs: &str, outputs| Tool::new(name, &format!("{REPO}; {inputs}"), outputs);
    Server {
        name: "git",
        style: Style::Distinctive,
        tools: vec![
            tool("git_status", "", "branch: s @ref; staged[]: s @file; unstaged[]: s @file").weight(4),
            tool(
                "git_log",
                "max_count?: i =5|10",
                "commits[].hash: s @ref; commits[].author: s @person; commits[].date: date; commits[].message: s",
            )
            .weight(5),
            tool("git_show", "revision: s @ref =HEAD", "$: s @>file").weight(4),
            tool("git_branch", "branch_type?: enum =local|all", "current: s @ref; branches[]: s @ref"),
            tool("git_checkout", "branch_name: s @ref", "$: s").acts(),
            tool("git_diff", "target: s @ref =main|HEAD~1", "$: s @>file").weight(4),
            tool("git_add", "files[]: s @file", "$: s").acts(),
            tool("git_commit", "message: s =fix|update docs|wip", "$: s @>ref").acts(),
            tool("git_reset", "", "$: s").acts().weight(1),
            tool(
                "git_blame",
                "path: s @file",
                "lines[].commit: s @ref; lines[].author: s @person; lines[].line: i",
            )
            .bare(),
            tool("git_create_branch", "branch_name: s =try-one|try-two|hotfix; base_branch?: s @ref", "branch: s ! @ref")
                .acts(),
            tool("git_tags", "", "tags[].name: s @ref"),
            tool("git_revert", "commit: s @ref", "new_commit: s @ref").acts(),
            tool("git_file_history", "path: s @file; limit?: i =3|5", "revisions[].sha: s @ref").weight(2),
            Tool::new("git_authors", REPO, "authors{key}: s @person; authors{}: i").weight(1),
            tool("git_commits_by", "author: s @person", "commits[]: s @ref").weight(2),
        ],
        data,
        run,
        kinds: &[
            ("ref", "commits", "id"),
            ("ref", "commits", "short"),
            ("ref", "branches", "name"),
            ("ref", "tags", "name"),
            ("file", "files", "path"),
            ("person", "commits", "author"),
        ],
    }
}

fn is_ref(d: &Data, value: &Value) -> Result<(), String> {
    let name = text(value);
    let known = ["HEAD", "HEAD~1", "main"].contains(&name.as_str())
        || d.rows("branches").iter().chain(d.rows("tags")).any(|row| row["name"] == *value)
        || (name.len() >= 7 && d.rows("commits").iter().any(|row| text(&row["id"]).starts_with(&name)));
    if known { Ok(()) } else { Err(format!("fatal: bad revision {name}")) }
}

fn files(d: &Data, seed: u64, count: usize) -> Vec<Value> {
    let all = d.column("files", "path");
    let start = usize::try_from(seed % 7).unwrap_or(0);
    all.iter().cycle().skip(start).take(count).cloned().collect()
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    if a["repo_path"] != "/srv/code/app" {
        return Err("not a git repository".to_owned());
    }
    let seed = text(a).bytes().map(u64::from).sum::<u64>();
    Ok(match tool {
        "git_status" => json!({"branch": "main", "staged": files(d, 1, 1), "unstaged": files(d, 3, 3)}),
        "git_log" => {
            let count = usize::try_from(a["max_count"].as_u64().unwrap_or(8)).unwrap_or(8);
            let rows: Vec<Value> = d
                .rows("commits")
                .iter()
                .rev()
                .take(count)
                .map(|row| json!({"hash": row["id"], "author": row["author"], "date": row["date"], "message": row["message"]}))
                .collect();
            json!({"commits": rows})
        }
        "git_show" | "git_diff" => {
            is_ref(d, a.get("revision").unwrap_or(&a["target"]))?;
            let file = text(&files(d, seed, 1)[0]);
            json!(format!(
                "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-old\n+new\n"
            ))
        }
        "git_branch" => json!({"current": "main", "branches": d.column("branches", "name")}),
        "git_checkout" => {
            is_ref(d, &a["branch_name"])?;
            json!(format!("Switched to branch '{}'", text(&a["branch_name"])))
        }
        "git_add" => {
            for file in a["files"].as_array().into_iter().flatten() {
                d.get("files", "path", file)?;
            }
            json!("Files staged successfully")
        }
        "git_commit" | "git_revert" => {
            if tool == "git_revert" {
                is_ref(d, &a["commit"])?;
            }
            let id = Random::new(d.fresh()).hex(40);
            d.insert("commits", json!({"id": id, "short": id[..8], "author": "Ada Abel", "message": a["message"], "date": "2026-02-03"}));
            if tool == "git_revert" {
                json!({"new_commit": id})
            } else {
                json!(format!("[main {}] {}\n 1 file changed", &id[..8], text(&a["message"])))
            }
        }
        "git_reset" => json!("All staged changes reset"),
        "git_blame" => {
            d.get("files", "path", &a["path"])?;
            let at = usize::try_from(seed % 9).unwrap_or(0);
            let rows: Vec<Value> = d
                .rows("commits")
                .iter()
                .skip(at)
                .take(4)
                .enumerate()
                .map(|(line, row)| json!({"commit": row["short"], "author": row["author"], "line": line + 1}))
                .collect();
            json!({"lines": rows})
        }
        "git_create_branch" => {
            if !a["base_branch"].is_null() {
                is_ref(d, &a["base_branch"])?;
            }
            d.insert("branches", json!({"name": a["branch_name"]}));
            json!({"branch": a["branch_name"]})
        }
        "git_tags" => json!({"tags": d.list("tags", "", &Value::Null, "name")}),
        "git_file_history" => {
            d.get("files", "path", &a["path"])?;
            let at = usize::try_from(seed % 11).unwrap_or(0);
            let rows: Vec<Value> =
                d.rows("commits").iter().skip(at).take(3).map(|row| json!({"sha": row["id"]})).collect();
            json!({"revisions": rows})
        }
        "git_authors" => {
            let mut authors = json!({});
            for name in d.column("commits", "author") {
                let count = authors[text(&name)].as_u64().unwrap_or(0);
                authors[text(&name)] = json!(count + 1);
            }
            json!({"authors": authors})
        }
        _ => {
            d.get("commits", "author", &a["author"])?;
            let rows: Vec<Value> = d
                .rows("commits")
                .iter()
                .filter(|row| row["author"] == a["author"])
                .map(|row| row["id"].clone())
                .collect();
            json!({"commits": rows})
        }
    })
}

//! A filesystem server in the style of the reference server: folders as text, names without their
//! folder, lists of paths.

use serde_json::{Value, json};

use crate::data::{Data, done, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let folders = ["/home/ada/docs", "/home/ada/photos", "/home/ada/docs/reports", "/var/data/export"];
    let data = Data::default()
        .table("folders", 4, move |n, _| json!({"path": folders[usize::try_from(n - 1).unwrap_or(0)]}))
        .table("files", 22, move |n, r| {
            let folder = *r.of(&[&folders[0], &folders[1], &folders[2], &folders[3]]);
            let name = format!("{}-{n}.{}", title(r).replace(' ', "_"), r.of(&["txt", "csv", "md"]));
            json!({"path": format!("{folder}/{name}"), "folder": folder, "name": name, "size": 100 + r.below(9000)})
        });
    Server {
        name: "filesystem",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("list_allowed_directories", "", "directories[]: s @dir,&file").weight(2),
            Tool::new("list_directory", "path: s @dir", "$: s @&file").weight(6),
            Tool::new(
                "list_directory_with_sizes",
                "path: s @dir; sortBy?: enum =name|size",
                "entries[].name: s @&file; entries[].size: i; total_files: i",
            )
            .weight(4),
            Tool::new("search_files", "path: s @dir; pattern: s =*.md|*.csv|amber", "matches[]: s @file")
                .weight(5),
            Tool::new("read_text_file", "path: s @file; head?: i =5|10", "content: s").weight(6),
            Tool::new("read_multiple_files", "paths[]: s @file", "$: s").weight(3),
            Tool::new("write_file", "path: s @file; content: s =hello|draft", "$: s").acts(),
            Tool::new("edit_file", "path: s @file; edits[].oldText: s =a; edits[].newText: s =b", "$: s")
                .acts(),
            Tool::new("create_directory", "path: s =/home/ada/new|/var/data/tmp", "created: s ! @dir").acts(),
            Tool::new("move_file", "source: s @file; destination: s =/tmp/moved.txt", "$: s")
                .acts()
                .weight(1),
            Tool::new(
                "get_file_info",
                "path: s @file",
                "size: i; modified: datetime; isDirectory: b; permissions: s",
            )
            .weight(3),
            Tool::new("recent_files", "limit?: i =3|5", "files[].path: s @file; files[].modified: date")
                .bare(),
            Tool::new("largest_folder", "", "folder: s @dir,&file; bytes: i").weight(1),
        ],
        data,
        run,
        kinds: &[("dir", "folders", "path"), ("file", "files", "path"), ("&file", "files", "name")],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    Ok(match tool {
        "list_allowed_directories" => json!({"directories": d.column("folders", "path")}),
        "list_directory" | "list_directory_with_sizes" => {
            d.get("folders", "path", &a["path"])?;
            let rows = d.list("files", "folder", &a["path"], "name,size");
            let rows = rows.as_array().cloned().unwrap_or_default();
            if tool == "list_directory" {
                json!(
                    rows.iter()
                        .map(|row| format!("[FILE] {}", text(&row["name"])))
                        .collect::<Vec<_>>()
                        .join("\n")
                )
            } else {
                json!({"total_files": rows.len(), "entries": rows})
            }
        }
        "search_files" => {
            d.get("folders", "path", &a["path"])?;
            let pattern = text(&a["pattern"]).replace('*', "");
            let hits: Vec<Value> = d
                .column("files", "path")
                .into_iter()
                .filter(|path| {
                    text(path).starts_with(a["path"].as_str().unwrap_or_default())
                        && text(path).contains(&pattern)
                })
                .collect();
            json!({"matches": hits})
        }
        "read_text_file" => {
            let row = d.get("files", "path", &a["path"])?;
            json!({"content": format!("{} bytes about {}", row["size"], text(&row["name"]).replace(['_', '-'], " "))})
        }
        "read_multiple_files" => {
            let mut parts = Vec::new();
            for path in a["paths"].as_array().into_iter().flatten() {
                let row = d.get("files", "path", path)?;
                parts.push(format!("{}:\n{} bytes\n", text(path), row["size"]));
            }
            json!(parts.join("---\n"))
        }
        "write_file" | "edit_file" => {
            d.get("files", "path", &a["path"])?;
            json!(format!("Successfully wrote to {}", text(&a["path"])))
        }
        "create_directory" => {
            d.insert("folders", json!({"path": a["path"]}));
            json!({"created": a["path"]})
        }
        "move_file" => {
            let row = d.remove("files", "path", &a["source"])?;
            d.insert("files", row);
            json!(format!("Successfully moved {}", text(&a["source"])))
        }
        "get_file_info" => {
            let row = d.get("files", "path", &a["path"])?;
            json!({"size": row["size"], "modified": "2026-01-05T10:00:00Z", "isDirectory": false, "permissions": "644"})
        }
        "recent_files" => {
            let count = usize::try_from(a["limit"].as_u64().unwrap_or(4)).unwrap_or(4);
            let rows: Vec<Value> = d
                .rows("files")
                .iter()
                .rev()
                .take(count)
                .map(|row| json!({"path": row["path"], "modified": "2026-01-05"}))
                .collect();
            json!({"files": rows})
        }
        "largest_folder" => json!({"folder": "/home/ada/docs", "bytes": 123_456}),
        _ => done(),
    })
}

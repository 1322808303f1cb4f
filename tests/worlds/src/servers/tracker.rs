//! An issue tracker that answers in sentences: keys like `PROJ-17` stand inside text, and the search
//! wants them inside a query.

use serde_json::{Value, json};

use crate::data::{Data, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table(
            "projects",
            4,
            |n, r| json!({"key": format!("{}{n}", r.of(&["OPS", "WEB", "CORE", "DOC"])), "name": title(r)}),
        )
        .table("people", 7, |n, r| json!({"login": format!("{}{n}", r.of(&["ada", "bo", "chi", "dee"]))}));
    let projects = data.column("projects", "key");
    let people = data.column("people", "login");
    let data = data.table("issues", 25, move |n, r| {
        let project = &projects[usize::try_from(r.below(4)).unwrap_or(0)];
        let who = &people[usize::try_from(r.below(7)).unwrap_or(0)];
        json!({"key": format!("{}-{}", text(project), 100 + n), "project": project, "title": title(r), "assignee": who, "points": 1 + r.below(8)})
    });
    Server {
        name: "tracker",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("projects", "", "$: s @>project").weight(3),
            Tool::new("issues", "project: s @project; state?: enum =open|done", "$: s @>issue").weight(6),
            Tool::new("view", "issue: s @issue", "$: s @>user").weight(6),
            Tool::new("create", "project: s @project; title: s =Crash|Typo|Slow page", "$: s @>issue")
                .acts()
                .weight(4),
            Tool::new("comment", "issue_key: s @issue; body: s =thanks|done|please check", "$: s")
                .acts()
                .weight(4),
            Tool::new("assign", "issue: s @issue; to: s @user", "$: s").acts().weight(4),
            Tool::new("team", "", "people[].login: s @user; people[].load: i").weight(3),
            Tool::new("find", "q: s @<issue =related to {}", "hits[].key: s @issue; hits[].points: i")
                .weight(3),
            Tool::new("link", "from: s @issue; to: s @issue; kind: enum =blocks|relates", "$: s").acts(),
            Tool::new("my_work", "login: s @user", "assigned[]: s @issue; points: i").weight(4).bare(),
            Tool::new("permalink", "key: s @issue", "url: uri @iurl").weight(3),
            Tool::new("open_url", "url: uri @iurl", "title: s; issue: s @issue; points: i").weight(3),
        ],
        data,
        run,
        kinds: &[("project", "projects", "key"), ("issue", "issues", "key"), ("user", "people", "login")],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let issue = |value: &Value| d.get("issues", "key", value);
    Ok(match tool {
        "projects" => {
            let lines: Vec<String> = d
                .rows("projects")
                .iter()
                .map(|row| format!("{}: {}", text(&row["key"]), text(&row["name"])))
                .collect();
            json!(lines.join("\n"))
        }
        "issues" => {
            d.get("projects", "key", &a["project"])?;
            let lines: Vec<String> = d
                .rows("issues")
                .iter()
                .filter(|row| row["project"] == a["project"])
                .take(8)
                .map(|row| {
                    format!("- {} {} ({} points)", text(&row["key"]), text(&row["title"]), row["points"])
                })
                .collect();
            json!(format!("{} issues\n{}", lines.len(), lines.join("\n")))
        }
        "view" => {
            let row = issue(&a["issue"])?;
            json!(format!(
                "{}\nAssigned to @{}, {} points.",
                text(&row["title"]),
                text(&row["assignee"]),
                row["points"]
            ))
        }
        "create" => {
            d.get("projects", "key", &a["project"])?;
            let key = format!("{}-{}", text(&a["project"]), 100 + d.fresh());
            d.insert("issues", json!({"key": key, "project": a["project"], "title": a["title"], "assignee": "ada1", "points": 1}));
            json!(format!("Created issue {key}."))
        }
        "comment" => {
            issue(&a["issue_key"])?;
            json!("Comment added.")
        }
        "assign" => {
            issue(&a["issue"])?;
            d.get("people", "login", &a["to"])?;
            json!("Assigned.")
        }
        "team" => {
            let people: Vec<Value> = d
                .column("people", "login")
                .into_iter()
                .map(|login| json!({"login": login, "load": 3}))
                .collect();
            json!({"people": people})
        }
        "find" => {
            let query = text(&a["q"]);
            if !d.column("issues", "key").iter().any(|key| query.contains(&text(key))) {
                return Err("nothing found".to_owned());
            }
            let at = usize::try_from(query.bytes().map(u64::from).sum::<u64>() % 20).unwrap_or(0);
            let hits: Vec<Value> = d
                .rows("issues")
                .iter()
                .skip(at)
                .take(3)
                .map(|row| json!({"key": row["key"], "points": row["points"]}))
                .collect();
            json!({"hits": hits})
        }
        "link" => {
            issue(&a["from"])?;
            issue(&a["to"])?;
            json!("Linked.")
        }
        "my_work" => {
            d.get("people", "login", &a["login"])?;
            let keys = d.list("issues", "assignee", &a["login"], "key");
            json!({"assigned": keys.as_array().into_iter().flatten().map(|row| &row["key"]).collect::<Vec<_>>(), "points": 9})
        }
        "permalink" => {
            let row = issue(&a["key"])?;
            json!({"url": format!("https://tracker.example/browse/{}", text(&row["key"]))})
        }
        _ => {
            let url = text(&a["url"]);
            let Some(key) = url.strip_prefix("https://tracker.example/browse/") else {
                return Err("unknown address".to_owned());
            };
            let row = issue(&json!(key))?;
            json!({"title": row["title"], "issue": row["key"], "points": row["points"]})
        }
    })
}

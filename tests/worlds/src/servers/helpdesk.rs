//! A help desk whose tickets, users, teams and comments are all numbered 1, 2, 3.

use serde_json::{Value, json};

use crate::data::{Data, cols, done, person, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table(
            "users",
            9,
            |n, r| json!({"id": n, "name": person(r), "team": 1 + r.below(4), "open_tickets": r.below(6)}),
        )
        .table(
            "teams",
            4,
            |n, r| json!({"id": n, "name": title(r), "lead": 1 + r.below(9), "size": 2 + r.below(4)}),
        )
        .table("tickets", 24, |n, r| {
            json!({"id": n, "subject": title(r), "priority": 1 + r.below(4), "assignee": 1 + r.below(9),
                   "reporter": 1 + r.below(9), "team": 1 + r.below(4), "state": r.of(&["open", "closed"])})
        })
        .table(
            "comments",
            30,
            |n, r| json!({"id": n, "ticket": 1 + r.below(24), "author": 1 + r.below(9), "text": title(r)}),
        );
    Server {
        name: "helpdesk",
        style: Style::Colliding,
        tools: vec![
            Tool::new(
                "list_tickets",
                "state?: enum =open|closed; team?: i @team; page?: i =1|2|3",
                "tickets[].id: i @ticket; tickets[].subject: s; tickets[].priority: i; tickets[].assignee: i @user; total: i; page: i",
            )
            .weight(6),
            Tool::new(
                "get_ticket",
                "ticket: i @ticket",
                "id: i ! @ticket; subject: s; priority: i; assignee: i @user; reporter: i @user; team: i @team",
            )
            .weight(6),
            Tool::new("list_users", "team?: i @team; limit?: i =3|5", "users[].id: i @user; users[].name: s @uname; users[].open_tickets: i").weight(5),
            Tool::new("get_user", "user_id: i @user", "name: s @uname; team: i @team; open_tickets: i").weight(5),
            Tool::new("list_teams", "", "teams[].id: i @team; teams[].name: s; teams[].lead: i @user; teams[].size: i").weight(3).bare(),
            Tool::new("team_members", "team: i @team", "members[]: i @user").weight(3),
            Tool::new("assign_ticket", "ticket: i @ticket; user: i @user", "ok: b").acts().weight(4),
            Tool::new("escalate", "ticket_id: i @ticket; to_team: i @team; level: i =1|2|3", "ok: b").acts(),
            Tool::new("list_comments", "ticket: i @ticket", "comments[].id: i @comment; comments[].author: i @user; comments[].text: s").weight(4),
            Tool::new("add_comment", "ticket: i @ticket; text: s =thanks|any news|fixed", "comment_id: i @comment").acts(),
            Tool::new("delete_comment", "comment: i @comment", "ok: b").acts(),
            Tool::new("set_priority", "ticket: i @ticket; priority: i =1|2|3|4", "ok: b").acts(),
            Tool::new("merge_tickets", "source: i @ticket; target: i @ticket", "ok: b").acts().weight(1),
            Tool::new("watch", "ticket: i @ticket; watcher: i @user", "ok: b").acts().weight(0),
            Tool::new("find_user", "name: s =Ada|Elena|Garcia|a @uname", "user: i @user; score: i").weight(2),
        ],
        data,
        run,
        kinds: &[("ticket", "tickets", "id"), ("user", "users", "id"), ("team", "teams", "id"), ("comment", "comments", "id"), ("uname", "users", "name")],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    Ok(match tool {
        "list_tickets" => {
            let page = a["page"].as_u64().unwrap_or(1);
            let rows = d.list("tickets", "team", &a["team"], "id,subject,priority,assignee,state");
            let all = rows.as_array().cloned().unwrap_or_default();
            let skip = usize::try_from((page.max(1) - 1) * 8).unwrap_or(0);
            let some: Vec<Value> = all
                .iter()
                .filter(|row| a["state"].is_null() || row["state"] == a["state"])
                .skip(skip)
                .take(8)
                .map(|row| cols(row, "id,subject,priority,assignee"))
                .collect();
            json!({"tickets": some, "total": all.len(), "page": page})
        }
        "get_ticket" => {
            cols(&d.get("tickets", "id", &a["ticket"])?, "id,subject,priority,assignee,reporter,team")
        }
        "list_users" => {
            let rows = d.list("users", "team", &a["team"], "id,name,open_tickets");
            let limit = usize::try_from(a["limit"].as_u64().unwrap_or(20)).unwrap_or(20);
            json!({"users": rows.as_array().into_iter().flatten().take(limit).collect::<Vec<_>>()})
        }
        "get_user" => cols(&d.get("users", "id", &a["user_id"])?, "name,team,open_tickets"),
        "list_teams" => json!({"teams": d.list("teams", "", &Value::Null, "id,name,lead,size")}),
        "team_members" => {
            d.get("teams", "id", &a["team"])?;
            let rows = d.list("users", "team", &a["team"], "id");
            json!({"members": rows.as_array().into_iter().flatten().map(|row| &row["id"]).collect::<Vec<_>>()})
        }
        "assign_ticket" => {
            d.get("users", "id", &a["user"])?;
            d.set("tickets", "id", &a["ticket"], "assignee", a["user"].clone())?;
            done()
        }
        "escalate" => {
            d.get("teams", "id", &a["to_team"])?;
            d.set("tickets", "id", &a["ticket_id"], "team", a["to_team"].clone())?;
            done()
        }
        "list_comments" => {
            d.get("tickets", "id", &a["ticket"])?;
            json!({"comments": d.list("comments", "ticket", &a["ticket"], "id,author,text")})
        }
        "add_comment" => {
            d.get("tickets", "id", &a["ticket"])?;
            let id = d.fresh();
            d.insert("comments", json!({"id": id, "ticket": a["ticket"], "author": 1, "text": a["text"]}));
            json!({"comment_id": id})
        }
        "delete_comment" => {
            d.remove("comments", "id", &a["comment"])?;
            done()
        }
        "set_priority" => {
            d.set("tickets", "id", &a["ticket"], "priority", a["priority"].clone())?;
            done()
        }
        "merge_tickets" => {
            d.get("tickets", "id", &a["source"])?;
            d.get("tickets", "id", &a["target"])?;
            done()
        }
        "watch" => {
            d.get("users", "id", &a["watcher"])?;
            d.get("tickets", "id", &a["ticket"])?;
            done()
        }
        _ => {
            let hits = d.search("users", &a["name"], 1, "id");
            match hits.as_array().and_then(|hits| hits.first()) {
                Some(hit) => json!({"user": hit["id"], "score": 3}),
                None => return Err("no such person".to_owned()),
            }
        }
    })
}

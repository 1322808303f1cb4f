//! A server that exercises the protocol: echoes, sums, resources, uploads with tokens, pages with
//! cursors.

use serde_json::{Value, json};

use crate::data::{Data, Random, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("resources", 15, |n, r| json!({"uri": format!("demo://resource/{}/{n}", r.of(&["text", "blob"])), "name": title(r), "n": n}))
        .table("cursors", 3, |n, r| json!({"cursor": r.hex(12), "at": n * 4}));
    Server {
        name: "everything",
        style: Style::Colliding,
        tools: vec![
            Tool::new("echo", "message: s =hello|one two|ping", "$: s !").weight(3),
            Tool::new("add", "a: i =1|2|3|5; b: i =2|4|7", "sum: i").weight(3),
            Tool::new("print_env", "", "env{key}: s; env{}: s").weight(1).bare(),
            Tool::new(
                "list_resources",
                "cursor?: s @cursor",
                "resources[].uri: s @res; resources[].name: s; next?: s @cursor",
            )
            .weight(6),
            Tool::new("read_resource", "uri: s @res", "contents[].uri: s ! @res; contents[].text: s")
                .weight(4),
            Tool::new("resource_link", "number: i =1|2|3|4", "$: s @>res").weight(3),
            Tool::new(
                "start_upload",
                "name: s =a.txt|b.bin; chunks?: i =1|2|3",
                "upload_id: s @upload; expires_in: i",
            )
            .acts()
            .weight(4),
            Tool::new(
                "append_chunk",
                "upload: s @upload; data: s =AAAA|BBBB; index: i =1|2|3",
                "received: i",
            )
            .acts()
            .weight(4),
            Tool::new("finish_upload", "upload_id: s @upload", "resource.uri: s @res; resource.size: i")
                .acts()
                .weight(4),
            Tool::new(
                "structured_weather",
                "location: s =Paris|Tokyo|Oslo",
                "temperature: n; conditions: s; humidity: i",
            )
            .weight(2),
            Tool::new("long_operation", "duration: i =1|2|3; steps: i =2|3|5", "$: s").weight(2),
            Tool::new("subscribe", "uri: s @res", "subscription: i @sub").acts().weight(3),
            Tool::new("unsubscribe", "subscription: i @sub", "$: s").acts().weight(3),
            Tool::new(
                "list_subscriptions",
                "",
                "subscriptions[].id: i @sub; subscriptions[].uri: s @res; total: i",
            )
            .weight(2)
            .bare(),
        ],
        data,
        run,
        kinds: &[
            ("res", "resources", "uri"),
            ("upload", "uploads", "id"),
            ("sub", "subscriptions", "id"),
            ("cursor", "cursors", "cursor"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    Ok(match tool {
        "echo" => json!(format!("Echo: {}", text(&a["message"]))),
        "add" => json!({"sum": a["a"].as_i64().unwrap_or(0) + a["b"].as_i64().unwrap_or(0)}),
        "print_env" => json!({"env": {"HOME": "/root", "LANG": "C.UTF-8", "MCP_MODE": "demo", "LEVEL": "2"}}),
        "list_resources" => {
            let start = if a["cursor"].is_null() {
                0
            } else {
                d.get("cursors", "cursor", &a["cursor"])?["at"].as_u64().unwrap_or(0)
            };
            let from = usize::try_from(start).unwrap_or(0);
            let rows: Vec<Value> = d
                .rows("resources")
                .iter()
                .skip(from)
                .take(4)
                .map(|row| json!({"uri": row["uri"], "name": row["name"]}))
                .collect();
            let mut page = json!({"resources": rows});
            if let Ok(next) = d.get("cursors", "at", &json!(start + 4)) {
                page["next"] = next["cursor"].clone();
            }
            page
        }
        "read_resource" => {
            let row = d.get("resources", "uri", &a["uri"])?;
            json!({"contents": [{"uri": row["uri"], "text": format!("about {}", text(&row["name"]))}]})
        }
        "resource_link" => {
            let row = d.get("resources", "n", &a["number"])?;
            json!(format!("See {} for details.", text(&row["uri"])))
        }
        "start_upload" => {
            let id = Random::new(d.fresh()).hex(16);
            d.insert("uploads", json!({"id": id}));
            json!({"upload_id": id, "expires_in": 60})
        }
        "append_chunk" => {
            d.get("uploads", "id", &a["upload"])?;
            json!({"received": a["index"].as_u64().unwrap_or(1) * 4})
        }
        "finish_upload" => {
            d.get("uploads", "id", &a["upload_id"])?;
            let uri = format!("demo://resource/upload/{}", d.fresh());
            d.insert("resources", json!({"uri": uri, "name": "upload", "n": 0}));
            json!({"resource": {"uri": uri, "size": 12}})
        }
        "structured_weather" => {
            json!({"temperature": 21.5, "conditions": "cloudy", "humidity": 40 + text(&a["location"]).len()})
        }
        "long_operation" => json!(format!("Done after {} s in {} steps", a["duration"], a["steps"])),
        "subscribe" => {
            d.get("resources", "uri", &a["uri"])?;
            let id = d.rows("subscriptions").len() + 1;
            d.insert("subscriptions", json!({"id": id, "uri": a["uri"]}));
            json!({"subscription": id})
        }
        "unsubscribe" => {
            d.get("subscriptions", "id", &a["subscription"])?;
            json!("unsubscribed")
        }
        _ => {
            let rows = d.list("subscriptions", "", &Value::Null, "id,uri");
            json!({"total": rows.as_array().map_or(0, Vec::len), "subscriptions": rows})
        }
    })
}

//! An upstream with a handshake, over stdio, that treats all its clients as one: a proxy must separate their tasks,
//! log levels and questions.
//!
//! It is written without an SDK, because no SDK allows such a server.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

const LEVELS: &[&str] = &["debug", "info", "warning", "error", "emergency"];

#[derive(Default)]
struct Server {
    /// Answers come as batches.
    batches: bool,
    /// Whether a client is asked for roots as soon as it has introduced itself.
    eager: bool,
    level: usize,
    tasks: BTreeMap<String, Value>,
    /// What they came to, where that was said when they were made.
    results: BTreeMap<String, Value>,
    /// Calls that wait for the answer to a question, by its id.
    waiting: BTreeMap<String, Value>,
    /// Answers to its questions, and notifications it received.
    heard: Vec<Value>,
}

fn main() -> io::Result<()> {
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    let mut server =
        Server { batches: has("--batches"), eager: has("--eager"), level: 1, ..Server::default() };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let said = server.take(&message);
        match said.as_slice() {
            [] => {}
            messages if server.batches => writeln!(out, "{}", json!(messages))?,
            messages => {
                for message in messages {
                    writeln!(out, "{message}")?;
                }
            }
        }
        out.flush()?;
    }
    Ok(())
}

fn told(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn answered(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

impl Server {
    fn take(&mut self, message: &Value) -> Vec<Value> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else {
            return self.heard_answer(message);
        };
        let result = match method {
            "initialize" => {
                let version = if self.batches { "2025-03-26" } else { "2025-11-25" };
                json!({"protocolVersion": version, "serverInfo": {"name": "communal", "version": "1"},
                    "capabilities": {"tools": {}, "logging": {}, "resources": {"subscribe": true},
                        "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}})
            }
            "notifications/initialized" if self.eager => {
                return vec![json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"})];
            }
            "notifications/roots/list_changed" => {
                self.heard.push(json!({"roots": "changed"}));
                return Vec::new();
            }
            "notifications/cancelled" => {
                self.heard.push(json!({"cancelled": params["reason"]}));
                let id = params["requestId"].to_string();
                // Whoever is gone is not asked any longer.
                let asked: Vec<String> = self
                    .waiting
                    .iter()
                    .filter(|(_, call)| call.to_string() == id)
                    .map(|(asked, _)| asked.clone())
                    .collect();
                asked.iter().for_each(|asked| drop(self.waiting.remove(asked)));
                return Vec::new();
            }
            _ if id.is_null() => return Vec::new(),
            "tools/list" => {
                let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}});
                let tools = ["work", "log", "ask", "ask_and_go", "end", "heard"].map(tool);
                json!({"tools": tools})
            }
            "resources/list" => json!({"resources": [{"uri": "communal://a", "name": "a"}]}),
            "logging/setLevel" => {
                let wanted = params["level"].as_str().unwrap_or_default();
                self.heard.push(json!({"level": wanted}));
                let Some(level) = LEVELS.iter().position(|known| *known == wanted) else {
                    let error = json!({"code": -32602, "message": "no such level"});
                    return vec![json!({"jsonrpc": "2.0", "id": id, "error": error})];
                };
                self.level = level;
                json!({})
            }
            "resources/subscribe" | "resources/unsubscribe" => {
                self.heard.push(json!({method: params["uri"]}));
                json!({})
            }
            "tasks/list" => json!({"tasks": self.tasks.values().collect::<Vec<_>>()}),
            "tasks/get" | "tasks/cancel" | "tasks/result" => {
                let task = self.tasks.get(params["taskId"].as_str().unwrap_or_default());
                match (method, task) {
                    (_, None) => {
                        let error = json!({"code": -32602, "message": "no such task"});
                        return vec![json!({"jsonrpc": "2.0", "id": id, "error": error})];
                    }
                    ("tasks/result", Some(task)) => {
                        let named = self.results.get(task["taskId"].as_str().unwrap_or_default());
                        named.cloned().unwrap_or_else(|| text(&format!("result of {}", task["taskId"])))
                    }
                    (_, Some(task)) => task.clone(),
                }
            }
            "tools/call" => return self.call(id, params),
            _ => json!({}),
        };
        vec![answered(id, &result)]
    }

    fn call(&mut self, id: &Value, params: &Value) -> Vec<Value> {
        let question = || {
            json!({"jsonrpc": "2.0", "id": format!("q{id}"), "method": "elicitation/create", "params": {
                "message": params["arguments"]["message"], "requestedSchema": {"type": "object", "properties": {}}}})
        };
        match params["name"].as_str() {
            Some("work") => {
                let task = format!("t{}", self.tasks.len() + 1);
                let working = json!({"taskId": task, "status": "working", "createdAt": "2025-11-25T00:00:00Z",
                    "lastUpdatedAt": "2025-11-25T00:00:00Z", "ttl": 60_000});
                if let Some(result) = params["arguments"].get("result") {
                    self.results.insert(task.clone(), result.clone());
                }
                self.tasks.insert(task, working.clone());
                let answer = answered(id, &json!({"task": working}));
                vec![answer, told("notifications/tasks/status", &working)]
            }
            Some("log") => {
                let logged = LEVELS.iter().skip(self.level);
                let mut said: Vec<Value> = logged
                    .map(|level| told("notifications/message", &json!({"level": level, "data": level})))
                    .collect();
                said.push(answered(id, &text("logged")));
                said
            }
            Some("ask") => {
                let question = question();
                self.waiting.insert(question["id"].to_string(), id.clone());
                vec![question]
            }
            Some("end") => {
                let _ = writeln!(io::stderr(), "the pipe is burst");
                std::process::exit(4);
            }
            // It does not wait for what it asked.
            Some("ask_and_go") => vec![question(), answered(id, &text("gone on"))],
            _ => vec![answered(id, &text(&json!(self.heard).to_string()))],
        }
    }

    fn heard_answer(&mut self, answer: &Value) -> Vec<Value> {
        self.heard.push(json!({"answer": answer.get("result"), "to": answer["id"]}));
        let call = self.waiting.remove(&answer["id"].to_string());
        call.map(|call| answered(&call, &text(&answer["result"].to_string()))).into_iter().collect()
    }
}

//! A bank: every call needs the token of a sign-in, transfers need a code, pages have cursors.

use serde_json::{Value, json};

use crate::data::{Data, Random, done, person};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("tokens", 1, |_, r| json!({"token": format!("tok_{}", r.hex(20))}))
        .table("accounts", 6, |n, r| json!({"number": format!("40{:08}", r.below(99_999_999)), "balance": 100 + r.below(5000), "n": n}))
        .table("payees", 6, |_, r| json!({"iban": format!("DE{:020}", r.next()), "name": person(r)}))
        .table("cursors", 4, |n, r| json!({"cursor": r.hex(14), "at": n}))
        .table("documents", 8, |n, r| json!({"id": format!("doc-{}", r.hex(7)), "month": format!("2025-{n:02}")}));
    let tool =
        |name, inputs: &str, outputs| Tool::new(name, &format!("session_token: s @token; {inputs}"), outputs);
    Server {
        name: "bank",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("sign_in", "user: s =ada|boris; pin: s =1234|9876", "session_token: s @token; expires_in: i").acts().weight(4),
            tool("list_accounts", "", "accounts[].number: s @account; accounts[].currency: s; accounts[].balance: n").weight(5),
            tool("balance", "account_number: s @account", "available: n; booked: n").weight(4),
            tool(
                "transactions",
                "account: s @account; cursor?: s @bcursor; limit?: i =2|5",
                "transactions[].amount: n; transactions[].counterparty: s @iban; transactions[].booked_on: date; next_cursor?: s @bcursor",
            )
            .weight(5),
            tool("list_payees", "", "payees[].iban: s @iban; payees[].name: s").weight(3),
            tool("prepare_transfer", "from: s @account; to_iban: s @iban; amount: n =10|25|99", "confirmation_code: s @code; fee: n").acts().weight(4),
            tool("confirm_transfer", "code: s @code", "transfer_id: s @transfer; state: s").acts().weight(4),
            tool("transfer_status", "transfer_id: s @transfer", "state: s").weight(2),
            tool("statements", "account_number: s @account; year?: i =2024|2025", "statements[].document: s @doc; statements[].month: s").weight(3).bare(),
            tool("get_document", "document_id: s @doc", "pages: i; download_url: uri @*url").weight(3),
            tool("add_payee", "iban: s =DE00111122223333444455; name: s =Tara Lopez", "iban: s ! @iban; name: s !").acts().weight(1),
            tool("sign_out", "", "ok: b").acts().weight(1),
        ],
        data,
        run,
        kinds: &[
            ("token", "tokens", "token"),
            ("account", "accounts", "number"),
            ("iban", "payees", "iban"),
            ("code", "codes", "code"),
            ("transfer", "transfers", "id"),
            ("doc", "documents", "id"),
            ("bcursor", "cursors", "cursor"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let seed = a.to_string().bytes().map(u64::from).sum::<u64>();
    if tool == "sign_in" {
        let token = format!("tok_{}", Random::new(d.fresh() * 77).hex(20));
        d.insert("tokens", json!({"token": token}));
        return Ok(json!({"session_token": token, "expires_in": 900}));
    }
    d.get("tokens", "token", &a["session_token"]).map_err(|_| "session expired".to_owned())?;
    Ok(match tool {
        "list_accounts" => {
            let rows: Vec<Value> = d
                .rows("accounts")
                .iter()
                .skip(usize::try_from(seed % 3).unwrap_or(0))
                .take(3)
                .map(|row| json!({"number": row["number"], "currency": "EUR", "balance": row["balance"]}))
                .collect();
            json!({"accounts": rows})
        }
        "balance" => {
            let row = d.get("accounts", "number", &a["account_number"])?;
            json!({"available": row["balance"], "booked": row["balance"]})
        }
        "transactions" => {
            d.get("accounts", "number", &a["account"])?;
            let at = if a["cursor"].is_null() {
                0
            } else {
                d.get("cursors", "cursor", &a["cursor"])?["at"].as_u64().unwrap_or(0)
            };
            let payees = d.rows("payees");
            let rows: Vec<Value> = (0..2)
                .map(|step| {
                    let payee = &payees[usize::try_from((at + step + seed) % 6).unwrap_or(0)];
                    json!({"amount": (seed + at) % 200, "counterparty": payee["iban"], "booked_on": "2025-11-03"})
                })
                .collect();
            let mut page = json!({"transactions": rows});
            if let Ok(next) = d.get("cursors", "at", &json!(at + 1)) {
                page["next_cursor"] = next["cursor"].clone();
            }
            page
        }
        "list_payees" => json!({"payees": d.list("payees", "", &Value::Null, "iban,name")}),
        "prepare_transfer" => {
            d.get("accounts", "number", &a["from"])?;
            d.get("payees", "iban", &a["to_iban"])?;
            let code = Random::new(d.fresh() * 991).hex(6).to_uppercase();
            d.insert("codes", json!({"code": code}));
            json!({"confirmation_code": code, "fee": 0.5})
        }
        "confirm_transfer" => {
            d.remove("codes", "code", &a["code"])?;
            let id = format!("tr-{}", 610_000 + d.fresh() * 3);
            d.insert("transfers", json!({"id": id}));
            json!({"transfer_id": id, "state": "sent"})
        }
        "transfer_status" => {
            d.get("transfers", "id", &a["transfer_id"])?;
            json!({"state": "booked"})
        }
        "statements" => {
            d.get("accounts", "number", &a["account_number"])?;
            let rows: Vec<Value> = d
                .rows("documents")
                .iter()
                .skip(usize::try_from(seed % 4).unwrap_or(0))
                .take(3)
                .map(|row| json!({"document": row["id"], "month": row["month"]}))
                .collect();
            json!({"statements": rows})
        }
        "get_document" => {
            let row = d.get("documents", "id", &a["document_id"])?;
            json!({"pages": 3, "download_url": format!("https://bank.example/d/{}", row["id"].as_str().unwrap_or_default())})
        }
        "add_payee" => {
            d.insert("payees", json!({"iban": a["iban"], "name": a["name"]}));
            json!({"iban": a["iban"], "name": a["name"]})
        }
        _ => {
            d.remove("tokens", "token", &a["session_token"])?;
            done()
        }
    })
}

//! A customer register in a foreign style: every input is called `id`, every output `id` and `name`,
//! and companies, contacts, deals and owners count from 1.

use serde_json::{Value, json};

use crate::data::{Data, cols, done, person, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("companies", 8, |n, r| json!({"id": n, "name": title(r), "employees": 5 + r.below(60), "owner": 1 + r.below(5)}))
        .table("contacts", 20, |n, r| {
            let name = person(r);
            json!({"id": n, "email": format!("{}@corp.example", name.to_lowercase().replace(' ', ".")), "name": name, "company": 1 + r.below(8)})
        })
        .table("deals", 15, |n, r| {
            json!({"id": n, "name": title(r), "company": 1 + r.below(8), "owner": 1 + r.below(5), "stage": 1 + r.below(3), "value": 100 * (1 + r.below(40))})
        })
        .table("owners", 5, |n, r| json!({"id": n, "name": person(r)}));
    Server {
        name: "crm",
        style: Style::Colliding,
        tools: vec![
            Tool::new(
                "companies",
                "search?: s =a|er|bridge",
                "result[].id: i @company; result[].name: s; result[].employees: i",
            )
            .weight(5),
            Tool::new(
                "company",
                "id: i @company",
                "id: i ! @company; name: s; owner.id: i @owner; employees: i",
            )
            .weight(4),
            Tool::new(
                "contacts",
                "company: i @company",
                "result[].id: i @contact; result[].name: s; result[].email: email @*email",
            )
            .weight(5),
            Tool::new(
                "contact",
                "id: i @contact",
                "id: i ! @contact; name: s; company.id: i @company; email: email @*email",
            )
            .weight(4),
            Tool::new(
                "deals",
                "stage?: i =1|2|3; owner?: i @owner",
                "result[].id: i @deal; result[].name: s; result[].stage: i",
            )
            .weight(5),
            Tool::new(
                "deal",
                "id: i @deal",
                "id: i ! @deal; name: s; company.id: i @company; owner.id: i @owner; stage: i; value: n",
            )
            .weight(4),
            Tool::new("deal_update", "id: i @deal; stage: i =1|2|3", "id: i ! @deal; stage: i !")
                .acts()
                .weight(3),
            Tool::new("owners", "", "result[].id: i @owner; result[].name: s").weight(3).bare(),
            Tool::new("owner", "id: i @owner", "id: i ! @owner; name: s; deals_open: i"),
            Tool::new(
                "deal_create",
                "company: i @company; owner: i @owner; name: s =Renewal|Pilot; value: n =500|900",
                "id: i @deal",
            )
            .acts(),
            Tool::new("contact_delete", "id: i @contact", "ok: b").acts().weight(1),
            Tool::new("log", "deal: i @deal; contact?: i @contact; minutes: i =5|15|30", "id: i @activity")
                .acts(),
            Tool::new("activity", "id: i @activity", "deal.id: i @deal; minutes: i").weight(2),
            Tool::new("company_merge", "id: i @company; into: i @company", "ok: b").acts().weight(0),
        ],
        data,
        run,
        kinds: &[
            ("company", "companies", "id"),
            ("contact", "contacts", "id"),
            ("deal", "deals", "id"),
            ("owner", "owners", "id"),
            ("activity", "activities", "id"),
            ("*email", "contacts", "email"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let id = &a["id"];
    let nested = |row: &Value, columns: &str, links: &[&str]| {
        let mut out = cols(row, columns);
        for link in links {
            out[*link] = json!({"id": row[*link]});
        }
        out
    };
    Ok(match tool {
        "companies" => json!({"result": d.search("companies", &a["search"], 5, "id,name,employees")}),
        "company" => nested(&d.get("companies", "id", id)?, "id,name,employees", &["owner"]),
        "contacts" => {
            d.get("companies", "id", &a["company"])?;
            json!({"result": d.list("contacts", "company", &a["company"], "id,name,email")})
        }
        "contact" => nested(&d.get("contacts", "id", id)?, "id,name,email", &["company"]),
        "deals" => {
            let rows = d.list("deals", "owner", &a["owner"], "id,name,stage");
            let rows: Vec<&Value> = rows
                .as_array()
                .into_iter()
                .flatten()
                .filter(|row| a["stage"].is_null() || row["stage"] == a["stage"])
                .take(6)
                .collect();
            json!({"result": rows})
        }
        "deal" => nested(&d.get("deals", "id", id)?, "id,name,stage,value", &["company", "owner"]),
        "deal_update" => {
            d.set("deals", "id", id, "stage", a["stage"].clone())?;
            json!({"id": id, "stage": a["stage"]})
        }
        "owners" => json!({"result": d.list("owners", "", &Value::Null, "id,name")}),
        "owner" => {
            let row = d.get("owners", "id", id)?;
            let open = d.list("deals", "owner", id, "id");
            json!({"id": row["id"], "name": row["name"], "deals_open": open.as_array().map_or(0, Vec::len)})
        }
        "deal_create" => {
            d.get("companies", "id", &a["company"])?;
            d.get("owners", "id", &a["owner"])?;
            let id = d.rows("deals").len() + 1;
            d.insert(
                "deals",
                json!({"id": id, "name": a["name"], "company": a["company"], "owner": a["owner"], "stage": 1, "value": a["value"]}),
            );
            json!({"id": id})
        }
        "contact_delete" => {
            d.remove("contacts", "id", id)?;
            done()
        }
        "log" => {
            d.get("deals", "id", &a["deal"])?;
            if !a["contact"].is_null() {
                d.get("contacts", "id", &a["contact"])?;
            }
            let id = d.rows("activities").len() + 1;
            d.insert("activities", json!({"id": id, "deal": a["deal"], "minutes": a["minutes"]}));
            json!({"id": id})
        }
        "activity" => nested(&d.get("activities", "id", id)?, "minutes", &["deal"]),
        _ => {
            d.get("companies", "id", id)?;
            d.get("companies", "id", &a["into"])?;
            done()
        }
    })
}

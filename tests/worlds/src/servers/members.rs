//! A library and a gym with equal names for different things: members, items, loans and bookings.

use serde_json::{Value, json};

use crate::data::{Data, cols, done, person, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn library() -> Server {
    let data = Data::default()
        .table("members", 12, |n, r| json!({"member_id": n + 2, "name": person(r), "fines": r.below(5)}))
        .table("items", 18, |n, r| json!({"item_id": n + 1, "title": title(r), "shelf": 1 + r.below(12), "copies": 1 + r.below(4), "year": 1990 + r.below(35)}))
        .table("loans", 10, |n, r| json!({"loan_id": n, "member_id": 3 + r.below(12), "item_id": 2 + r.below(18), "due": r.day()}));
    Server {
        name: "library",
        style: Style::Colliding,
        tools: vec![
            Tool::new("list_members", "page?: i =1|2", "members[].member_id: i @member; members[].name: s; page: i").weight(5),
            Tool::new("get_member", "member_id: i @member", "name: s; fines: n; loan_count: i").weight(4),
            Tool::new("list_items", "query?: s =a|silver|bridge; limit?: i =5|9", "items[].item_id: i @item; items[].title: s; items[].copies: i").weight(6),
            Tool::new("get_item", "item_id: i @item", "title: s; shelf: i @shelf; copies: i; year: i").weight(4),
            Tool::new("check_out", "member_id: i @member; item_id: i @item; weeks: i =1|2|4", "loan_id: i @loan; due: date").acts().weight(5),
            Tool::new("return_item", "loan_id: i @loan", "fine: n").acts().weight(4),
            Tool::new("list_loans", "member?: i @member", "loans[].loan_id: i @loan; loans[].item_id: i @item; loans[].member_id: i @member; loans[].due: date").weight(5),
            Tool::new("renew", "loan: i @loan; weeks: i =1|2", "due: date").acts().weight(3),
            Tool::new("shelf_contents", "shelf: i @shelf", "items[]: i @item").weight(2).bare(),
            Tool::new("reserve_item", "item_id: i @item; member_id: i @member", "position: i").acts().weight(0),
        ],
        data,
        run: run_library,
        kinds: &[("member", "members", "member_id"), ("item", "items", "item_id"), ("loan", "loans", "loan_id"), ("shelf", "items", "shelf")],
    }
}

/// Six members, by the number of the page.
fn page_of_members(d: &Data, a: &Value) -> Value {
    let page = a["page"].as_u64().unwrap_or(1);
    let skip = usize::try_from((page - 1) * 6).unwrap_or(0);
    let rows: Vec<Value> =
        d.rows("members").iter().skip(skip).take(6).map(|row| cols(row, "member_id,name")).collect();
    json!({"members": rows, "page": page})
}

fn run_library(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    Ok(match tool {
        "list_members" => page_of_members(d, a),
        "get_member" => {
            let row = d.get("members", "member_id", &a["member_id"])?;
            json!({"name": row["name"], "fines": row["fines"], "loan_count": d.list("loans", "member_id", &a["member_id"], "due").as_array().map_or(0, Vec::len)})
        }
        "list_items" => {
            json!({"items": d.search("items", &a["query"], a["limit"].as_u64().unwrap_or(8), "item_id,title,copies")})
        }
        "get_item" => cols(&d.get("items", "item_id", &a["item_id"])?, "title,shelf,copies,year"),
        "check_out" => {
            d.get("members", "member_id", &a["member_id"])?;
            d.get("items", "item_id", &a["item_id"])?;
            let id = d.fresh() - 7;
            d.insert("loans", json!({"loan_id": id, "member_id": a["member_id"], "item_id": a["item_id"], "due": "2026-04-01"}));
            json!({"loan_id": id, "due": "2026-04-01"})
        }
        "return_item" => {
            d.remove("loans", "loan_id", &a["loan_id"])?;
            json!({"fine": 0.5})
        }
        "list_loans" => {
            let rows = d.list("loans", "member_id", &a["member"], "loan_id,item_id,member_id,due");
            json!({"loans": rows.as_array().into_iter().flatten().take(6).collect::<Vec<_>>()})
        }
        "renew" => {
            d.get("loans", "loan_id", &a["loan"])?;
            json!({"due": "2026-04-15"})
        }
        "shelf_contents" => {
            d.get("items", "shelf", &a["shelf"])?;
            let rows = d.list("items", "shelf", &a["shelf"], "item_id");
            json!({"items": rows.as_array().into_iter().flatten().map(|row| &row["item_id"]).collect::<Vec<_>>()})
        }
        _ => {
            d.get("members", "member_id", &a["member_id"])?;
            d.get("items", "item_id", &a["item_id"])?;
            json!({"position": 2})
        }
    })
}

pub(crate) fn gym() -> Server {
    let data = Data::default()
        .table("members", 11, |n, r| json!({"member_id": n + 4, "name": person(r), "visits": r.below(30)}))
        .table("items", 8, |n, r| json!({"item_id": n + 3, "title": title(r), "room": 1 + r.below(4)}))
        .table("classes", 9, |n, r| json!({"class_id": n + 1, "title": title(r), "trainer": 1 + r.below(5), "free": r.below(9)}))
        .table("trainers", 5, |n, r| json!({"trainer_id": n, "name": person(r)}));
    Server {
        name: "gym",
        style: Style::Colliding,
        tools: vec![
            Tool::new(
                "list_members",
                "page?: i =1|2",
                "members[].member_id: i @member; members[].name: s; page: i",
            )
            .weight(5),
            Tool::new("get_member", "member_id: i @member", "name: s; visits: i").weight(4),
            Tool::new("list_items", "", "items[].item_id: i @item; items[].title: s; items[].room: i")
                .weight(3),
            Tool::new("get_item", "item_id: i @item", "title: s; room: i; in_use: b").weight(3),
            Tool::new(
                "book_item",
                "member_id: i @member; item_id: i @item; minutes: i =15|30",
                "booking_id: i @booking",
            )
            .acts()
            .weight(4),
            Tool::new("cancel_booking", "booking_id: i @booking", "ok: b").acts().weight(3),
            Tool::new(
                "list_classes",
                "trainer?: i @trainer",
                "classes[].class_id: i @class; classes[].trainer: i @trainer; classes[].free: i",
            )
            .weight(5),
            Tool::new("enroll", "member: i @member; class: i @class", "place: i").acts().weight(5),
            Tool::new("list_trainers", "", "trainers[].trainer_id: i @trainer; trainers[].name: s")
                .weight(3)
                .bare(),
            Tool::new("get_trainer", "trainer_id: i @trainer", "name: s; classes[]: i @class").weight(3),
            Tool::new("class_roster", "class_id: i @class", "roster[]: i @member").weight(3),
            Tool::new("leave_class", "member: i @member; class: i @class", "ok: b").acts().weight(0),
        ],
        data,
        run: run_gym,
        kinds: &[
            ("member", "members", "member_id"),
            ("item", "items", "item_id"),
            ("class", "classes", "class_id"),
            ("trainer", "trainers", "trainer_id"),
            ("booking", "bookings", "booking_id"),
        ],
    }
}

fn run_gym(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    Ok(match tool {
        "list_members" => page_of_members(d, a),
        "get_member" => cols(&d.get("members", "member_id", &a["member_id"])?, "name,visits"),
        "list_items" => json!({"items": d.list("items", "", &Value::Null, "item_id,title,room")}),
        "get_item" => {
            let row = d.get("items", "item_id", &a["item_id"])?;
            json!({"title": row["title"], "room": row["room"], "in_use": false})
        }
        "book_item" => {
            d.get("members", "member_id", &a["member_id"])?;
            d.get("items", "item_id", &a["item_id"])?;
            let id = d.rows("bookings").len() + 1 + usize::try_from(d.fresh() % 3).unwrap_or(0);
            d.insert("bookings", json!({"booking_id": id}));
            json!({"booking_id": id})
        }
        "cancel_booking" => {
            d.remove("bookings", "booking_id", &a["booking_id"])?;
            done()
        }
        "list_classes" => {
            json!({"classes": d.list("classes", "trainer", &a["trainer"], "class_id,trainer,free")})
        }
        "enroll" | "leave_class" => {
            d.get("members", "member_id", &a["member"])?;
            d.get("classes", "class_id", &a["class"])?;
            if tool == "enroll" { json!({"place": 1 + a.to_string().len() % 7}) } else { done() }
        }
        "list_trainers" => json!({"trainers": d.list("trainers", "", &Value::Null, "trainer_id,name")}),
        "get_trainer" => {
            let row = d.get("trainers", "trainer_id", &a["trainer_id"])?;
            let classes = d.list("classes", "trainer", &a["trainer_id"], "class_id");
            json!({"name": row["name"], "classes": classes.as_array().into_iter().flatten().map(|row| &row["class_id"]).collect::<Vec<_>>()})
        }
        _ => {
            d.get("classes", "class_id", &a["class_id"])?;
            let start = usize::try_from(a["class_id"].as_u64().unwrap_or(1)).unwrap_or(1);
            let rows: Vec<Value> =
                d.column("members", "member_id").into_iter().skip(start % 5).take(4).collect();
            json!({"roster": rows})
        }
    })
}

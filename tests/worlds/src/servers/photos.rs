//! A photo library that works with lists of ids: in results, and in arguments.

use serde_json::{Value, json};

use crate::data::{Data, done, person, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("people", 6, |n, r| json!({"id": format!("face-{}", r.hex(6)), "name": person(r), "n": n}))
        .table("albums", 6, |n, r| json!({"id": 900_100 + n * 17, "title": title(r)}));
    let people = data.column("people", "id");
    let albums = data.column("albums", "id");
    let data = data.table("photos", 40, move |_, r| {
        json!({"id": format!("IMG{}", r.hex(10)), "person": people[usize::try_from(r.below(6)).unwrap_or(0)],
               "album": albums[usize::try_from(r.below(6)).unwrap_or(0)], "width": 800 + r.below(3) * 400, "taken": r.day(), "stars": r.below(6)})
    });
    Server {
        name: "photos",
        style: Style::Distinctive,
        tools: vec![
            Tool::new(
                "search_photos",
                "text: s =a|e|IMG|2025 @~photo; max?: i =3|6|12",
                "photo_ids[]: s @photo; found: i",
            )
            .weight(6),
            Tool::new(
                "get_photos",
                "ids[]: s @photo",
                "photos[].width: i; photos[].taken: date; photos[].stars: i; photos[].album: i @album",
            )
            .weight(5),
            Tool::new(
                "list_albums",
                "",
                "albums[].album_id: i @album; albums[].title: s; albums[].cover: s @photo",
            )
            .weight(4),
            Tool::new("album_photos", "album_id: i @album; limit?: i =5|10", "items[]: s @photo").weight(4),
            Tool::new("add_to_album", "album: i @album; photos[]: s @photo", "ok: b").acts().weight(4),
            Tool::new(
                "create_album",
                "title: s =Summer|Family; photo_ids[]?: s @photo",
                "album_id: i @album",
            )
            .acts(),
            Tool::new("faces_in", "photo: s @photo", "faces[].face_id: s @face; faces[].score: n")
                .weight(4)
                .bare(),
            Tool::new(
                "photos_of",
                "people[]: s @face; year?: i =2025|2026",
                "matches[].photo: s @photo; matches[].taken: date",
            )
            .weight(3),
            Tool::new("known_faces", "", "people[].id: s @face; people[].name: s").weight(2),
            Tool::new("share_album", "id: i @album; days?: i =1|7", "link: uri @slink").acts(),
            Tool::new("revoke_share", "link: uri @slink", "ok: b").acts().weight(1),
            Tool::new("export", "photos[]: s @photo; format: enum =zip|tar", "job_id: s @job")
                .acts()
                .weight(3),
            Tool::new("export_status", "job: s @job", "state: s; done: i; of: i").weight(3),
            Tool::new("rate", "photo_id: s @photo; stars: i =1|3|5", "ok: b").acts(),
        ],
        data,
        run,
        kinds: &[
            ("photo", "photos", "id"),
            ("album", "albums", "id"),
            ("face", "people", "id"),
            ("job", "jobs", "id"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let each = |name: &str, table: &str| -> Result<Vec<Value>, String> {
        a[name].as_array().into_iter().flatten().map(|id| d.get(table, "id", id)).collect()
    };
    let ids =
        |rows: &Value| rows.as_array().into_iter().flatten().map(|row| row["id"].clone()).collect::<Vec<_>>();
    Ok(match tool {
        "search_photos" => {
            let found = ids(&d.search("photos", &a["text"], a["max"].as_u64().unwrap_or(8), "id"));
            json!({"found": found.len(), "photo_ids": found})
        }
        "get_photos" => {
            let photos: Vec<Value> = each("ids", "photos")?
                .iter()
                .map(|row| json!({"width": row["width"], "taken": row["taken"], "stars": row["stars"], "album": row["album"]}))
                .collect();
            json!({"photos": photos})
        }
        "list_albums" => {
            let albums: Vec<Value> = d
                .rows("albums")
                .iter()
                .map(|row| {
                    let cover =
                        d.get("photos", "album", &row["id"]).map_or(Value::Null, |photo| photo["id"].clone());
                    json!({"album_id": row["id"], "title": row["title"], "cover": cover})
                })
                .collect();
            json!({"albums": albums})
        }
        "album_photos" => {
            d.get("albums", "id", &a["album_id"])?;
            let limit = usize::try_from(a["limit"].as_u64().unwrap_or(8)).unwrap_or(8);
            json!({"items": ids(&d.list("photos", "album", &a["album_id"], "id")).into_iter().take(limit).collect::<Vec<_>>()})
        }
        "add_to_album" => {
            d.get("albums", "id", &a["album"])?;
            each("photos", "photos")?;
            done()
        }
        "create_album" => {
            each("photo_ids", "photos")?;
            let id = 900_100 + d.fresh() * 17;
            d.insert("albums", json!({"id": id, "title": a["title"]}));
            json!({"album_id": id})
        }
        "faces_in" => {
            let row = d.get("photos", "id", &a["photo"])?;
            json!({"faces": [{"face_id": row["person"], "score": 0.93}]})
        }
        "photos_of" => {
            let mut matches = Vec::new();
            for face in each("people", "people")? {
                let rows = d.list("photos", "person", &face["id"], "id,taken");
                matches.extend(
                    rows.as_array()
                        .into_iter()
                        .flatten()
                        .map(|row| json!({"photo": row["id"], "taken": row["taken"]})),
                );
            }
            json!({"matches": matches})
        }
        "known_faces" => json!({"people": d.list("people", "", &Value::Null, "id,name")}),
        "share_album" => {
            let row = d.get("albums", "id", &a["id"])?;
            let link =
                format!("https://photos.example/s/{}x{}", row["id"].as_u64().unwrap_or(0) * 31, d.fresh());
            d.insert("links", json!({"link": link}));
            json!({"link": link})
        }
        "revoke_share" => {
            d.remove("links", "link", &a["link"])?;
            done()
        }
        "export" => {
            let count = each("photos", "photos")?.len();
            let id = format!("job{}", d.fresh() * 7919);
            d.insert("jobs", json!({"id": id, "of": count}));
            json!({"job_id": id})
        }
        "export_status" => {
            let row = d.get("jobs", "id", &a["job"])?;
            json!({"state": "running", "done": 1, "of": row["of"]})
        }
        _ => {
            d.set("photos", "id", &a["photo_id"], "stars", a["stars"].clone())?;
            done()
        }
    })
}

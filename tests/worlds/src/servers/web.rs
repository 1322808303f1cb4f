//! A web reader: links in results, feeds, bookmarks, downloads to paths, conversions from path to path.

use serde_json::{Value, json};

use crate::data::{Data, done, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("pages", 20, |n, r| {
            let name = title(r);
            json!({"url": format!("https://{}.example/{}-{n}", r.of(&["news", "docs", "blog"]), name.replace(' ', "-")), "title": name, "words": 100 + r.below(900)})
        })
        .table("feeds", 4, |n, r| json!({"feed": format!("https://feeds.example/{n}/{}.xml", r.of(&["top", "new"])), "title": title(r)}))
        .table("bookmarks", 5, |n, r| json!({"id": 70 + n * 9, "folder": r.of(&["read", "later"]), "at": n}));
    Server {
        name: "web",
        style: Style::Distinctive,
        tools: vec![
            Tool::new(
                "web_search",
                "query: s =amber|bridge|silver|garden @~wtitle; count?: i =3|5",
                "results[].url: uri @*url; results[].title: s @wtitle; results[].rank: i",
            )
            .weight(6),
            Tool::new(
                "fetch_page",
                "url: uri @*url",
                "title: s @wtitle; text: s; links[].href: uri @*url; links[].label: s; word_count: i",
            )
            .weight(6),
            Tool::new("list_feeds", "", "feeds[].feed_url: uri @feed,*url; feeds[].title: s").weight(3),
            Tool::new(
                "read_feed",
                "feed: uri @feed; max?: i =2|4",
                "entries[].link: uri @*url; entries[].headline: s; entries[].published: date",
            )
            .weight(4),
            Tool::new(
                "save_bookmark",
                "link: uri @*url; folder?: enum =read|later",
                "bookmark_id: i @bookmark",
            )
            .acts()
            .weight(4),
            Tool::new(
                "list_bookmarks",
                "folder?: enum =read|later",
                "bookmarks[].id: i @bookmark; bookmarks[].address: uri @*url",
            )
            .weight(3),
            Tool::new("delete_bookmark", "bookmark: i @bookmark", "ok: b").acts(),
            Tool::new("archive_page", "page_url: uri @*url", "snapshot.url: uri @*url; snapshot.taken: date")
                .acts(),
            Tool::new("download", "url: uri @*url", "saved_to: s @wpath; bytes: i").acts().weight(4).bare(),
            Tool::new(
                "convert_document",
                "input_path: s @wpath; format: enum =pdf|txt",
                "output_path: s @wpath",
            )
            .acts()
            .weight(3),
            Tool::new("summarize_document", "path: s @wpath; sentences?: i =2|3", "$: s").weight(3),
            Tool::new("page_links", "address: uri @*url", "$: s @>*url").weight(3),
            Tool::new("screenshot", "url: uri @*url; width?: i =800|1200", "file: s @wpath; width: i !")
                .weight(0),
        ],
        data,
        run,
        kinds: &[
            ("*url", "pages", "url"),
            ("feed", "feeds", "feed"),
            ("bookmark", "bookmarks", "id"),
            ("wpath", "downloads", "path"),
            ("wtitle", "pages", "title"),
        ],
    }
}

fn some(d: &Data, seed: u64, count: usize) -> Vec<Value> {
    let skip = usize::try_from(seed % 17).unwrap_or(0);
    d.rows("pages").iter().cycle().skip(skip).take(count).cloned().collect()
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let seed = text(a).bytes().map(u64::from).sum::<u64>();
    let page = |d: &Data, value: &Value| {
        d.get("pages", "url", value).or_else(|_| d.get("feeds", "feed", value)).map_err(|_| "404".to_owned())
    };
    let count = |name: &str| usize::try_from(a[name].as_u64().unwrap_or(3)).unwrap_or(3);
    Ok(match tool {
        "web_search" => {
            let rows: Vec<Value> = some(d, seed, count("count"))
                .iter()
                .enumerate()
                .map(|(at, row)| json!({"url": row["url"], "title": row["title"], "rank": at + 1}))
                .collect();
            json!({"results": rows})
        }
        "fetch_page" => {
            let row = page(d, &a["url"])?;
            let links: Vec<Value> = some(d, seed + 3, 3)
                .iter()
                .map(|row| json!({"href": row["url"], "label": row["title"]}))
                .collect();
            json!({"title": row["title"], "text": "A page.", "links": links, "word_count": row["words"]})
        }
        "list_feeds" => {
            let feeds: Vec<Value> = d
                .rows("feeds")
                .iter()
                .map(|row| json!({"feed_url": row["feed"], "title": row["title"]}))
                .collect();
            json!({"feeds": feeds})
        }
        "read_feed" => {
            d.get("feeds", "feed", &a["feed"])?;
            let rows: Vec<Value> = some(d, seed, count("max"))
                .iter()
                .map(|row| json!({"link": row["url"], "headline": row["title"], "published": "2026-01-09"}))
                .collect();
            json!({"entries": rows})
        }
        "save_bookmark" => {
            page(d, &a["link"])?;
            let id = 70 + d.fresh() * 9;
            d.insert("bookmarks", json!({"id": id, "folder": "read", "at": 1, "address": a["link"]}));
            json!({"bookmark_id": id})
        }
        "list_bookmarks" => {
            let rows = d.list("bookmarks", "folder", &a["folder"], "id,address,at");
            let rows: Vec<Value> = rows
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| {
                    let own = some(d, row["at"].as_u64().unwrap_or(0), 1)[0]["url"].clone();
                    json!({"id": row["id"], "address": row.get("address").cloned().unwrap_or(own)})
                })
                .collect();
            json!({"bookmarks": rows})
        }
        "delete_bookmark" => {
            d.remove("bookmarks", "id", &a["bookmark"])?;
            done()
        }
        "archive_page" => {
            page(d, &a["page_url"])?;
            let url = format!("https://archive.example/{}", 880_000 + d.fresh());
            d.insert("pages", json!({"url": url, "title": "Snapshot", "words": 10}));
            json!({"snapshot": {"url": url, "taken": "2026-02-02"}})
        }
        "download" => {
            page(d, &a["url"])?;
            let path = format!("/downloads/f{}.html", 40_000 + d.fresh());
            d.insert("downloads", json!({"path": path}));
            json!({"saved_to": path, "bytes": seed})
        }
        "convert_document" => {
            let row = d.get("downloads", "path", &a["input_path"])?;
            let path = format!("{}.{}", text(&row["path"]), text(&a["format"]));
            d.insert("downloads", json!({"path": path}));
            json!({"output_path": path})
        }
        "summarize_document" => {
            d.get("downloads", "path", &a["path"])?;
            json!("It says little.")
        }
        "page_links" => {
            page(d, &a["address"])?;
            let lines: Vec<String> =
                some(d, seed, 3).iter().map(|row| format!("* {}", text(&row["url"]))).collect();
            json!(lines.join("\n"))
        }
        _ => {
            page(d, &a["url"])?;
            let path = format!("/downloads/s{}.png", d.fresh());
            d.insert("downloads", json!({"path": path}));
            json!({"file": path, "width": a["width"]})
        }
    })
}

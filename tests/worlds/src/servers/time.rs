//! A time server: zones, clocks, holidays by country, dates that other tools take.

use serde_json::{Value, json};

use crate::data::{Data, text};
use crate::spec::Tool;
use crate::{Server, Style};

const ZONES: &[(&str, &str, &str)] = &[
    ("Europe/Paris", "Paris", "FR"),
    ("Europe/Berlin", "Berlin", "DE"),
    ("America/New_York", "New York", "US"),
    ("Asia/Tokyo", "Tokyo", "JP"),
    ("Africa/Cairo", "Cairo", "EG"),
    ("Asia/Kolkata", "Mumbai", "IN"),
    ("America/Sao_Paulo", "Sao Paulo", "BR"),
];

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("zones", 7, |n, r| {
            let (zone, city, country) = ZONES[usize::try_from(n - 1).unwrap_or(0)];
            json!({"zone": zone, "city": city, "country": country, "offset": r.below(9)})
        })
        .table("holidays", 21, |n, r| {
            let country = ZONES[usize::try_from(n % 7).unwrap_or(0)].2;
            json!({"country": country, "date": r.day(), "name": format!("Day of {}", r.of(&["Work", "Peace", "Sea"]))})
        });
    Server {
        name: "time",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("list_timezones", "region?: enum =Europe|Asia|America", "timezones[]: s @*tz")
                .weight(3),
            Tool::new(
                "find_city",
                "name: s =Paris|Tokyo|Cairo|Berlin",
                "city: s ! @tcity; timezone: s @*tz; country_code: s @country",
            )
            .weight(5),
            Tool::new(
                "get_current_time",
                "timezone: s @*tz =Europe/Paris",
                "timezone: s ! @*tz; datetime: datetime @instant; is_dst: b; week: i",
            )
            .weight(5),
            Tool::new(
                "convert_time",
                "source_timezone: s @*tz; time: datetime @instant; target_timezone: s @*tz",
                "converted: datetime @instant; difference_hours: n",
            )
            .weight(4),
            Tool::new("list_countries", "", "countries{key}: s @country; countries{}: s").bare(),
            Tool::new(
                "list_holidays",
                "country: s @country; year?: i =2025|2026",
                "holidays[].date: date @day; holidays[].name: s",
            )
            .weight(4),
            Tool::new("next_holiday", "country_code: s @country", "date: date @day; in_days: i"),
            Tool::new("is_workday", "day: date @day =2026-05-01; country: s @country", "workday: b"),
            Tool::new("days_between", "start: date @day =2026-01-01; end: date @day", "days: i; weeks: n"),
            Tool::new("add_days", "date: date @day =2026-02-02; days: i =3|7|30", "result: date @day")
                .weight(4),
            Tool::new("format_time", "instant: datetime @instant; style?: enum =short|long", "$: s"),
            Tool::new(
                "sunrise",
                "city: s @tcity; date: date @day =2026-06-21",
                "sunrise: datetime @instant; sunset: datetime @instant",
            )
            .bare(),
        ],
        data,
        run,
        kinds: &[
            ("*tz", "zones", "zone"),
            ("tcity", "zones", "city"),
            ("country", "zones", "country"),
            ("day", "holidays", "date"),
        ],
    }
}

fn instant(seed: &Value) -> String {
    let sum = text(seed).bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    format!(
        "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        1 + sum % 12,
        1 + sum / 12 % 28,
        sum / 400 % 24,
        sum / 9000 % 60,
        sum / 70_000 % 60
    )
}

fn date(value: &Value) -> Result<String, String> {
    let date = text(value);
    if date.len() == 10 && date.starts_with("20") { Ok(date) } else { Err(format!("not a date: {date}")) }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let zone = |value: &Value| d.get("zones", "zone", value);
    Ok(match tool {
        "list_timezones" => {
            let region = a["region"].as_str().unwrap_or_default();
            let zones: Vec<Value> =
                d.column("zones", "zone").into_iter().filter(|zone| text(zone).starts_with(region)).collect();
            json!({"timezones": zones})
        }
        "find_city" => {
            let row = d.get("zones", "city", &a["name"])?;
            json!({"city": row["city"], "timezone": row["zone"], "country_code": row["country"]})
        }
        "get_current_time" => {
            let row = zone(&a["timezone"])?;
            json!({"timezone": row["zone"], "datetime": instant(&json!([a, d.fresh()])), "is_dst": false, "week": 7})
        }
        "convert_time" => {
            zone(&a["source_timezone"])?;
            zone(&a["target_timezone"])?;
            if !text(&a["time"]).contains('T') {
                return Err("not a time".to_owned());
            }
            json!({"converted": instant(a), "difference_hours": 3.5})
        }
        "list_countries" => {
            let mut countries = json!({});
            for row in d.rows("zones") {
                countries[text(&row["country"])] = json!(format!("Land of {}", text(&row["city"])));
            }
            json!({"countries": countries})
        }
        "list_holidays" => {
            d.get("zones", "country", &a["country"])?;
            json!({"holidays": d.list("holidays", "country", &a["country"], "date,name")})
        }
        "next_holiday" => {
            let row = d.get("holidays", "country", &a["country_code"])?;
            json!({"date": row["date"], "in_days": 12})
        }
        "is_workday" => {
            d.get("zones", "country", &a["country"])?;
            let day = date(&a["day"])?;
            json!({"workday": d.get("holidays", "date", &json!(day)).is_err()})
        }
        "days_between" => {
            date(&a["start"])?;
            date(&a["end"])?;
            json!({"days": 14, "weeks": 2.0})
        }
        "add_days" => {
            let day = date(&a["date"])?;
            let add = a["days"].as_u64().unwrap_or(0);
            let of_month: u64 = day[8..].parse().unwrap_or(1);
            json!({"result": format!("{}{:02}", &day[..8], (of_month + add - 1) % 28 + 1)})
        }
        "format_time" => {
            if !text(&a["instant"]).contains('T') {
                return Err("not a time".to_owned());
            }
            json!(format!("at {} o'clock", &text(&a["instant"])[11..16]))
        }
        _ => {
            d.get("zones", "city", &a["city"])?;
            date(&a["date"])?;
            json!({"sunrise": instant(&json!([1, a])), "sunset": instant(&json!([2, a]))})
        }
    })
}

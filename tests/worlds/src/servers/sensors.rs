//! Weather stations: ids are the keys of maps, numbers are read as text, readings look like ids.

use serde_json::{Map, Value, json};

use crate::data::{Data, done, text, title};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("regions", 4, |n, r| json!({"code": format!("R{}", 10 + n * 3), "title": title(r), "stations": 2 + r.below(4)}))
        .table("stations", 11, |n, r| {
            json!({"id": format!("ST-{:04}", 411 + n * 37), "region": format!("R{}", 10 + (1 + r.below(4)) * 3), "height": 20 + r.below(900), "name": title(r)})
        })
        .table("alerts", 9, |n, r| json!({"id": 5000 + n * 3, "station": format!("ST-{:04}", 411 + (1 + r.below(11)) * 37), "level": 1 + r.below(3)}));
    let stations = data.column("stations", "id");
    let data = data.table("probes", 22, move |n, r| {
        let at = usize::try_from(n % stations.len() as u64).unwrap_or(0);
        json!({"id": format!("p{}", r.hex(5)), "station": stations[at], "unit": r.of(&["C", "hPa", "%"]), "last": 1 + r.below(40)})
    });
    Server {
        name: "sensors",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("regions", "", "regions{key}: s @region; regions{}.title: s; regions{}.stations: i")
                .weight(3),
            Tool::new(
                "stations",
                "region?: s @region",
                "stations{key}: s @station; stations{}.name: s; stations{}.height: i",
            )
            .weight(6),
            Tool::new(
                "station_probes",
                "station: s @station",
                "probes{key}: s @probe; probes{}.unit: s; probes{}.last: n",
            )
            .weight(5),
            Tool::new("read_probe", "probe: s @probe; samples?: i =3|5|10", "values[]: n; unit: s; mean: n")
                .weight(5),
            Tool::new(
                "latest",
                "stations[]: s @station",
                "readings{key}: s !; readings{}.temperature: n; readings{}.pressure: n",
            )
            .weight(4),
            Tool::new(
                "open_alerts",
                "region?: s @region",
                "alerts{key}: s @alert; alerts{}.station: s @station; alerts{}.level: i",
            )
            .weight(4),
            Tool::new("acknowledge", "alert: i @alert; note?: s =seen|false alarm", "ok: b").acts().weight(4),
            Tool::new("calibrate", "probe_id: s @probe; offset: n =0.5|1|2", "job: i @job").acts().weight(3),
            Tool::new("calibration_status", "job: i @job", "state: s; progress: i").weight(3),
            Tool::new(
                "nearest_station",
                "lat: n =48.1|52.5|40; lon: n =11.5|13.4|3",
                "id: s @station; distance_km: n",
            )
            .weight(3)
            .bare(),
            Tool::new(
                "region_forecast",
                "code: s @region; days?: i =1|3|7",
                "days[].max: i; days[].min: i; days[].rain: i",
            )
            .weight(3),
            Tool::new(
                "station_history",
                "id: s @station; year?: i =2024|2025",
                "months{key}: s; months{}: n",
            )
            .weight(2),
        ],
        data,
        run,
        kinds: &[
            ("region", "regions", "code"),
            ("station", "stations", "id"),
            ("probe", "probes", "id"),
            ("alert", "alerts", "id"),
            ("job", "jobs", "id"),
        ],
    }
}

/// Rows as a map: the column `key` becomes the key.
fn keyed(rows: &Value, key: &str) -> Value {
    let map: Map<String, Value> = rows
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| {
            let mut rest = row.as_object().cloned().unwrap_or_default();
            rest.remove(key);
            (text(&row[key]), Value::Object(rest))
        })
        .collect();
    Value::Object(map)
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let seed = text(a).bytes().map(u64::from).sum::<u64>();
    Ok(match tool {
        "regions" => {
            json!({"regions": keyed(&d.list("regions", "", &Value::Null, "code,title,stations"), "code")})
        }
        "stations" => {
            json!({"stations": keyed(&d.list("stations", "region", &a["region"], "id,name,height"), "id")})
        }
        "station_probes" => {
            d.get("stations", "id", &a["station"])?;
            json!({"probes": keyed(&d.list("probes", "station", &a["station"], "id,unit,last"), "id")})
        }
        "read_probe" => {
            let row = d.get("probes", "id", &a["probe"])?;
            let count = a["samples"].as_u64().unwrap_or(4);
            let values: Vec<u64> = (0..count).map(|at| (seed + at * 7) % 40).collect();
            json!({"values": values, "unit": row["unit"], "mean": seed % 37})
        }
        "latest" => {
            let mut readings = json!({});
            for id in a["stations"].as_array().into_iter().flatten() {
                d.get("stations", "id", id)?;
                readings[text(id)] = json!({"temperature": seed % 31, "pressure": 990 + seed % 40});
            }
            json!({"readings": readings})
        }
        "open_alerts" => {
            let rows = d.list("alerts", "", &Value::Null, "id,station,level");
            json!({"alerts": keyed(&rows, "id")})
        }
        "acknowledge" => {
            d.get("alerts", "id", &a["alert"])?;
            done()
        }
        "calibrate" => {
            d.get("probes", "id", &a["probe_id"])?;
            let id = 300 + d.fresh() * 7;
            d.insert("jobs", json!({"id": id}));
            json!({"job": id})
        }
        "calibration_status" => {
            d.get("jobs", "id", &a["job"])?;
            json!({"state": "running", "progress": seed % 100})
        }
        "nearest_station" => {
            let rows = d.rows("stations");
            let at = usize::try_from(seed % rows.len() as u64).unwrap_or(0);
            json!({"id": rows[at]["id"], "distance_km": 3.5})
        }
        "region_forecast" => {
            d.get("regions", "code", &a["code"])?;
            json!({"days": [{"max": seed % 30, "min": seed % 9, "rain": seed % 12}]})
        }
        _ => {
            d.get("stations", "id", &a["id"])?;
            json!({"months": {"2025-01": 1.5, "2025-02": 2.5, "2025-03": 4.0}})
        }
    })
}

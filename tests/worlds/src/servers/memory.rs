//! A knowledge graph in the style of the reference memory server: names are ids, inputs are nested
//! lists, outputs repeat what was written.

use serde_json::{Value, json};

use crate::data::{Data, cols, person};
use crate::spec::Tool;
use crate::{Server, Style};

const GRAPH: &str = "entities[].name: s @entity; entities[].entityType: s; entities[].observations[]: s; \
                     relations[].from: s @entity; relations[].to: s @entity; relations[].relationType: s";

pub(crate) fn server() -> Server {
    let data = Data::default().table("entities", 16, |n, r| {
        json!({"name": format!("{}_{n}", person(r).replace(' ', "_")), "entityType": r.of(&["person", "project", "place"]),
               "observations": [format!("likes {}", r.of(&["tea", "rain", "chess"]))]})
    });
    let names = data.column("entities", "name");
    let data = data.table("relations", 12, move |_, r| {
        let mut pick = || names[usize::try_from(r.below(names.len() as u64)).unwrap_or(0)].clone();
        json!({"from": pick(), "to": pick(), "relationType": "knows"})
    });
    Server {
        name: "memory",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("read_graph", "", GRAPH).weight(3),
            Tool::new("search_nodes", "query: s =person|project|tea|chess @~entity", GRAPH).weight(5),
            Tool::new("open_nodes", "names[]: s @entity", GRAPH).weight(5),
            Tool::new(
                "create_entities",
                "entities[].name: s =New_One|New_Two; entities[].entityType: s =person|project; \
                 entities[].observations[]: s =new",
                "entities[].name: s ! @entity; entities[].entityType: s !; entities[].observations[]: s !",
            )
            .acts(),
            Tool::new(
                "create_relations",
                "relations[].from: s @entity; relations[].to: s @entity; relations[].relationType: s =knows|owns",
                "relations[].from: s ! @entity; relations[].to: s ! @entity; relations[].relationType: s !",
            )
            .acts(),
            Tool::new(
                "add_observations",
                "observations[].entityName: s @entity; observations[].contents[]: s =busy|happy",
                "results[].entityName: s ! @entity; results[].addedObservations[]: s !",
            )
            .acts(),
            Tool::new("delete_observations", "deletions[].entityName: s @entity; deletions[].observations[]: s =x", "$: s")
                .acts()
                .weight(1),
            Tool::new("delete_entities", "entityNames[]: s @entity", "$: s").acts().weight(1),
            Tool::new("neighbors", "node: s @entity; depth?: i =1|2", "neighbors[]: s @entity").bare(),
            Tool::new("most_connected", "top?: i =1|3", "ranking[].entity: s @entity; ranking[].degree: i"),
        ],
        data,
        run,
        kinds: &[("entity", "entities", "name")],
    }
}

fn graph(d: &Data, keep: impl Fn(&Value) -> bool) -> Value {
    let entities: Vec<Value> = d
        .rows("entities")
        .iter()
        .filter(|row| keep(row))
        .map(|row| cols(row, "name,entityType,observations"))
        .collect();
    let inside = |name: &Value| entities.iter().any(|row| row["name"] == *name);
    let relations: Vec<&Value> =
        d.rows("relations").iter().filter(|row| inside(&row["from"]) || inside(&row["to"])).collect();
    json!({"relations": relations, "entities": entities})
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let list = |name: &str| a[name].as_array().cloned().unwrap_or_default();
    Ok(match tool {
        "read_graph" => graph(d, |_| true),
        "search_nodes" => {
            let query = a["query"].as_str().unwrap_or_default().to_owned();
            graph(d, |row| row.to_string().contains(&query))
        }
        "open_nodes" => {
            for name in list("names") {
                d.get("entities", "name", &name)?;
            }
            graph(d, |row| list("names").contains(&row["name"]))
        }
        "create_entities" => {
            for entity in list("entities") {
                d.insert("entities", entity);
            }
            json!({"entities": a["entities"]})
        }
        "create_relations" => {
            for relation in list("relations") {
                d.get("entities", "name", &relation["from"])?;
                d.get("entities", "name", &relation["to"])?;
                d.insert("relations", relation);
            }
            json!({"relations": a["relations"]})
        }
        "add_observations" => {
            let mut results = Vec::new();
            for one in list("observations") {
                d.get("entities", "name", &one["entityName"])?;
                results.push(json!({"entityName": one["entityName"], "addedObservations": one["contents"]}));
            }
            json!({"results": results})
        }
        "delete_observations" => {
            for one in list("deletions") {
                d.get("entities", "name", &one["entityName"])?;
            }
            json!("Observations deleted successfully")
        }
        "delete_entities" => {
            for name in list("entityNames") {
                d.remove("entities", "name", &name)?;
            }
            json!("Entities deleted successfully")
        }
        "neighbors" => {
            d.get("entities", "name", &a["node"])?;
            let near: Vec<&Value> = d
                .rows("relations")
                .iter()
                .filter_map(|row| {
                    (row["from"] == a["node"])
                        .then(|| &row["to"])
                        .or((row["to"] == a["node"]).then(|| &row["from"]))
                })
                .collect();
            json!({"neighbors": near})
        }
        _ => {
            let top = usize::try_from(a["top"].as_u64().unwrap_or(2)).unwrap_or(2);
            let rows: Vec<Value> = d
                .rows("relations")
                .iter()
                .take(top)
                .map(|row| json!({"entity": row["from"], "degree": 2}))
                .collect();
            json!({"ranking": rows})
        }
    })
}

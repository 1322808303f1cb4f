//! Whatever a bundle says: it is taken in part or rejected, and what this machine knows stays.

use std::collections::BTreeMap;

use schemascope_compose::Evidence;
use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_registry::exchange::{Authenticity, Bundle, RegistryRow, Team, machine_name};
use schemascope_registry::{Registry, Tool};
use schemascope_shape::HashKey;
use serde_json::value::RawValue;

use super::same;
use crate::counts::Tried;

const KEY: HashKey = HashKey(11, 22);
/// Noon of a day in November 2026.
const NOW: u64 = 1_795_176_000_000;
const OWN: u64 = 1;
const OTHER: u64 = 10;

/// Documents of this machine.
const PLAIN: &[&str] = &[
    r#"{"id":1,"state":"open","lines":[{"sku":"a","price":1.5}],"by":{"2026":1}}"#,
    r#"{"id":2,"state":"shut","lines":[],"by":{"2027":2}}"#,
];

/// Checks a bundle that may be signed, and is signed again where it is not.
pub fn bundles(bytes: &[u8]) -> Result<Tried, String> {
    let text = String::from_utf8_lossy(bytes);
    let refused = Ok(Tried { documents: 1, refused: 1 });
    let Ok(mut bundle) = Bundle::read(&text) else { return refused };
    let signed = bundle.write_signed(KEY);
    if Bundle::verify(&signed, KEY) != Ok(Authenticity::Proven)
        || Bundle::verify(&signed, HashKey(1, 1)).is_ok()
    {
        return Err("a signature is not what it should be".into());
    }
    let _ = Bundle::verify(&text, KEY);
    if bundle.check(KEY).is_err() {
        return refused;
    }
    let now = Timestamp::from_millis(NOW);
    bundle.set_aside(KEY, now, Evidence::check_share);
    if !bundle.set_aside(KEY, now, Evidence::check_share).is_empty() {
        return Err("parts are set aside only at the second look".into());
    }
    let own = machine(OWN, PLAIN.iter().cycle().take(20).map(|document| document.as_bytes()));
    let ids: Vec<&ToolId> = own.keys().chain(bundle.tools.keys()).collect();
    for id in ids {
        taken(id, own.get(id), &bundle)?;
    }
    evidence(&bundle);
    for name in bundle.nodes.keys() {
        let part = bundle.part(name);
        let again = part.clone().updating(name, &part);
        same("a part and itself", part.write().as_bytes(), again.write().as_bytes())?;
    }
    let _ = bundle.write();
    Ok(Tried { documents: 1, refused: 0 })
}

/// Adds the evidence of edges of all machines, which was checked.
fn evidence(bundle: &Bundle) {
    let mut sum = Evidence::default();
    for (id, share) in bundle.nodes.values().flat_map(|node| &node.tools) {
        let position = share.position();
        let limits = (position.calls, position.latest.unwrap_or_default().as_millis());
        if let Some(edges) = share.edges() {
            let _ = sum.add_share(&id.to_string(), edges, limits, (KEY.0, KEY.1));
        }
    }
}

/// Sums are those of the shares, in any order, and no path of this machine is lost.
fn taken(id: &ToolId, own: Option<&Tool>, bundle: &Bundle) -> Result<(), String> {
    let nodes = bundle.nodes.iter().filter(|(name, _)| **name != machine_name(OWN));
    let shares: Vec<_> = nodes.filter_map(|(name, node)| Some((name, node.tools.get(id)?))).collect();
    let sum = |backwards: bool| {
        let mut team = Team::with_key(KEY);
        if let Some(own) = own.filter(|_| !backwards) {
            team.add_own(own, OWN);
        }
        let mut shares = shares.clone();
        if backwards {
            shares.reverse();
        }
        shares.into_iter().for_each(|(name, share)| team.add(name, share.clone()));
        if let Some(own) = own.filter(|_| backwards) {
            team.add_own(own, OWN);
        }
        team.tool().map_err(|error| format!("an accepted share: {error}"))
    };
    let team = sum(false)?;
    same("the sum in another order", &team.shape.to_shared(), &sum(true)?.shape.to_shared())?;
    let calls = shares.iter().map(|(_, share)| share.calls()).sum::<u64>() + own.map_or(0, |own| own.calls);
    if team.calls != calls {
        return Err(format!("{} calls of {calls} are counted", team.calls));
    }
    if team.shape.observations() > team.calls {
        return Err("there are more observations than calls".into());
    }
    if own.is_some_and(|own| team.shape.paths() < own.shape.paths()) {
        return Err("paths of this machine are lost".into());
    }
    let _ = RegistryRow::of(id, &team, None);
    let mut passed_on = Bundle::new(KEY, false);
    passed_on.add_tool(id, &team, None, None);
    let _ = passed_on.write_signed(KEY);
    Ok(())
}

/// A bundle of a machine that has observed these documents.
pub fn seed(documents: &[Vec<u8>]) -> Vec<u8> {
    let tools = machine(OTHER, documents.iter().map(Vec::as_slice).cycle().take(documents.len() * 3));
    let mut bundle = Bundle::new(KEY, documents.len().is_multiple_of(2));
    bundle.add_machines(OTHER, &tools, None, |_| true);
    tools.iter().for_each(|(id, tool)| bundle.add_tool(id, tool, None, None));
    bundle.write().into_bytes()
}

fn machine<'d>(number: u64, documents: impl Iterator<Item = &'d [u8]>) -> BTreeMap<ToolId, Tool> {
    let (mut registry, ids) = (Registry::with_key(KEY), IdSource::new(number, 0));
    let Ok(id) = ToolId::new("shop", "get") else { return BTreeMap::new() };
    let definition = r#"{"name":"get","description":"x","outputSchema":{"type":"object"}}"#.to_owned();
    registry.declare(&id, Timestamp::from_millis(NOW), RawValue::from_string(definition).ok());
    for (n, document) in documents.enumerate() {
        let at = Timestamp::from_millis(NOW - 10_000_000_000 + 50_000_000 * n as u64);
        let document = String::from_utf8_lossy(document);
        let result =
            RawValue::from_string(format!("{{\"content\":[],\"structuredContent\":{document}}}")).ok();
        let call = CallRecord::new(ids.at(at), at, id.clone(), Outcome::Ok, Origin::Proxy);
        registry.record(&CallRecord { result, ..call });
    }
    registry.tools().clone()
}

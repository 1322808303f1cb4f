//! Mixes the fields of alternatives: an instance gets fields that another one has at the same place. *Frozen*.

use schemascope_benches::random::Random;
use serde_json::Value;

use crate::places::objects;

/// One random mixture; none if nothing differs.
pub fn propose(instance: &Value, others: &[Value], random: &mut Random) -> Option<Value> {
    let own = objects(instance);
    let place = (!own.is_empty()).then(|| random.pick(&own))?;
    let donor = if others.is_empty() { instance } else { random.pick(others) };
    let alike: Vec<String> = objects(donor)
        .into_iter()
        .filter(|other| other.general == place.general)
        .map(|other| other.pointer)
        .collect();
    let mut damaged = instance.clone();
    let object = damaged.pointer_mut(&place.pointer)?.as_object_mut()?;
    // Nothing to lend here: an unchanged instance, which the truth accepts, is no damage.
    let lent = (!alike.is_empty()).then(|| random.pick(&alike)).and_then(|pointer| donor.pointer(pointer));
    let Some(other) = lent.and_then(Value::as_object) else { return Some(damaged) };
    let differing: Vec<String> = object
        .iter()
        .filter(|(key, value)| value.is_string() && other.get(*key).is_some_and(|lent| lent != *value))
        .map(|(key, _)| key.clone())
        .collect();
    match random.below(3) {
        // The other's word over the own fields.
        0 if !differing.is_empty() => {
            let key = random.pick(&differing);
            object.insert(key.clone(), other[key].clone());
        }
        // The own word over the other's fields.
        1 if !differing.is_empty() => {
            let key = random.pick(&differing);
            let word = object[key].clone();
            object.clone_from(other);
            object.insert(key.clone(), word);
        }
        _ => {
            for (key, value) in other {
                object.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    Some(damaged)
}

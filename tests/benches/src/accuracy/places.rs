//! Places of values in an instance, as JSON pointers.

use serde_json::Value;

/// One value's place.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its JSON pointer.
    pub pointer: String,
    /// The pointer with every index replaced: alike for all items of an array.
    pub general: String,
}

/// Every value of an instance, the whole first.
pub fn places(instance: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    walk(instance, &Place { pointer: String::new(), general: String::new() }, &mut found);
    found
}

fn walk(value: &Value, place: &Place, found: &mut Vec<Place>) {
    found.push(place.clone());
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                let pointer = format!("{}/{key}", place.pointer);
                let general = format!("{}/{key}", place.general);
                walk(value, &Place { pointer, general }, found);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                let pointer = format!("{}/{at}", place.pointer);
                let general = format!("{}/*", place.general);
                walk(value, &Place { pointer, general }, found);
            }
        }
        _ => {}
    }
}

/// The places of objects.
pub fn objects(instance: &Value) -> Vec<Place> {
    let mut found = places(instance);
    found.retain(|place| instance.pointer(&place.pointer).is_some_and(Value::is_object));
    found
}

/// The fields of these objects: the object's pointer and the name.
pub fn members(objects: &[Place], instance: &Value) -> Vec<(String, String)> {
    let fields = |place: &Place| {
        let object = instance.pointer(&place.pointer).and_then(Value::as_object)?;
        Some(object.keys().map(|key| (place.pointer.clone(), key.clone())).collect::<Vec<_>>())
    };
    objects.iter().filter_map(fields).flatten().collect()
}

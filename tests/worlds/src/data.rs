//! Tables of JSON rows, the data of a simulated server, and a small random generator.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The data of one server.
#[derive(Debug, Clone, Default)]
pub struct Data {
    tables: BTreeMap<&'static str, Vec<Value>>,
    next: u64,
}

/// Whether two ids are the same, also when one is a number and the other its text.
fn same(a: &Value, b: &Value) -> bool {
    a == b || (text(a) == text(b) && !a.is_null() && !a.is_object() && !a.is_array())
}

/// Returns a value as people write it.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the named columns of a row.
pub(crate) fn cols(row: &Value, columns: &str) -> Value {
    let picked: Map<String, Value> =
        columns.split(',').filter_map(|column| Some((column.to_owned(), row.get(column)?.clone()))).collect();
    Value::Object(picked)
}

/// Adds members to an object.
pub(crate) fn with(mut row: Value, more: Value) -> Value {
    if let (Value::Object(row), Value::Object(more)) = (&mut row, more) {
        row.extend(more);
    }
    row
}

impl Data {
    /// Adds `count` rows that `row` makes from their number and a random source.
    pub(crate) fn table(
        mut self,
        name: &'static str,
        count: u64,
        row: impl Fn(u64, &mut Random) -> Value,
    ) -> Self {
        let mut random = Random::new(name.bytes().fold(count, |hash, byte| hash * 31 + u64::from(byte)));
        self.tables.insert(name, (1..=count).map(|number| row(number, &mut random)).collect());
        self.next = self.next.max(count);
        self
    }

    /// Returns the rows of a table.
    pub fn rows(&self, table: &str) -> &[Value] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }

    /// Returns a column of a table.
    pub fn column(&self, table: &str, column: &str) -> Vec<Value> {
        self.rows(table).iter().filter_map(|row| row.get(column)).cloned().collect()
    }

    /// Returns the first row whose column has the value, or an error that names the value.
    pub(crate) fn get(&self, table: &str, column: &str, value: &Value) -> Result<Value, String> {
        let found = self.rows(table).iter().find(|row| row.get(column).is_some_and(|own| same(own, value)));
        found.cloned().ok_or_else(|| format!("not found in {table}: {value}"))
    }

    /// Returns the rows whose column has the value, all rows if it is null, with some columns.
    pub(crate) fn list(&self, table: &str, column: &str, value: &Value, columns: &str) -> Value {
        self.rows(table)
            .iter()
            .filter(|row| value.is_null() || row.get(column).is_some_and(|own| same(own, value)))
            .map(|row| cols(row, columns))
            .collect()
    }

    /// Returns the first `limit` rows whose text contains the words, with some columns.
    pub(crate) fn search(&self, table: &str, words: &Value, limit: u64, columns: &str) -> Value {
        let words = words.as_str().unwrap_or_default().to_lowercase();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let hits: Vec<Value> = self
            .rows(table)
            .iter()
            .filter(|row| row.to_string().to_lowercase().contains(&words))
            .take(limit)
            .map(|row| cols(row, columns))
            .collect();
        Value::Array(hits)
    }

    /// Adds a row.
    pub(crate) fn insert(&mut self, table: &'static str, row: Value) {
        self.tables.entry(table).or_default().push(row);
    }

    /// Sets a member of the row whose column has the value.
    pub(crate) fn set(
        &mut self,
        table: &str,
        column: &str,
        value: &Value,
        member: &str,
        new: Value,
    ) -> Result<(), String> {
        let rows = self.tables.get_mut(table).map_or(&mut [][..], Vec::as_mut_slice);
        let found = rows.iter_mut().find(|row| row.get(column).is_some_and(|own| same(own, value)));
        match found.and_then(Value::as_object_mut) {
            Some(row) => {
                row.insert(member.to_owned(), new);
                Ok(())
            }
            None => Err(format!("not found in {table}: {value}")),
        }
    }

    /// Removes the row whose column has the value.
    pub(crate) fn remove(&mut self, table: &str, column: &str, value: &Value) -> Result<Value, String> {
        let row = self.get(table, column, value)?;
        if let Some(rows) = self.tables.get_mut(table) {
            rows.retain(|other| *other != row);
        }
        Ok(row)
    }

    /// Returns a number that no row has yet.
    pub(crate) fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

/// A small random generator: the same seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns true in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the choices.
    pub(crate) fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        let at = usize::try_from(self.below(choices.len() as u64)).unwrap_or(0);
        choices[at]
    }

    /// Returns `digits` hexadecimal digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let text = format!("{:016x}{:016x}{:016x}", self.next(), self.next(), self.next());
        text[..digits.min(48)].to_owned()
    }

    /// Returns a day of 2025 or 2026.
    pub(crate) fn day(&mut self) -> String {
        format!("{}-{:02}-{:02}", 2025 + self.below(2), 1 + self.below(12), 1 + self.below(28))
    }
}

/// First names, for people.
pub(crate) const PEOPLE: &[&str] = &[
    "Ada", "Boris", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Liam",
    "Mona", "Nils", "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tara",
];

/// Family names.
pub(crate) const FAMILIES: &[&str] = &[
    "Abel", "Brandt", "Costa", "Duarte", "Ekman", "Fischer", "Garcia", "Haas", "Ivanov", "Jansen", "Keller",
    "Lopez", "Moreau", "Novak", "Okafor", "Petrov",
];

/// Words for titles.
pub(crate) const WORDS: &[&str] = &[
    "amber", "bridge", "copper", "delta", "engine", "forest", "garden", "harbor", "island", "jacket",
    "kettle", "lantern", "marble", "needle", "orange", "pepper", "quartz", "ribbon", "silver", "timber",
];

/// Returns a title of two words.
pub(crate) fn title(random: &mut Random) -> String {
    format!("{} {}", random.of(WORDS), random.of(WORDS))
}

/// Returns a person's full name.
pub(crate) fn person(random: &mut Random) -> String {
    format!("{} {}", random.of(PEOPLE), random.of(FAMILIES))
}

/// Returns an empty success.
pub(crate) fn done() -> Value {
    json!({"ok": true})
}

//! What to ask next without a model: the open places of a pursuit, and which of them comes first.
//!
//! Fields come in the example's order. A field whose answer could not be used is asked once more in other words before
//! the others, and again after all of them. Then come items of tables that lack something required, then lists inside
//! items while the budget allows, and last whether anything is missing.

use serde_json::Value;

use crate::budget;
use crate::completeness::{is_filled, progress};
use crate::field::{Field, FieldKind, Table, field_at};
use crate::pointer;
use crate::pursuit::Pursuit;
use crate::record::Question;
use crate::schema::{DiscoverySchema, EXHAUSTED_KEY};

/// Rows of one question that completes a table.
pub(crate) const MAX_ROWS: usize = 20;
/// Items of a list that are looked at for lists inside them.
const MAX_ITEMS: usize = 200;
/// Times a field is asked in a row before others.
const TRIES_IN_A_ROW: usize = 2;

/// A place that a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slot {
    /// The place.
    pub(crate) place: String,
    /// Items of the list there that lack something; empty if it asks for the place itself.
    pub(crate) items: Vec<String>,
    /// Whether it asks for additions to what is filled.
    pub(crate) is_review: bool,
    /// How often it was asked before without success.
    pub(crate) attempts: usize,
    /// The order: round, category, position.
    order: (usize, usize, usize),
}

/// Returns the place that the next question asks for. `None` if nothing is left to ask.
pub(crate) fn next_slot(schema: &DiscoverySchema, pursuit: &Pursuit) -> Option<Slot> {
    let answered = pursuit.asked_in_run().filter(|asked| asked.answered.is_some());
    let closed: Vec<&Question> = answered.map(|asked| &asked.question).collect();
    let found = Finder { schema, pursuit, closed };
    if pursuit.is_complete() {
        return if pursuit.runs.len() > 1 { found.review(true) } else { None };
    }
    let mut slots = found.fields();
    let open_fields = slots.len();
    slots.extend(found.gaps());
    slots.extend(found.lists_in_items(open_fields));
    slots.extend(found.exhausted());
    slots.extend(found.review(false));
    slots.into_iter().min_by_key(|slot| slot.order)
}

struct Finder<'p> {
    schema: &'p DiscoverySchema,
    pursuit: &'p Pursuit,
    /// Questions of this run that were answered.
    closed: Vec<&'p Question>,
}

impl Finder<'_> {
    fn value(&self, place: &str) -> Option<&Value> {
        pointer::get(self.pursuit.aggregate(), place)
    }

    /// How often a place was asked for.
    fn attempts(&self, place: &str) -> usize {
        let about = self.closed.iter().filter(|question| question.place == place);
        about.filter(|question| !question.is_review && question.items.is_empty()).count()
    }

    /// Fields that are not filled.
    fn fields(&self) -> Vec<Slot> {
        let exhausted = pointer::join("", EXHAUSTED_KEY);
        let mut slots = Vec::new();
        for (at, field) in self.schema.fields.iter().enumerate() {
            if field.pointer != exhausted && !is_filled(self.value(&field.pointer)) {
                let attempts = self.attempts(&field.pointer);
                slots.push(slot(&field.pointer, attempts, (attempts / TRIES_IN_A_ROW, 0, at)));
            }
        }
        slots
    }

    /// Items of tables that lack something required, and required places that no field covers.
    fn gaps(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        let missing = progress(self.schema, self.pursuit.aggregate()).missing;
        for (at, place) in missing.iter().enumerate() {
            match self.list_of(place) {
                Some((list, item)) => match slots.iter_mut().find(|slot| slot.place == list) {
                    Some(slot) if slot.items.contains(&item) => {}
                    Some(slot) => slot.items.push(item),
                    None => {
                        let mut gap = slot(&list, 0, (0, 1, at));
                        gap.items.push(item);
                        slots.push(gap);
                    }
                },
                None if !self.is_field(place) => {
                    let covering =
                        self.schema.fields.iter().find(|field| pointer::is_within(place, &field.pointer));
                    let is_table = covering.is_some_and(|field| matches!(field.kind, FieldKind::Table(_)));
                    let place =
                        covering.filter(|_| !is_table).map_or(place.as_str(), |field| field.pointer.as_str());
                    let attempts = self.attempts(place);
                    slots.push(slot(place, attempts, (attempts, 1, at)));
                }
                None => {}
            }
        }
        for slot in slots.iter_mut().filter(|slot| !slot.items.is_empty()) {
            self.choose_rows(slot);
        }
        slots
    }

    /// Keeps the rows that were asked for least often.
    fn choose_rows(&self, slot: &mut Slot) {
        let asked = |item: &String| {
            let about = self.closed.iter().filter(|question| question.place == slot.place);
            about.filter(|question| question.items.contains(item)).count()
        };
        let counts: Vec<usize> = slot.items.iter().map(asked).collect();
        let least = counts.iter().copied().min().unwrap_or(0);
        let rows = slot.items.iter().zip(&counts).filter(|(_, count)| **count == least);
        let rows: Vec<String> = rows.map(|(item, _)| item.clone()).take(MAX_ROWS).collect();
        slot.items = rows;
        slot.attempts = least;
        slot.order.0 = least;
    }

    /// Whether a place is one of the fields, which are asked for anyway.
    fn is_field(&self, place: &str) -> bool {
        self.schema.fields.iter().any(|field| field.pointer == *place && !is_filled(self.value(place)))
            || self.schema.fields.iter().any(|field| pointer::is_within(&field.pointer, place))
    }

    /// Splits a place in an item of a table into the list and the item, if the place is a column.
    fn list_of(&self, place: &str) -> Option<(String, String)> {
        let segments = pointer::segments(place)?;
        let mut list = None;
        let mut value = self.pursuit.aggregate();
        let mut path = String::new();
        for (at, segment) in segments.iter().enumerate() {
            if let Value::Array(items) = value {
                list = Some((path.clone(), segment.clone(), at + 1));
                value = pointer::position(items, segment).and_then(|at| items.get(at))?;
            } else {
                value = value.get(segment).unwrap_or(&Value::Null);
            }
            path = pointer::join(&path, segment);
        }
        let (list, item, start) = list?;
        let table = table_at(self.schema, &list)?;
        let rest =
            segments.get(start..)?.iter().fold(String::new(), |path, segment| pointer::join(&path, segment));
        let is_column = table.columns.iter().any(|column| {
            pointer::is_within(&column.pointer, &rest) || pointer::is_within(&rest, &column.pointer)
        });
        is_column.then_some((list, item))
    }

    /// The first list of objects inside an item that was never asked for. Only asked for while the budget also covers
    /// the fields that are still open.
    fn lists_in_items(&self, open_fields: usize) -> Option<Slot> {
        let reserved = u32::try_from(open_fields + 2).unwrap_or(u32::MAX).saturating_mul(self.schema.cost);
        if !budget::covers(self.pursuit.budget(), self.pursuit.used(), reserved) {
            return None;
        }
        for (at, field) in self.schema.fields.iter().enumerate() {
            let FieldKind::Table(table) = &field.kind else { continue };
            let items = self.value(&field.pointer).and_then(Value::as_array);
            for item in items.into_iter().flatten().take(MAX_ITEMS) {
                let Some((_, id)) = pointer::identity(item) else { continue };
                let item_place = pointer::join(&field.pointer, &pointer::id_segment(id));
                for nested in &table.nested {
                    let place = format!("{item_place}{}", nested.pointer);
                    if !is_filled(self.value(&place)) && self.attempts(&place) == 0 {
                        return Some(slot(&place, 0, (0, 2, at)));
                    }
                }
            }
        }
        None
    }

    /// The question whether anything is missing.
    fn exhausted(&self) -> Option<Slot> {
        if !self.schema.has_exhausted_key() || self.is_exhausted() == Some(true) {
            return None;
        }
        let place = pointer::join("", EXHAUSTED_KEY);
        let attempts = self.attempts(&place);
        Some(slot(&place, attempts, (attempts, 3, 0)))
    }

    fn is_exhausted(&self) -> Option<bool> {
        self.pursuit.aggregate().get(EXHAUSTED_KEY).and_then(Value::as_bool)
    }

    /// The question for additions to the field that was reviewed least often: after something was said to be missing,
    /// or once for each field when a complete pursuit was started again.
    fn review(&self, is_once: bool) -> Option<Slot> {
        if !is_once && self.is_exhausted() != Some(false) {
            return None;
        }
        let reviews = self.closed.iter().filter(|question| question.is_review).count();
        let times = |place: &str| {
            self.closed.iter().filter(|question| question.is_review && question.place == place).count()
        };
        let exhausted = pointer::join("", EXHAUSTED_KEY);
        let fields = self.schema.fields.iter().filter(|field| field.pointer != exhausted);
        let (count, place) =
            fields.map(|field| (times(&field.pointer), &field.pointer)).min_by_key(|(count, _)| *count)?;
        if is_once && count > 0 {
            return None;
        }
        let mut review = slot(place, count, (reviews + 1, 2, 0));
        review.is_review = true;
        Some(review)
    }
}

fn slot(place: &str, attempts: usize, order: (usize, usize, usize)) -> Slot {
    Slot { place: place.to_owned(), items: Vec::new(), is_review: false, attempts, order }
}

/// Returns the form of the list of objects at a place.
pub(crate) fn table_at<'s>(schema: &'s DiscoverySchema, place: &str) -> Option<&'s Table> {
    match field_at(&schema.fields, place).map(|field| &field.kind) {
        Some(FieldKind::Table(table)) => Some(table),
        _ => None,
    }
}

/// Returns the columns that at least one of some items lacks, after the one that identifies them.
pub(crate) fn open_columns<'t>(table: &'t Table, list: Option<&Value>, items: &[String]) -> Vec<&'t Field> {
    let known = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_id = |column: &Field| table.id_key.as_deref() == Some(column.heading().as_str());
    let is_open = |column: &Field| {
        items.iter().any(|item| {
            let item = pointer::position(known, item).and_then(|at| known.get(at));
            !is_filled(item.and_then(|item| pointer::get(item, &column.pointer)))
        })
    };
    let mut columns: Vec<&Field> = table.columns.iter().filter(|column| is_id(column)).collect();
    columns.extend(table.columns.iter().filter(|column| !is_id(column) && is_open(column)));
    columns
}

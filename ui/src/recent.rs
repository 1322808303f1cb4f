//! The newest results beside all of them: what they change in the fields, and the marks of the chart.

use std::collections::HashMap;
use std::sync::Arc;

use schemascope_api::{AuditRow, FieldRow, Recent};
use schemascope_figures::charts::{Mark, MarkKind};

/// Adds to each field its consistency in the newest results.
pub fn with_recent<'a>(fields: impl Iterator<Item = &'a FieldRow>, recent: &Recent) -> Vec<Arc<FieldRow>> {
    let known: HashMap<&str, f64> =
        recent.fields.iter().map(|field| (field.path.as_str(), field.consistency)).collect();
    // Whether the field around the current one, at each depth, is in the newest results.
    let mut around: Vec<bool> = Vec::new();
    let row = |field: &FieldRow| {
        around.truncate(field.depth);
        let is_parent_known = around.last().copied().unwrap_or(recent.results > 0);
        let found = known.get(field.path.as_str()).copied();
        around.resize(field.depth, is_parent_known);
        around.push(found.is_some());
        let recent = found.or(is_parent_known.then_some(0.0)).filter(|_| !field.path.is_empty());
        Arc::new(FieldRow { recent, ..field.clone() })
    };
    fields.map(row).collect()
}

/// Most marks in one chart; the newest are shown.
const MAX_MARKS: usize = 12;

/// Returns the newest events that belong in the chart, oldest first. Counts begin again where other results are learned
/// from.
pub fn marks(entries: &[AuditRow]) -> Vec<Mark> {
    let mark = |row: &AuditRow| {
        let version = row.version.map(|version| format!("v{version}")).unwrap_or_default();
        let (kind, label) = match row.event.as_str() {
            "cut" => (MarkKind::Version, version),
            "promote" => (MarkKind::Decision, format!("{version} promoted")),
            "pin" => (MarkKind::Decision, format!("{version} pinned")),
            "rollback" => (MarkKind::Decision, "rolled back".to_owned()),
            "drift" => (MarkKind::Drift, "drift".to_owned()),
            _ => return None,
        };
        Some(Mark { results: row.observation_count?, kind, label }).filter(|_| !row.undone)
    };
    let is_same = |row: &&AuditRow| row.undone || !row.event.starts_with("learn_");
    let mut marks: Vec<Mark> = entries.iter().take_while(is_same).filter_map(mark).collect();
    marks.sort_by_key(|mark| mark.results);
    let old = marks.len().saturating_sub(MAX_MARKS);
    marks.split_off(old)
}

#[cfg(test)]
mod tests {
    use schemascope_api::RecentField;

    use super::*;
    use crate::evidence::tests::field;

    fn recent(fields: &[(&str, f64)], results: u64) -> Recent {
        let of = |(path, consistency): &(&str, f64)| RecentField {
            path: (*path).to_owned(),
            present: 1,
            parents: 1,
            types: Vec::new(),
            consistency: *consistency,
        };
        Recent { results, fields: fields.iter().map(of).collect(), windows: Vec::new() }
    }

    #[test]
    fn field_that_is_gone_counts_as_absent_and_its_content_as_unknown() {
        let at = |path: &str, depth| FieldRow { depth, ..field(path, path) };
        let fields = [at("", 0), at("id", 0), at("gone", 0), at("gone.a", 1), at("b", 0), at("b.c", 1)];
        let shown = with_recent(fields.iter(), &recent(&[("id", 1.0), ("b", 0.5)], 50));
        let recent: Vec<Option<f64>> = shown.iter().map(|row| row.recent).collect();
        assert_eq!(recent, [None, Some(1.0), Some(0.0), None, Some(0.5), Some(0.0)]);
    }

    #[test]
    fn without_results_nothing_is_recent() {
        let fields = [field("id", "id")];
        assert_eq!(with_recent(fields.iter(), &recent(&[], 0))[0].recent, None);
    }
}

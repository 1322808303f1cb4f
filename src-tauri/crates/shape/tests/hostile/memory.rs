//! Memory of a shape for documents made to fill everything that is kept of every path.

use schemascope_shape::{Circumstances, Shape};

use crate::judge::{STATE, holds, object, word};

/// Returns a shape of these documents after checking that it is within the bound after each, in
/// memory and written.
fn fits(name: &str, documents: &[String]) -> Shape {
    let mut shape = Shape::new();
    let (mut most, mut now) = (0, 0);
    for (at, document) in documents.iter().enumerate() {
        let circumstances = Circumstances { epoch: at as u32 / 7, stands_for: None };
        let taken = allocation_counter::measure(|| {
            shape.observe_under(document.as_bytes(), circumstances).unwrap();
        });
        most = most.max(now + taken.bytes_max as i64);
        now += taken.bytes_current;
        assert!(now < STATE as i64, "{name}: {now} bytes after document {at}");
    }
    let state = holds(&shape, b"");
    println!(
        "{name}: {} paths, {} of them bare, {:.2} MB, at most {:.2} MB, state {:.2} MB",
        shape.paths(),
        shape.bare_paths(),
        now as f64 / 1e6,
        most as f64 / 1e6,
        state as f64 / 1e6,
    );
    shape
}

/// Returns one of 32 values that are just short enough to be kept together. The first twelve may be
/// tags.
fn text(round: usize) -> String {
    let text = word(round as u64, 8);
    if round % 32 < 12 { format!("\"{text}\"") } else { format!("\"\\u0062{}\"", &text[1..]) }
}

/// Returns a record with this many fields at each level, with keys of this length.
fn tree(width: u64, levels: u32, key: usize, path: u64, leaf: &dyn Fn(u64) -> String) -> String {
    object((0..width).map(|at| {
        let path = path * width + at + 1;
        let below = if levels > 1 { tree(width, levels - 1, key, path, leaf) } else { leaf(path) };
        (format!("{}type", word(path, key - 4)), below)
    }))
}

/// Trees in which every field is a record and a string of 32 values, in the widths that need most
/// memory.
#[test]
fn records_that_may_all_be_unions_stay_bounded() {
    for (width, levels) in [(1, 59), (2, 11), (8, 4), (16, 3)] {
        let documents: Vec<String> = (1..=levels)
            .flat_map(|levels| (0..32).map(move |round| (levels, round)))
            .map(|(levels, round)| tree(width, levels, 60, 0, &|_| text(round)))
            .collect();
        let whole = fits(&format!("records of {width} fields"), &documents);
        if width == 2 {
            assert!(whole.paths() < 4_096 && whole.bare_paths() > 0, "not for the room its tables take");
            let [mut left, mut right] = [0, 1].map(|part| every_second(&documents, part));
            let before = left.clone();
            left.merge(&right).unwrap();
            right.merge(&before).unwrap();
            assert!(left == whole && right == whole);
        }
    }
}

fn every_second(documents: &[String], part: usize) -> Shape {
    let mut shape = Shape::new();
    for (at, document) in documents.iter().enumerate().filter(|(at, _)| at % 2 == part) {
        let circumstances = Circumstances { epoch: at as u32 / 7, stands_for: None };
        shape.observe_under(document.as_bytes(), circumstances).unwrap();
    }
    shape
}

/// Every path has strings, numbers, arrays and records.
#[test]
fn values_of_every_type_stay_bounded() {
    let documents: Vec<String> = (0..36)
        .map(|round| {
            let value = match round % 3 {
                0 => text(round / 3),
                1 => format!("{}", 10_000_000 + round),
                _ => format!("[{}]", ["1", "\"a\"", "null", "true", "[]", "{}", "1.5", "2"].join(",")),
            };
            tree(40, 3, 16, 0, &|path| {
                if path % 40 == round as u64 % 40 { "{\"a\":1}".into() } else { value.clone() }
            })
        })
        .collect();
    fits("values of every type", &documents);
}

/// As many paths as possible, with names as long as possible.
#[test]
fn fields_of_one_record_stay_bounded() {
    let record = |round: usize, key: usize, value: &dyn Fn(u64) -> String| {
        object((0..4_500).map(|at| (word(at + round as u64 % 2, key), value(at))))
    };
    let few: Vec<String> = (0..40).map(|round| record(round, 60, &|_| text(round))).collect();
    fits("few values, long names", &few);
    let data: Vec<String> = (0..40).map(|round| record(round, 128, &|_| text(round))).collect();
    fits("few values, names that are data", &data);
    let many: Vec<String> = (0..12)
        .map(|round| record(round, 60, &|at| format!("\"{}\"", word(at + round as u64, 64))))
        .collect();
    fits("many long values", &many);
    let numbers: Vec<String> = (0..40)
        .map(|round| record(round, 60, &|at| format!("{}", at as usize + 10_000_000 * round)))
        .collect();
    fits("many numbers", &numbers);
}

/// Small documents together need no more memory than a large one.
#[test]
fn small_documents_stay_bounded() {
    let documents: Vec<String> =
        (0..20_000_u64).map(|n| format!("{{\"{}\":\"{n}\"}}", word(n, 12))).collect();
    fits("small documents", &documents);
    let nested = |n: u64| format!("{{\"{}\":{{\"{}\":[{n}]}}}}", word(n / 9, 12), word(n, 12));
    fits("small documents that nest", &(0..10_000).map(nested).collect::<Vec<String>>());
}

/// A merged shape needs no more memory than one that observed everything itself.
#[test]
fn merged_shapes_stay_bounded() {
    let documents = |from: u64| -> Vec<String> {
        (0..34).map(|round| object((from..from + 4_000).map(|at| (word(at, 30), text(round))))).collect()
    };
    let (mut left, right) = (fits("left", &documents(0)), fits("right", &documents(2_000)));
    let mut merged = None;
    let taken = allocation_counter::measure(|| {
        let mut all = left.clone();
        all.merge(&right).unwrap();
        merged = Some(Shape::from_state(&all.to_state()).unwrap());
        drop(all);
    });
    let merged = merged.unwrap();
    assert!(taken.bytes_current < STATE as i64, "{} bytes", taken.bytes_current);
    left.merge(&right).unwrap();
    assert!(left == merged);
    holds(&merged, b"");
}

//! Prints the table and the bars, in Markdown.

use std::time::Duration;

use crate::inputs::Input;
use crate::measure::Measured;
use crate::programs::Role;
use crate::work::told;

/// Times genson-rs's speed that ours must have.
const GENSON_RS: f64 = 3.0;
/// Times the speed of parsing to values that ours must have.
const VALUE: f64 = 0.9;
/// Megabytes that the command may hold.
const RESIDENT: f64 = 64.0;

/// Medians over the rounds of one program on one input.
struct Row {
    role: Role,
    name: &'static str,
    cpu: Duration,
    wall: Duration,
    peak: u64,
    printed: String,
}

fn rows(input: &Input, measured: &[Measured]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for first in measured.iter().filter(|one| one.input == input.name) {
        if rows.iter().any(|row| row.role == first.role) {
            continue;
        }
        let rounds: Vec<&Measured> =
            measured.iter().filter(|one| one.input == input.name && one.role == first.role).collect();
        rows.push(Row {
            role: first.role,
            name: first.name,
            cpu: median(rounds.iter().map(|one| one.cpu).collect()),
            wall: median(rounds.iter().map(|one| one.wall).collect()),
            peak: median(rounds.iter().map(|one| one.peak).collect()),
            printed: first.printed.clone(),
        });
    }
    rows
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Megabytes of the input per second.
fn speed(input: &Input, time: Duration) -> f64 {
    input.bytes as f64 / 1e6 / time.as_secs_f64()
}

/// MB/s of CPU time of a role.
fn speed_of(input: &Input, rows: &[Row], role: Role) -> Option<f64> {
    rows.iter().find(|row| row.role == role).map(|row| speed(input, row.cpu))
}

/// Prints what was measured.
pub fn print(inputs: &[Input], measured: &[Measured]) {
    println!("| input | program | MB/s of CPU time | peak, MB | × genson-rs | × Value |");
    println!("|---|---|---|---|---|---|");
    for input in inputs.iter().filter(|input| !input.hostile) {
        let rows = rows(input, measured);
        let times = |speed: f64, role| {
            speed_of(input, &rows, role)
                .map_or_else(|| "–".to_owned(), |other| format!("{:.2}", speed / other))
        };
        for row in rows.iter().filter(|row| row.role != Role::Emission) {
            let speed = speed(input, row.cpu);
            println!(
                "| {} | {} | {speed:.0} | {:.1} | {} | {} |",
                input.name,
                row.name,
                megabytes(row.peak),
                times(speed, Role::GensonRs),
                times(speed, Role::Value),
            );
        }
    }
    println!(
        "\nEach reads its file line by line, but genson-rs, which reads it whole. Value keeps the order of fields"
    );
    println!("(`preserve_order`), as everywhere in this workspace; serde_json's default is quicker.\n");
    for input in inputs {
        let rows = rows(input, measured);
        let observing = rows.iter().find(|row| row.role == Role::Ours).map_or(f64::NAN, each);
        for row in &rows {
            let (name, peak) = (input.name, megabytes(row.peak));
            let size = input.bytes as f64 / 1e6;
            match row.role {
                Role::Ours => println!(
                    "- {name}, {size:.0} MB, {} documents: {:.2} s CPU, {:.0} MB/s, peak {peak:.1} MB, state {:.1} kB, schema {:.1} kB",
                    number(row, "documents"),
                    row.cpu.as_secs_f64(),
                    speed(input, row.cpu),
                    number(row, "state") / 1e3,
                    number(row, "schema") / 1e3,
                ),
                Role::Emission => println!(
                    "- {name}: observing and emitting a schema after each of {} documents: {:.0} µs of CPU time each; observing alone {observing:.0} µs",
                    number(row, "documents"),
                    each(row),
                ),
                Role::Infer => println!(
                    "- {name}: `schemascope infer`: {:.2} s, {:.0} MB/s, {:.2} s CPU, peak {peak:.1} MB",
                    row.wall.as_secs_f64(),
                    speed(input, row.wall),
                    row.cpu.as_secs_f64(),
                ),
                _ => {}
            }
        }
    }
}

/// A number a program printed.
fn number(row: &Row, what: &str) -> f64 {
    told(&row.printed).map_or(f64::NAN, |said| said[what].as_f64().unwrap_or(f64::NAN))
}

/// Microseconds of CPU time for each document.
fn each(row: &Row) -> f64 {
    row.cpu.as_secs_f64() * 1e6 / number(row, "documents")
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Prints the bars. Whether all that could be measured are passed.
pub fn bars(inputs: &[Input], measured: &[Measured]) -> bool {
    println!();
    let mut passed = true;
    let mut bar = |good: bool, text: String| {
        println!("- {}: {text}", if good { "PASS" } else { "FAIL" });
        passed &= good;
    };
    for input in inputs {
        let rows = rows(input, measured);
        let ours = speed_of(input, &rows, Role::Ours);
        if let (Some(infer), Some(other)) =
            (speed_of(input, &rows, Role::Infer), speed_of(input, &rows, Role::GensonRs))
        {
            let times = infer / other;
            bar(
                times >= GENSON_RS,
                format!("{}: infer {times:.2} × genson-rs, at least {GENSON_RS}", input.name),
            );
        }
        for (role, least, peer) in [(Role::GensonRs, GENSON_RS, "genson-rs"), (Role::Value, VALUE, "Value")] {
            if let (Some(ours), Some(other)) = (ours, speed_of(input, &rows, role)) {
                let times = ours / other;
                bar(times >= least, format!("{}: {times:.2} × {peer}, at least {least}", input.name));
            }
        }
        if let Some(row) = rows.iter().find(|row| row.role == Role::Infer) {
            let peak = megabytes(row.peak);
            bar(peak < RESIDENT, format!("{}: infer holds {peak:.1} MB, less than {RESIDENT}", input.name));
        }
    }
    passed
}

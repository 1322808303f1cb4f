//! Prints the tables, in Markdown.

use crate::contestants::{CALLERS, Role};
use crate::measure::{Kind, Measured, RATE, Sample};
use crate::payload;

/// Prints what was measured.
pub fn print(measured: &Measured) {
    latency_and_rate(measured);
    long(measured);
    steady(measured);
}

fn latency_and_rate(measured: &Measured) {
    println!(
        "| payload | contestant | 1 caller: p50, ms | p99, ms | × bare | {CALLERS} callers: calls/s | × bare | p99, ms | CPU a call, µs | {RATE} calls/s: p50, ms | p99, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (at, payload) in payload::ALL.iter().enumerate() {
        for (role, _) in &measured.present {
            let value = |kind, of: fn(&Sample) -> f64| measured.median(kind, *role, at, of);
            let times = |kind, of: fn(&Sample) -> f64| {
                let bare = measured.median(kind, Role::Bare, at, of)?;
                Some(measured.median(kind, *role, at, of)? / bare)
            };
            let cell = |value: Option<f64>, factor: f64, digits: usize| {
                value
                    .filter(|value| value.is_finite())
                    .map_or_else(|| "–".to_owned(), |value| format!("{:.digits$}", value * factor))
            };
            println!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                payload.name,
                role.name(),
                cell(value(Kind::Alone, |sample| sample.p50), 1e3, 3),
                cell(value(Kind::Alone, |sample| sample.p99), 1e3, 2),
                cell(times(Kind::Alone, |sample| sample.p50), 1.0, 2),
                cell(value(Kind::Together, |sample| sample.rate), 1.0, 0),
                cell(times(Kind::Together, |sample| sample.rate), 1.0, 2),
                cell(value(Kind::Together, |sample| sample.p99), 1e3, 2),
                cell(value(Kind::Together, |sample| sample.cpu), 1e6, 0),
                cell(value(Kind::Paced, |sample| sample.p50), 1e3, 3),
                cell(value(Kind::Paced, |sample| sample.p99), 1e3, 2),
            );
        }
    }
    // Adding to results is what adapting is.
    let changed = measured.present.iter().filter(|(role, same)| !same && *role != Role::Adapt);
    let changed: Vec<&str> = changed.map(|(role, _)| role.name()).collect();
    println!(
        "\n- × bare of a latency is better below 1, of a rate above 1. CPU is that of the proxy's process alone,\n  with what it still does about the calls afterwards."
    );
    println!("- At {RATE} calls/s a call's time counts from when it was due.");
    if !changed.is_empty() {
        println!("- Results are written differently, with the same content, by: {}.", changed.join(", "));
    }
    let bytes = measured.bytes.iter().map(|bytes| format!("{:.1}", *bytes as f64 / 1e3));
    println!("- Bytes of the results, in KB: {}.", bytes.collect::<Vec<_>>().join(", "));
}

fn long(measured: &Measured) {
    println!(
        "\n| recorded, {CALLERS} callers | calls/s | sent | recorded | inferred | left out or dropped | lag at the end, s | resident, MB | peak, MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for long in &measured.long {
        let (resident, peak) = long.memory.map_or((0, 0), |memory| (memory.resident, memory.peak));
        println!(
            "| {} | {:.0} | {} | {} | {} | {} | {:.2} | {:.1} | {:.1} |",
            payload::ALL[long.payload].name,
            long.rate,
            long.sent,
            long.recorded,
            long.inferred,
            long.lost,
            long.lag.as_secs_f64(),
            megabytes(resident),
            megabytes(peak),
        );
    }
}

fn steady(measured: &Measured) {
    println!();
    for steady in &measured.steady {
        let resident = steady.memory.iter().map(|memory| format!("{:.1}", megabytes(memory.resident)));
        println!(
            "- {}, all payloads in turn, MB resident after each tenth of the calls: {}; peak {:.1}",
            steady.role.name(),
            resident.collect::<Vec<_>>().join(" "),
            megabytes(steady.memory.last().map_or(0, |memory| memory.peak)),
        );
    }
}

/// Bytes as megabytes.
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

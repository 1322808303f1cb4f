//! Limits for the cost of the proxy, and whether they are kept.
//!
//! A missed goal is printed and is no failure, because figures of a busy machine say little.

use std::time::Duration;

use crate::contestants::{CALLERS, Role};
use crate::measure::{Kind, Measured, RATE, Sample};
use crate::payload::{self, LARGE};
use crate::report::megabytes;

/// Times the bare forwarder's rate, without recording, where the payload is large and structured.
const LARGE_TIMES: f64 = 3.0;
/// Times the bare forwarder's median at a fixed rate, with recording.
const P50_TIMES: f64 = 1.3;
/// Seconds above the bare forwarder's 99th percentile at a fixed rate, with recording.
const P99_MORE: f64 = 0.5e-3;
/// Seconds that recording may add to the 99th percentile below saturation.
const RECORDING_MORE: f64 = 0.5e-3;
/// Times the rate of the best published proxy, with recording.
const PEER_TIMES: f64 = 2.0;
/// How far the recorder may be behind when the last answer is out.
const LAG: Duration = Duration::from_secs(1);
/// Megabytes resident without and with recording.
const RESIDENT: (f64, f64) = (100.0, 192.0);
/// How much more may be resident at the end than after the first tenth.
const GROWTH: f64 = 1.1;

/// Prints every goal beside what was measured.
pub fn print(measured: &Measured) {
    println!("\n# Goals\n");
    let (mut met, mut all) = (0, 0);
    let mut goal = |good: bool, text: String| {
        println!("- {}: {text}", if good { "met" } else { "MISSED" });
        met += usize::from(good);
        all += 1;
    };
    for (at, payload) in payload::ALL.iter().enumerate() {
        off(measured, at, payload.name, &mut goal);
        on(measured, at, payload.name, &mut goal);
        tail(measured, at, payload.name, &mut goal);
    }
    long(measured, &mut goal);
    steady(measured, &mut goal);
    println!("\n{met} of {all} met");
}

fn off(measured: &Measured, at: usize, name: &str, goal: &mut impl FnMut(bool, String)) {
    let pair = |kind, of: fn(&Sample) -> f64| {
        measured.median(kind, Role::Off, at, of).zip(measured.median(kind, Role::Bare, at, of))
    };
    for (what, of) in [("p50", (|sample| sample.p50) as fn(&Sample) -> f64), ("p99", |sample| sample.p99)] {
        if let Some((own, bare)) = pair(Kind::Alone, of) {
            let text = format!(
                "{name}, recording off, 1 caller: {what} {:.3} ms, bare {:.3}",
                own * 1e3,
                bare * 1e3
            );
            goal(own <= bare, text);
        }
    }
    if let Some((own, bare)) = pair(Kind::Together, |sample| sample.rate) {
        let least = if at == LARGE { LARGE_TIMES } else { 1.0 };
        let times = own / bare;
        goal(
            times >= least,
            format!("{name}, recording off, 16 callers: {times:.2} × bare, at least {least}"),
        );
    }
}

fn on(measured: &Measured, at: usize, name: &str, goal: &mut impl FnMut(bool, String)) {
    let pair = |of: fn(&Sample) -> f64| {
        let bare = measured.median(Kind::Paced, Role::Bare, at, of)?;
        Some((measured.median(Kind::Paced, Role::On, at, of)?, bare))
    };
    if let Some((own, bare)) = pair(|sample| sample.p50) {
        let times = own / bare;
        let text =
            format!("{name}, recording on, {RATE} calls/s: p50 {times:.2} × bare, at most {P50_TIMES}");
        goal(times <= P50_TIMES, text);
    }
    if let Some((own, bare)) = pair(|sample| sample.p99) {
        let more = own - bare;
        let text = format!(
            "{name}, recording on, {RATE} calls/s: p99 {:+.2} ms beside bare, at most {:+.2}",
            more * 1e3,
            P99_MORE * 1e3
        );
        goal(more <= P99_MORE, text);
    }
}

/// What recording adds to the slowest calls, below what the recorder can do at most, and how slow they are beyond that.
fn tail(measured: &Measured, at: usize, name: &str, goal: &mut impl FnMut(bool, String)) {
    let p99 = |kind, role| measured.median(kind, role, at, |sample| sample.p99);
    let peers = measured.present.iter().filter(|(role, _)| role.is_peer());
    for (kind, load) in [
        (Kind::Alone, "1 caller".to_owned()),
        (Kind::Paced, format!("{RATE} calls/s")),
        (Kind::Together, format!("{CALLERS} callers")),
    ] {
        let Some(on) = p99(kind, Role::On) else { continue };
        let on_ms = on * 1e3;
        if is_saturated(measured, kind, at) {
            let best = peers.clone().filter_map(|(role, _)| p99(kind, *role)).min_by(f64::total_cmp);
            if let Some(best) = best {
                let text = format!(
                    "{name}, {load}, saturated: p99 {on_ms:.2} ms with recording, best published proxy {:.2}",
                    best * 1e3
                );
                goal(on < best, text);
            }
        } else if let Some(off) = p99(kind, Role::Off) {
            let text = format!(
                "{name}, {load}: p99 {on_ms:.2} ms with recording, {:.2} without, at most {:+.1}",
                off * 1e3,
                RECORDING_MORE * 1e3
            );
            goal(on - off <= RECORDING_MORE, text);
        }
    }
}

/// Whether callers call as often as they can and, unrecorded, more often than calls of all callers are recorded.
fn is_saturated(measured: &Measured, kind: Kind, at: usize) -> bool {
    let rate = |kind, role| measured.median(kind, role, at, |sample| sample.rate);
    match kind {
        Kind::Alone => {
            rate(kind, Role::Off).zip(rate(Kind::Together, Role::On)).is_some_and(|(off, on)| off > on)
        }
        Kind::Together => true,
        Kind::Paced => false,
    }
}

fn long(measured: &Measured, goal: &mut impl FnMut(bool, String)) {
    for long in &measured.long {
        let name = payload::ALL[long.payload].name;
        let peers = measured.present.iter().filter(|(role, _)| role.is_peer());
        let rates = peers
            .filter_map(|(role, _)| measured.median(Kind::Together, *role, long.payload, |one| one.rate));
        if let Some(best) = rates.max_by(f64::total_cmp) {
            let times = long.rate / best;
            let text =
                format!("{name}, recorded: {times:.2} × the best published proxy, at least {PEER_TIMES}");
            goal(times >= PEER_TIMES, text);
        }
        let complete = long.sent == long.recorded && long.sent == long.inferred && long.lost == 0;
        goal(
            complete,
            format!(
                "{name}, recorded: {} sent, {} recorded, {} inferred, {} left out or dropped",
                long.sent, long.recorded, long.inferred, long.lost
            ),
        );
        let lag = long.lag.as_secs_f64();
        goal(
            long.lag < LAG,
            format!("{name}, recorded: {lag:.2} s behind at the end, less than {}", LAG.as_secs()),
        );
        if let Some(memory) = long.memory {
            let peak = megabytes(memory.peak);
            goal(
                peak < RESIDENT.1,
                format!("{name}, recorded: {peak:.1} MB at most, less than {}", RESIDENT.1),
            );
        }
    }
}

fn steady(measured: &Measured, goal: &mut impl FnMut(bool, String)) {
    for steady in &measured.steady {
        let limit = if steady.role == Role::Off { RESIDENT.0 } else { RESIDENT.1 };
        if let (Some(first), Some(last)) = (steady.memory.first(), steady.memory.last()) {
            let (name, peak) = (steady.role.name(), megabytes(last.peak));
            goal(peak < limit, format!("{name}, many calls: {peak:.1} MB at most, less than {limit}"));
            let times = last.resident as f64 / first.resident as f64;
            let text =
                format!("{name}, many calls: {times:.2} × resident at the end what it was, at most {GROWTH}");
            goal(times <= GROWTH, text);
        }
    }
}

//! Reads the state of Schemascope's recorder.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::http::Connection;
use crate::session::Target;

/// How long the recorder may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(5);

/// Counts since it started.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Calls journaled.
    pub recorded: u64,
    /// Calls counted into shapes.
    pub inferred: u64,
    /// Calls whose bodies were left out, or that were not recorded at all.
    pub lost: u64,
    /// Calls that are not journaled yet.
    waiting: u64,
}

/// Asks once.
pub fn counts(target: &Target) -> Result<Counts> {
    let mut request = target.head("/api/get_report", None);
    write!(request, "2\r\n\r\n{{}}")?;
    let mut connection = Connection::open(&target.address)?;
    let response = connection.exchange(&request)?;
    ensure!(response.status == 200, "get_report was answered with {}", response.status);
    let report: Value = serde_json::from_slice(response.body)?;
    let recorder = &report["recorder"];
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    Ok(Counts {
        recorded: count(&recorder["recorded"]),
        inferred: count(&report["observation_count"]),
        lost: count(&recorder["dropped"]) + count(&recorder["bodies_left_out"]),
        waiting: count(&recorder["waiting"]),
    })
}

/// Waits until nothing waits to be journaled. Gives how long that took as well.
pub fn at_rest(target: &Target) -> Result<(Counts, Duration)> {
    let began = Instant::now();
    loop {
        let counts = counts(target)?;
        if counts.waiting == 0 || began.elapsed() > PATIENCE {
            return Ok((counts, began.elapsed()));
        }
        std::thread::sleep(PAUSE);
    }
}

//! The readiness of a version in words: how later results fit it, what it contains, and whether it can be promoted.

use schemascope_api::Readiness;

use crate::output::{count, counted, time};

/// The readiness of a version, one fact per line, with the verdict last.
pub fn lines(version: u32, readiness: &Readiness) -> Vec<String> {
    let mut lines = vec![since(version, readiness)];
    lines.extend(readiness.drifts.iter().map(|drift| {
        let state = match &drift.acknowledged {
            None => "not acknowledged".to_owned(),
            Some(seen) => format!("acknowledged by {}", seen.name.as_deref().unwrap_or("the user")),
        };
        format!("contains drift {}: {} at {}, {state}", drift.drift, drift.sentence, time(drift.since))
    }));
    lines.push(if readiness.ready {
        "ready to be promoted".to_owned()
    } else {
        format!("not ready: {}", readiness.reasons.join("; "))
    });
    lines
}

/// How results since the creation of the version fit it and its rivals.
fn since(version: u32, readiness: &Readiness) -> String {
    let all = readiness.since.fits + readiness.since.violates;
    let created = time(readiness.created);
    if all == 0 {
        return format!("no stored result since version {version} was created ({created})");
    }
    let newest = if readiness.limited { "the newest " } else { "" };
    let mut text = format!(
        "of {newest}{} since version {version} was created ({created}): {} match it",
        counted(all, "result"),
        count(readiness.since.fits)
    );
    if let Some(rival) = &readiness.effective {
        let name = rival.version.map_or("declared schema".to_owned(), |version| format!("version {version}"));
        text += &format!(", {} match the effective {name}", count(rival.fits.fits));
    }
    if let Some(rival) = &readiness.previous {
        let name = rival.version.map_or_else(String::new, |version| format!(" {version}"));
        text += &format!(", {} match version{name}", count(rival.fits.fits));
    }
    text
}

//! Sentences about what a store repaired when it was opened.

use schemascope_store::{IndexRecovery, Recovery, Salvaged};

/// What was repaired, one sentence each.
pub(super) fn notes(recovery: &Recovery) -> Vec<String> {
    let mut notes = Vec::new();
    match &recovery.index {
        IndexRecovery::Intact => {}
        IndexRecovery::Built => notes.push(format!(
            "there was no index; it was built from the journal ({} entries)",
            recovery.replayed
        )),
        IndexRecovery::Replaced { reason, moved_to } => notes.push(format!(
            "the index was unusable ({reason}); it was moved to {} and rebuilt from the journal",
            moved_to.display()
        )),
    }
    if let Some(Salvaged { calls, without_bodies, states }) = recovery.salvaged {
        notes.push(format!(
            "the journal was damaged and had lost its end; {calls} calls that it lost were restored from the index ({without_bodies} of them without content), with what was learned about {states} tools"
        ));
    } else if let Some(torn) = recovery.torn {
        notes.push(format!(
            "{} bytes of an unfinished write were removed from the end of journal segment {}; no acknowledged call was in them",
            torn.bytes, torn.at.segment
        ));
    }
    notes.extend(recovery.damaged.iter().map(|damage| {
        format!(
            "journal segment {} is damaged at offset {} ({} bytes, {}); the entries there are lost, all others are intact",
            damage.at.segment, damage.at.offset, damage.bytes, damage.reason
        )
    }));
    let unnamed = recovery.damaged_count - recovery.damaged.len() as u64;
    if unnamed > 0 {
        notes.push(format!("and {unnamed} more places like these"));
    }
    notes
}

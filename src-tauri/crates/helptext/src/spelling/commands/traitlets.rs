//! Lists of Jupyter's programs: names at the margin below `Subcommands`, an underline and a paragraph, each above what it
//! does.

use super::is_rule;
use crate::subcommands::is_name;

/// Writes them in the usual way.
pub(super) fn listed(lines: &mut Vec<String>) {
    let is_heading = |at: usize, line: &String| {
        line.trim_end() == "Subcommands"
            && lines.get(at + 1).is_some_and(|below| is_rule(below))
            && lines.get(at + 2).is_some_and(|below| below.starts_with("Subcommands are launched"))
    };
    let Some(heading) = lines.iter().enumerate().position(|(at, line)| is_heading(at, line)) else { return };
    let above = lines.iter().skip(heading).take_while(|line| !line.trim().is_empty()).count();
    let first = heading + above;
    for (at, line) in lines.iter_mut().enumerate().skip(first) {
        if line.starts_with(' ') || line.trim().is_empty() {
            continue;
        }
        // The next heading.
        if at > first && !is_name(line.trim_end()) {
            break;
        }
        line.insert_str(0, "  ");
    }
    lines.splice(heading..first, ["Subcommands:".to_owned()]);
}

//! Long descriptions under a flag as a title, above a list that shows its value: `--output, o:` of kpt.

use std::collections::HashMap;

use crate::patterns::{found, pattern};

pattern!(TITLE, r"^(\s*)(--[\w-]+)(?:, -?\w)?:$");
pattern!(ENTRY, r"^\s*((?:-\w, )?(--[\w-]+)(?:[ =][A-Za-z<\[]\S*)?)(?:\s{2,}\S|$)");

/// Replaces titles by the entries of the same flags, so that both say whether there is a value.
pub(super) fn replace(lines: &mut [String]) {
    let titles: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.ends_with(':') && line.trim_start().starts_with("--"))
        .filter(|(_, line)| found(&TITLE, line).is_some())
        .map(|(at, _)| at)
        .collect();
    if titles.is_empty() {
        return;
    }
    let mut entries: HashMap<String, String> = HashMap::new();
    for line in lines.iter().filter(|line| line.trim_start().starts_with('-') && !line.ends_with(':')) {
        if let Some(captures) = found(&ENTRY, line) {
            entries.entry(captures[2].to_owned()).or_insert_with(|| captures[1].to_owned());
        }
    }
    for at in titles {
        let Some(line) = lines.get_mut(at) else { continue };
        let title = found(&TITLE, line)
            .and_then(|captures| Some(format!("{}{}", &captures[1], entries.get(&captures[2])?)));
        if let Some(title) = title {
            *line = title;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn titles_take_values_from_lists() {
        let text = "Flags:\n\n  --output, o:\n    Where it goes. Allowed values:\n    stdout|unwrap\n\n  --other:\n    Alone.\n\nUsage:\n  x [flags]\n\nFlags:\n  -o, --output string   where it goes\n";
        let options = crate::read(text, "x").options;
        let shown: Vec<String> = options
            .iter()
            .map(|one| format!("{} {} {}", one.flags.join(","), one.value_name, one.choices.join("|")))
            .collect();
        assert_eq!(shown, ["-o,--output string stdout|unwrap", "--other  "]);
    }
}

//! Entries with a colon behind the value, as libxml writes them: `--output file or -o file: save to it`.

use crate::patterns::{found, is_match, pattern};

pattern!(
    ENTRY,
    r"^(\s+)(--?[A-Za-z][\w-]*)((?: '?[a-z][\w-]*'?){0,2}?)(?: or (-\w)(?: [a-z][\w-]*)?)? ?:\s+(\S.*)$"
);
// What only this form has: a value or another spelling.
pattern!(
    TELLING,
    r"^\s+--[A-Za-z][\w-]*(?:(?: '?[a-z][\w-]*'?)(?: or -\w(?: [a-z]+)?)?| or -\w(?: [a-z]+)?):\s+\S"
);

/// Fewest lines of the form.
const LEAST: usize = 3;

/// Writes them in the usual way.
pub(super) fn replace(lines: &mut [String]) {
    if lines.iter().filter(|line| is_match(&TELLING, line)).take(LEAST).count() < LEAST {
        return;
    }
    for line in lines {
        let usual = found(&ENTRY, line).map(|captures| {
            let values = captures[3].replace('\'', "");
            let short = captures.get(4).map(|short| format!("{}, ", short.as_str())).unwrap_or_default();
            format!("{}{short}{}{values}  {}", &captures[1], &captures[2], &captures[5])
        });
        *line = usual.unwrap_or_else(|| std::mem::take(line));
    }
}

#[cfg(test)]
mod tests {
    /// `--output` was a switch, so that the next argument became the file that is written.
    #[test]
    fn values_stand_in_front_of_the_colon() {
        let text = "Usage : x [options] XMLfiles ...\n\t--version : display it\n\t--path 'paths': provide them\n\t--noout : say nothing\n\t--output file or -o file: save to a given file\n\t--repeat or -r: again\n\t--maxmem nbbytes : limit it\n\t--xpath expr: evaluate it\n\t--param name value : pass a pair\n";
        let options = crate::read(text, "x").options;
        let shown: Vec<String> =
            options.iter().map(|one| format!("{} {}", one.flags.join(","), one.value_name)).collect();
        let expected = [
            "--version ",
            "--path paths",
            "--noout ",
            "-o,--output file",
            "-r,--repeat ",
            "--maxmem nbbytes",
            "--xpath expr",
            "--param name value",
        ];
        assert_eq!(shown, expected);
        // Elsewhere, a colon belongs to the description.
        let other = "Usage: x [options]\n\n  -a FILE    read it\n  --mode: the mode\n";
        assert_eq!(crate::read(other, "x").options.len(), 2);
    }
}

//! Values with their types, as NCBI's programs write them: ``-dbtype <String, `nucl', `prot'>``, `-num <Integer, >=1>`.

use crate::patterns::{found, pattern};

/// Most lines of a list.
const MOST: usize = 30;

pattern!(BEGINS, r"^( +-\w+ <)(String|Integer|Real|Boolean), (.*)$");
pattern!(ITEM, r"^(?:Permissible values: )?(?:[`'][^`',<>|\s]+'(?:,? |,)?)+$");

/// Writes lists with bars, and leaves the limits of numbers out.
pub(super) fn bare(lines: &mut Vec<String>) {
    if !lines.iter().any(|line| line.contains("<String, ") || line.contains("<Integer, ")) {
        return;
    }
    let mut bare: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some(captures) = found(&BEGINS, line) else {
            bare.push(line.clone());
            continue;
        };
        let (begins, kind) = (captures[1].to_owned(), captures[2].to_owned());
        let mut rest = captures[3].to_owned();
        let more = lines.iter().skip(at).take(MOST).take_while(|line| !line.trim_start().starts_with('-'));
        let mut taken = 0;
        for line in more {
            if rest.ends_with('>') {
                break;
            }
            rest = format!("{rest} {}", line.trim());
            taken += 1;
        }
        let Some(inner) = rest.strip_suffix('>') else {
            bare.push(line.clone());
            continue;
        };
        at += taken;
        let values: Vec<&str> = inner
            .split(['`', '\'', ',', ' '])
            .filter(|part| !part.is_empty() && !matches!(*part, "Permissible" | "values:"))
            .collect();
        let is_list = found(&ITEM, inner).is_some();
        let value = if is_list { values.join("|") } else { kind };
        bare.push(format!("{begins}{value}>"));
    }
    *lines = bare;
}

#[cfg(test)]
mod tests {
    #[test]
    fn types_are_not_values() {
        let text = "OPTIONS\n -dbtype <String, `nucl', `prot'>\n   Its type\n -matrix <String, `BLOSUM45', `BLOSUM50',\n `PAM250'>\n   Its name\n \
                    -task <String, Permissible values: 'blastp' 'blastp-fast' >\n   Task\n -length <Integer, Permissible values: '16' '18' >\n   Its length\n -num <Integer, >=1>\n   How many\n -e <Real>\n   How much\n -name <String, an open one>\n   Its name\n";
        let options = crate::read(text, "x").options;
        let shown: Vec<String> = options
            .iter()
            .map(|one| format!("{} {} {}", one.flags.join(","), one.value_name, one.choices.join(" ")))
            .collect();
        assert_eq!(
            shown,
            [
                "-dbtype nucl|prot nucl prot",
                "-matrix BLOSUM45|BLOSUM50|PAM250 BLOSUM45 BLOSUM50 PAM250",
                "-task blastp|blastp-fast blastp blastp-fast",
                "-length 16|18 16 18",
                "-num Integer ",
                "-e Real ",
                "-name String ",
            ]
        );
    }
}

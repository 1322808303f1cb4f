//! Values in a table beneath an option.

use super::description::{is_combined, is_free, is_open, is_structured};
use super::{MAX_CHOICES, are_kinds, gives_examples, names_parts};
use crate::hints::bare;

/// The words of a table, if they are the only values. `value` is the name of the option's value as written.
pub(super) fn rows(description: &str, table: &[String], value: &str) -> Vec<String> {
    let are_letters =
        table.iter().all(|value| value.len() == 1 && !value.starts_with(|c: char| c.is_ascii_digit()));
    let are_numbers = table.iter().all(|value| value.parse::<i64>().is_ok());
    let is_lower = |value: &String| !value.starts_with(|c: char| c.is_ascii_uppercase());
    let is_upper = |value: &String| !value.contains(|c: char| c.is_ascii_lowercase());
    let fits = (2..=MAX_CHOICES).contains(&table.len())
        && !are_letters
        && (!is_free(bare(value)) || are_numbers)
        && (table.iter().all(is_lower) || table.iter().all(is_upper))
        && !are_kinds(table)
        && !is_structured(value)
        && !is_combined(description)
        && !is_open(description)
        && !gives_examples(description)
        && !names_parts(description);
    if fits { table.to_vec() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn tables_are_values_if_nothing_says_otherwise() {
        let of = |description: &str, words: &str| {
            let table: Vec<String> = words.split(' ').map(str::to_owned).collect();
            rows(description, &table, "X").join(" ")
        };
        assert_eq!(of("set how", "lan tunnel"), "lan tunnel");
        assert_eq!(of("set how", "0 1 2"), "0 1 2");
        assert_eq!(of("how  no   not  yes  so or any other word", "no yes"), "");
        assert_eq!(of("parts, comma separated", "no yes"), "");
        assert_eq!(of("it has these fields", "author subject"), "");
        assert_eq!(of("how", "no yes NUM"), "");
        assert_eq!(of("how", "a b"), "");
        assert_eq!(of("how", "only"), "");
    }
}

//! What all forms say about the same flags.

use std::collections::HashMap;

use super::form::Form;
use crate::spec::is_literal;

/// Most values that forms begin with.
const MAX_MODES: usize = 200;

/// What all forms say about the same flags.
#[derive(Debug)]
pub(super) struct Mention {
    /// Number of forms that have them outside of brackets, and the latest of these.
    pub(super) required: usize,
    latest: Option<usize>,
    /// Values that forms begin with, each with one as itself (`-Y sign`, `-Y verify`); none if a form has the flags otherwise.
    pub(super) values: Vec<String>,
    is_other: bool,
}

/// What the forms say about each option, by its flags.
pub(super) fn mentions<'f>(forms: &'f [Form<'_>]) -> HashMap<&'f [String], Mention> {
    let mut mentions: HashMap<&[String], Mention> = HashMap::new();
    for (number, form) in forms.iter().enumerate() {
        for (place, option) in form.options.iter().enumerate() {
            let new = Mention { required: 0, latest: None, values: Vec::new(), is_other: false };
            let mention = mentions.entry(&option.spec.flags).or_insert(new);
            if option.required && mention.latest != Some(number) {
                (mention.required, mention.latest) = (mention.required + 1, Some(number));
            }
            match option.spec.values.as_slice() {
                [value] if place == 0 && option.required && mention.takes(value) => {
                    mention.values.push(value.clone());
                }
                _ => (mention.is_other, mention.values) = (true, Vec::new()),
            }
        }
    }
    mentions
}

impl Mention {
    fn takes(&self, value: &String) -> bool {
        let is_new = self.values.len() < MAX_MODES && !self.values.contains(value);
        !self.is_other && is_new && is_literal(value) && !value.contains('|')
    }
}

//! Secrets in help texts: some programs print the values of variables and settings as defaults.

use schemascope_helptext::Definition;
use schemascope_redact::{Redactor, Rules, is_sensitive_key};

/// Takes secrets out of a definition, so that neither files nor agents get them. The user's own rules apply where the
/// definition is recorded.
pub(super) fn remove_secrets(definition: &mut Definition) {
    let Ok(redactor) = Redactor::new(&Rules::default(), []) else { return };
    for option in &mut definition.options {
        if let Some(default) =
            option.default.take_if(|default| is_sensitive_key(&option.property) && !default.is_empty())
        {
            option.description = option.description.replace(&default, "[redacted]");
        }
        if let Some(default) = &mut option.default {
            redact(&redactor, default);
        }
        option.choices.iter_mut().chain([&mut option.description]).for_each(|text| redact(&redactor, text));
    }
    for argument in &mut definition.positionals {
        argument
            .choices
            .iter_mut()
            .chain([&mut argument.description])
            .for_each(|text| redact(&redactor, text));
    }
    let texts = definition.usage.iter_mut().chain(&mut definition.notes).chain([&mut definition.description]);
    let subcommands = definition.subcommands.iter_mut().map(|subcommand| &mut subcommand.description);
    texts.chain(subcommands).for_each(|text| redact(&redactor, text));
}

fn redact(redactor: &Redactor, text: &mut String) {
    if let std::borrow::Cow::Owned(redacted) = redactor.text(text) {
        *text = redacted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_tokens_are_removed() {
        let token = ["gh", "p_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"].concat();
        let text = format!(
            "usage: x [options]\n\nUses {token} by default.\n\noptions:\n  --password TEXT  Password [default: Help_pw1]\n  --level N  Level [default: 3]\n"
        );
        let mut definition = schemascope_helptext::read(&text, "x");
        assert!(serde_json::to_string(&definition).unwrap().contains("Help_pw1"));
        remove_secrets(&mut definition);
        let written = serde_json::to_string(&definition).unwrap();
        assert!(!written.contains("Help_pw1") && !written.contains(&token), "{written}");
        assert!(definition.options.iter().any(|option| option.default.as_deref() == Some("3")), "{written}");
    }
}

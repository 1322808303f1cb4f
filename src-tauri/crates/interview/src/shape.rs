//! What an example allows in answers: types by place, without the values.

use serde_json::Value;

use crate::example::{annotated, choices};
use crate::limits::MAX_DEPTH;

/// Types that an answer may have at one place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Anything: the example says nothing.
    Any,
    /// Text.
    Text,
    /// One of these texts.
    Choice(Vec<String>),
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list whose items have one of these shapes; of anything if there is none.
    List(Vec<Shape>),
    /// An object with these members.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// Its key.
    pub(crate) key: String,
    /// What its value may be.
    pub(crate) shape: Shape,
}

impl Shape {
    /// Reads the shape of an example, which may be annotated.
    pub(crate) fn of(key: &str, example: &Value, depth: usize) -> Self {
        if depth > MAX_DEPTH {
            return Self::Any;
        }
        let (value, comment) = annotated(example);
        if key.ends_with('?') {
            return Self::Boolean;
        }
        match value {
            None | Some(Value::Null) => Self::text_or(comment, None, Self::Any),
            Some(Value::Bool(_)) => Self::Boolean,
            Some(Value::Number(_)) => Self::Number,
            Some(text @ Value::String(_)) => Self::text_or(comment, Some(text), Self::Text),
            Some(Value::Array(items)) => {
                let mut alternatives = Vec::new();
                for item in items {
                    add_alternative(&mut alternatives, Self::of("", item, depth + 1));
                }
                Self::List(alternatives)
            }
            Some(Value::Object(members)) => {
                let own = members.iter().filter(|(key, _)| key.as_str() != "comment");
                let own: Vec<Member> = own
                    .map(|(key, member)| Member { key: key.clone(), shape: Self::of(key, member, depth + 1) })
                    .collect();
                if own.is_empty() { Self::Any } else { Self::Object(own) }
            }
        }
    }

    fn text_or(comment: Option<&str>, example: Option<&Value>, other: Self) -> Self {
        let named = choices(comment, example);
        if named.is_closed { Self::Choice(named.values) } else { other }
    }

    /// Names what is expected, for messages.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Choice(values) => format!("one of {}", values.join(", ")),
            Self::Number => "a number".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Object(members) => {
                let keys: Vec<&str> = members.iter().map(|member| member.key.as_str()).collect();
                format!("an object with {}", keys.join(", "))
            }
        }
    }

    /// Returns the members of an object.
    pub(crate) fn members(&self) -> &[Member] {
        if let Self::Object(members) = self { members } else { &[] }
    }

    /// Returns the shape of a member.
    pub(crate) fn member(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.shape)
    }

    /// Returns the key that identifies an object within a list.
    pub(crate) fn id_key(&self) -> Option<&str> {
        self.members().iter().map(|member| member.key.as_str()).find(|key| key.ends_with("-id"))
    }
}

/// Adds a shape to the alternatives of a list. Objects become one object with the keys of all.
pub(crate) fn add_alternative(alternatives: &mut Vec<Shape>, shape: Shape) {
    if alternatives.contains(&shape) {
        return;
    }
    let same_kind = alternatives.iter_mut().find(|known| is_same_kind(known, &shape));
    match same_kind {
        Some(known) => *known = union(known, &shape),
        None => alternatives.push(shape),
    }
}

fn is_same_kind(one: &Shape, other: &Shape) -> bool {
    matches!(
        (one, other),
        (Shape::Object(_), Shape::Object(_))
            | (Shape::List(_), Shape::List(_))
            | (Shape::Text | Shape::Choice(_), Shape::Text | Shape::Choice(_))
    )
}

/// Returns a shape that allows what either of two allows.
pub(crate) fn union(one: &Shape, other: &Shape) -> Shape {
    match (one, other) {
        (Shape::Any, shape) | (shape, Shape::Any) => shape.clone(),
        (Shape::Object(known), Shape::Object(more)) => {
            let mut members = known.clone();
            for member in more {
                match members.iter_mut().find(|known| known.key == member.key) {
                    Some(known) => known.shape = union(&known.shape, &member.shape),
                    None => members.push(member.clone()),
                }
            }
            Shape::Object(members)
        }
        (Shape::List(known), Shape::List(more)) => {
            let mut alternatives = known.clone();
            for shape in more {
                add_alternative(&mut alternatives, shape.clone());
            }
            Shape::List(alternatives)
        }
        (Shape::Text | Shape::Choice(_), Shape::Text | Shape::Choice(_)) if one != other => Shape::Text,
        _ if one == other => one.clone(),
        _ => Shape::Any,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn list_items_allow_keys_of_all_examples() {
        let example = json!([{"x-id": "a", "n": 1}, {"val": {"x-id": "b", "done?": null}}, "plain"]);
        let Shape::List(alternatives) = Shape::of("list", &example, 0) else { panic!("not a list") };
        assert_eq!(alternatives.len(), 2);
        let item = alternatives.first().unwrap();
        assert_eq!(item.id_key(), Some("x-id"));
        assert_eq!(item.member("done?"), Some(&Shape::Boolean));
        assert_eq!(item.member("n"), Some(&Shape::Number));
    }

    #[test]
    fn comment_names_choices() {
        let example = json!({"val": "human", "comment": "One of: human, place."});
        assert_eq!(Shape::of("k", &example, 0), Shape::Choice(vec!["human".into(), "place".into()]));
        assert_eq!(Shape::of("k", &json!({"comment": "Anything."}), 0), Shape::Any);
    }
}

//! Types of arguments: objects that are built field by field.

use std::fmt::Write;

use super::{MAX_NESTING, about, item, numbers};
use crate::classes::{Classes, Container};
use crate::graph::Graph;
use crate::literal::{rust_comment, script};
use crate::names::{pascal, rust_method};
use crate::types::{Containers, Nodes, Scalars, Type};
use crate::typing::{Object, Types};

/// Any JSON value.
const ANY: &str = "serde_json::Value";

/// The type of the arguments, and those it refers to.
pub(super) fn print(graph: &Graph, classes: &mut Classes<'_>, name: &str, comment: &str) -> String {
    let types = Types::new(graph);
    let mut printer = Printer { types: &types, classes };
    let object = match types.of(0).objects {
        Containers::Either(some) if some.len() == 1 => {
            printer.classes.insert_root(some[0].clone(), name);
            types.object(&some[0])
        }
        _ => Object { fields: Vec::new(), others: Type::ANY },
    };
    let mut text = printer.class(&object, name, comment);
    while let Some((class, nodes)) = printer.classes.next() {
        text += &printer.class(&types.object(&nodes), &class, "An object in arguments.");
    }
    text
}

struct Printer<'p, 'c> {
    types: &'p Types<'p>,
    classes: &'p mut Classes<'c>,
}

impl Printer<'_, '_> {
    fn class(&mut self, object: &Object, name: &str, comment: &str) -> String {
        let (mut arguments, mut sets, mut methods) = (Vec::new(), String::new(), String::new());
        for field in &object.fields {
            let written = self.written(&field.kind, &format!("{name}{}", pascal(&field.name)), 0);
            let (kind, value) = match written.as_str() {
                "String" => ("impl Into<String>".to_owned(), "Into::<String>::into(value)"),
                ANY => ("impl runtime::Argument".to_owned(), "value"),
                _ => (written, "value"),
            };
            let (method, key) = (rust_method(&field.name), script(&field.name));
            if field.required {
                // A pattern must not mean a constant, such as `None`.
                let is_variable = method.starts_with(|first: char| first.is_ascii_lowercase());
                let argument =
                    if is_variable { method.clone() } else { format!("value_{}_", arguments.len() + 1) };
                let _ = write!(sets, "\n            .set({key}, {})", value.replace("value", &argument));
                arguments.push(format!("{argument}: {kind}"));
            }
            let _ = write!(
                methods,
                "\n{}    pub fn {method}(self, value: {kind}) -> Self {{\n        self.set({key}, {value})\n    }}\n",
                about(field)
            );
        }
        let list = match arguments.concat().len() {
            0..60 => arguments.join(", "),
            _ => arguments.iter().fold("\n".to_owned(), |all, one| format!("{all}        {one},\n")) + "    ",
        };
        format!(
            "\nruntime::arguments! {{\n{}    {name}\n}}\n\nimpl {name} {{\n    \
             /// With all that is required.\n    #[allow(clippy::new_without_default, clippy::too_many_arguments)]\n    \
             pub fn new({list}) -> Self {{\n        Self(serde_json::Map::new()){sets}\n    }}\n{methods}}}\n",
            rust_comment(comment, "    ")
        )
    }

    /// A type as it is written.
    fn written(&mut self, kind: &Type, name: &str, depth: usize) -> String {
        if *kind == Type::ANY || !self.classes.count() {
            return ANY.to_owned();
        }
        if depth > MAX_NESTING {
            self.classes.note(format!("arrays in {name} are nested too deeply for a type"));
            return ANY.to_owned();
        }
        let kind = match kind.is_object_at_heart() {
            true => &Type { objects: kind.objects.clone(), ..Type::NEVER },
            false => kind,
        };
        let mut parts: Vec<String> = Vec::new();
        parts.extend((kind.booleans != Scalars::Never).then(|| "bool".to_owned()));
        parts.extend(numbers(&kind.numbers).map(|(_, kind)| kind.to_owned()));
        parts.extend((kind.strings != Scalars::Never).then(|| "String".to_owned()));
        if kind.arrays != Containers::Never {
            parts.push(self.array(&kind.arrays, name, depth));
        }
        match &kind.objects {
            Containers::Never => {}
            Containers::All => parts.push(ANY.to_owned()),
            Containers::Either(alternatives) => {
                for (nodes, class) in self.types.named(alternatives, name) {
                    parts.push(self.object(nodes, &class, depth));
                }
            }
        }
        let text = match parts.as_slice() {
            [] if kind.null => "()".to_owned(),
            [one] if kind.null && one != ANY => format!("Option<{one}>"),
            [one] => one.clone(),
            _ => ANY.to_owned(),
        };
        self.classes.written(text)
    }

    fn object(&mut self, nodes: &Nodes, name: &str, depth: usize) -> String {
        let object = self.types.object(nodes);
        if !object.fields.is_empty() {
            return self.classes.of(self.types, nodes, name).unwrap_or_else(|| ANY.to_owned());
        }
        if object.others == Type::ANY || !self.classes.enter(Container::Object, nodes) {
            return ANY.to_owned();
        }
        let inner = self.written(&object.others, &format!("{name}Value"), depth + 1);
        self.classes.leave(Container::Object, nodes);
        format!("std::collections::BTreeMap<String, {inner}>")
    }

    fn array(&mut self, arrays: &Containers, name: &str, depth: usize) -> String {
        let Containers::Either(alternatives) = arrays else { return format!("Vec<{ANY}>") };
        let entered: Vec<&Nodes> =
            alternatives.iter().take_while(|nodes| self.classes.enter(Container::Array, nodes)).collect();
        let inner = match entered.len() == alternatives.len() {
            true => self.written(&item(self.types, arrays), &format!("{name}Item"), depth + 1),
            false => ANY.to_owned(),
        };
        for nodes in entered {
            self.classes.leave(Container::Array, nodes);
        }
        format!("Vec<{inner}>")
    }
}

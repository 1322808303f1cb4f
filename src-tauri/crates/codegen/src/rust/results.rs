//! Types of results: views that borrow from the value as sent.

use std::fmt::Write;

use serde_json::{Map, json};

use super::{MAX_NESTING, about, item, numbers};
use crate::classes::{Classes, Container};
use crate::graph::{Graph, Node};
use crate::literal::rust_comment;
use crate::names::{pascal, rust_method};
use crate::types::{Containers, Nodes, Scalars, Type};
use crate::typing::{Object, Types};

/// A value of which nothing is known.
const ANY: &str = "runtime::View<'a>";

/// The type of the whole result, and those it refers to. Nodes that unions ask for are added to the graph.
pub(super) fn print(graph: &mut Graph, classes: &mut Classes<'_>, name: &str, comment: &str) -> String {
    let types = Types::new(graph);
    let mut printer = Printer {
        types: &types,
        classes,
        unions: String::new(),
        added: Vec::new(),
        count: graph.nodes.len(),
    };
    let kind = types.of(0);
    let single = match &kind.objects {
        Containers::Either(some) if some.len() == 1 => Some(types.object(&some[0])),
        _ => None,
    };
    let mut text =
        format!("\nruntime::result! {{\n{}    {name}\n}}\n\nimpl {name} {{\n", rust_comment(comment, "    "));
    match single.filter(|_| kind.is_object() || kind.is_object_at_heart()) {
        Some(mut object) => {
            if kind.is_object_at_heart() {
                // Values of other types fit too, and have no fields.
                object.fields.iter_mut().for_each(|field| field.required = false);
            }
            text += &printer.methods(&object, name, true);
        }
        None if kind == Type::ANY || kind.is_object() && kind.objects == Containers::All => {}
        None => {
            let inner = printer.written(&kind, &format!("{name}Root"), 0);
            let _ = writeln!(
                text,
                "    /// The value.\n    pub fn root{} -> Result<{inner}, runtime::Error> {{\n        self.0.read()\n    }}\n",
                receiver(&inner)
            );
        }
    }
    let _ = write!(
        text,
        "    /// Reads a result without a call.\n    pub fn parse(value: serde_json::Value) -> Result<Self, runtime::Error> \
         {{\n        RESULT.parse(value).map(Self)\n    }}\n}}\n"
    );
    while let Some((class, nodes)) = printer.classes.next() {
        let methods = printer.methods(&types.object(&nodes), &class, false);
        let _ = write!(
            text,
            "\nruntime::object! {{\n    {class}\n}}\n\nimpl<'a> {class}<'a> {{\n{}}}\n",
            methods.trim_end_matches('\n').to_owned() + "\n"
        );
    }
    let Printer { unions, added, .. } = printer;
    graph.nodes.extend(added);
    text + &unions
}

/// Number of types that a union of a type's values has, without null.
fn alternatives(kind: &Type) -> usize {
    let scalars = [&kind.booleans, &kind.numbers, &kind.strings];
    let objects = match &kind.objects {
        Containers::Never => 0,
        Containers::All => 1,
        Containers::Either(alternatives) => alternatives.len(),
    };
    scalars.into_iter().filter(|scalars| **scalars != Scalars::Never).count()
        + usize::from(kind.arrays != Containers::Never)
        + objects
}

/// How a method of the whole result takes it.
fn receiver(kind: &str) -> &'static str {
    if kind.contains("'a") { "<'a>(&'a self)" } else { "(&self)" }
}

struct Printer<'p, 'c> {
    types: &'p Types<'p>,
    classes: &'p mut Classes<'c>,
    /// Types of unions.
    unions: String,
    /// Nodes to be added to the graph.
    added: Vec<Node>,
    /// Number of nodes of the graph.
    count: usize,
}

impl Printer<'_, '_> {
    /// A method per field.
    fn methods(&mut self, object: &Object, name: &str, is_root: bool) -> String {
        let mut text = String::new();
        for field in &object.fields {
            let inner = self.written(&field.kind, &format!("{name}{}", pascal(&field.name)), 0);
            let (kind, reader) = match field.required {
                true => (inner, "field"),
                false => (format!("Option<{inner}>"), "optional"),
            };
            let (receiver, view) =
                if is_root { (receiver(&kind), "self.0.view()") } else { ("(&self)", "self.0") };
            let comment = Some(about(field)).filter(|text| !text.is_empty());
            let _ = write!(
                text,
                "{}    pub fn {}{receiver} -> Result<{kind}, runtime::Error> {{\n        {view}.{reader}({})\n    }}\n\n",
                comment.unwrap_or_default(),
                rust_method(&field.name),
                crate::literal::script(&field.name),
            );
        }
        text
    }

    /// A type as it is written.
    fn written(&mut self, kind: &Type, name: &str, depth: usize) -> String {
        if *kind == Type::ANY || *kind == Type::NEVER || !self.classes.count() {
            return ANY.to_owned();
        }
        if depth > MAX_NESTING {
            self.classes.note(format!("arrays in {name} are nested too deeply for a type"));
            return ANY.to_owned();
        }
        if kind.is_object_at_heart() {
            // Classes are views of any value. Maps and unions of classes are read from objects only.
            let has_class = matches!(&kind.objects, Containers::Either(some)
                if some.len() == 1 && !self.types.object(&some[0]).fields.is_empty());
            let objects = Type { objects: kind.objects.clone(), ..Type::NEVER };
            return if has_class { self.written(&objects, name, depth) } else { ANY.to_owned() };
        }
        let text = self.one_or_union(kind, name, depth);
        let text = if kind.null && text != "()" { format!("Option<{text}>") } else { text };
        self.classes.written(text)
    }

    /// A type without null, unless there is nothing else.
    fn one_or_union(&mut self, kind: &Type, name: &str, depth: usize) -> String {
        // The union has its name before the types in it.
        let union = (alternatives(kind) > 1).then(|| self.classes.fresh(name));
        // Name, JSON type, condition and type of each alternative.
        let mut parts: Vec<(String, &str, String, String)> = Vec::new();
        let mut part = |name: &str, json: &'static str, kind: String| {
            parts.push((name.to_owned(), json, String::new(), kind));
        };
        if kind.booleans != Scalars::Never {
            part("Boolean", "Boolean", "bool".to_owned());
        }
        if let Some((name, number)) = numbers(&kind.numbers) {
            part(name, "Number", number.to_owned());
        }
        if kind.strings != Scalars::Never {
            part("Text", "String", "&'a str".to_owned());
        }
        if kind.arrays != Containers::Never {
            part("List", "Array", self.array(&kind.arrays, name, depth));
        }
        match &kind.objects {
            Containers::Never => {}
            Containers::All => part("Object", "Object", ANY.to_owned()),
            Containers::Either(alternatives) => {
                let is_one = alternatives.len() == 1;
                let words = self.types.words(alternatives);
                let is_taken = |word: &String| word == "Self" || parts.iter().any(|(name, ..)| name == word);
                let is_named = !words.is_empty() && !words.iter().any(is_taken);
                for (at, (nodes, class)) in self.types.named(alternatives, name).into_iter().enumerate() {
                    let (variant, condition) = match is_one {
                        true => ("Object".to_owned(), String::new()),
                        false => {
                            let variant =
                                if is_named { words[at].clone() } else { format!("Object{}", at + 1) };
                            (variant, format!(" if view.is({})", self.node(nodes)))
                        }
                    };
                    parts.push((variant, "Object", condition, self.object(nodes, &class, depth)));
                }
            }
        }
        match (union, parts.as_slice()) {
            (Some(union), several) => self.union(union, several),
            (None, [(.., kind), ..]) => kind.clone(),
            (None, []) => "()".to_owned(),
        }
    }

    /// An enum with a variant per alternative.
    fn union(&mut self, enumeration: String, parts: &[(String, &str, String, String)]) -> String {
        let lifetime = if parts.iter().any(|(.., kind)| kind.contains("'a")) { "<'a>" } else { "" };
        let anonymous = if lifetime.is_empty() { "" } else { "<'_>" };
        let mut variants = String::new();
        let (mut arms, mut written) = (String::new(), String::new());
        for (variant, json, condition, kind) in parts {
            let _ = writeln!(variants, "    {variant}({kind}),");
            let _ = writeln!(
                arms,
                "            runtime::Kind::{json}{condition} => view.read().map(Self::{variant}),"
            );
            let _ = writeln!(
                written,
                "            Self::{variant}(value) => serde::Serialize::serialize(value, serializer),"
            );
        }
        let mut names: Vec<String> = parts.iter().map(|(_, json, ..)| json.to_lowercase()).collect();
        names.dedup();
        let _ = write!(
            self.unions,
            "\n/// One of several types.\n#[derive(Debug, Clone)]\npub enum {enumeration}{lifetime} {{\n{variants}}}\n\n\
             impl<'a> runtime::Read<'a> for {enumeration}{lifetime} {{\n    \
             fn read(view: runtime::View<'a>) -> Result<Self, runtime::Error> {{\n        \
             match view.kind() {{\n{arms}            _ => Err(view.unexpected(\"{}\")),\n        }}\n    }}\n}}\n\n\
             impl serde::Serialize for {enumeration}{anonymous} {{\n    \
             fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{\n        \
             match self {{\n{written}        }}\n    }}\n}}\n",
            names.join(" or ")
        );
        enumeration + lifetime
    }

    /// The index of a node that means all of some nodes.
    fn node(&mut self, nodes: &Nodes) -> usize {
        let mut each = nodes.iter().copied();
        if let (Some(single), None) = (each.next(), each.next()) {
            return single;
        }
        let keywords = Map::from_iter([("allOf".to_owned(), json!(nodes))]);
        self.added.push(Node { place: String::new(), keywords, never: false, description: String::new() });
        self.count + self.added.len() - 1
    }

    fn object(&mut self, nodes: &Nodes, name: &str, depth: usize) -> String {
        let object = self.types.object(nodes);
        if !object.fields.is_empty() {
            let class = self.classes.of(self.types, nodes, name);
            return class.map_or_else(|| ANY.to_owned(), |class| class + "<'a>");
        }
        if object.others == Type::ANY || !self.classes.enter(Container::Object, nodes) {
            return ANY.to_owned();
        }
        let inner = self.written(&object.others, &format!("{name}Value"), depth + 1);
        self.classes.leave(Container::Object, nodes);
        format!("runtime::Map<'a, {inner}>")
    }

    fn array(&mut self, arrays: &Containers, name: &str, depth: usize) -> String {
        let Containers::Either(alternatives) = arrays else { return format!("runtime::List<'a, {ANY}>") };
        let entered: Vec<&Nodes> =
            alternatives.iter().take_while(|nodes| self.classes.enter(Container::Array, nodes)).collect();
        let written = match entered.len() == alternatives.len() {
            true => self.items(arrays, alternatives, &format!("{name}Item"), depth),
            false => format!("runtime::List<'a, {ANY}>"),
        };
        for nodes in entered {
            self.classes.leave(Container::Array, nodes);
        }
        written
    }

    fn items(&mut self, arrays: &Containers, alternatives: &[Nodes], name: &str, depth: usize) -> String {
        /// Most items of a tuple that the runtime reads.
        const LONGEST: usize = 8;
        if let [only] = alternatives {
            let array = self.types.array(only);
            let length = array.first.len();
            if array.others == Type::NEVER && (1..=LONGEST).contains(&length) && array.least >= length {
                let each = array.first.iter().enumerate();
                let each: Vec<String> = each
                    .map(|(at, kind)| self.written(kind, &format!("{name}{at}"), depth + 1) + ",")
                    .collect();
                return format!("({})", each.join(" "));
            }
        }
        let kind = item(self.types, arrays);
        format!("runtime::List<'a, {}>", self.written(&kind, name, depth + 1))
    }
}

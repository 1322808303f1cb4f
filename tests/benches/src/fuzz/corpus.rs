//! Documents to begin with, and those that led to something new.
//!
//! Refuses to know: how they are mutated.

use std::collections::HashSet;

use schemascope_benches::random::Random;
use schemascope_benches::text::text;

use crate::input::Input;

/// Documents kept.
const MOST: usize = 3_000;
/// Bytes of one that is learned.
const LONGEST: usize = 6_000;

/// As programs answer, and at the edges of what JSON is.
const PLAIN: &[&str] = &[
    r#"{"id":1,"name":"Ada","email":"ada@example.org","created":"2026-11-21T10:00:00Z","tags":["a","b"],"active":true}"#,
    r#"{"items":[{"sku":"A-1","price":12.5,"stock":{"berlin":3,"oslo":0}},{"sku":"B-2","price":3,"stock":null}],"next":null,"total":2}"#,
    r#"{"type":"message","text":"hello","from":{"id":7,"kind":"user"}}"#,
    r#"{"type":"image","url":"https://example.org/a.png","size":[640,480],"from":{"id":8,"kind":"bot"}}"#,
    r#"{"kind":"a","n":1,"m":2}"#,
    r#"{"kind":"b","s":"x","ok":true}"#,
    r#"{"ok":true,"result":[1,2,3]}"#,
    r#"{"ok":false,"error":{"code":404,"message":"not found"}}"#,
    r#"{"2026-11-20":{"open":1.5,"close":2},"2026-11-21":{"open":2,"close":null},"2026-11-22":{"open":3}}"#,
    r#"{"users":{"u/1":{"n":1},"u/2":{"n":2},"u/3":{"n":"x"}},"count":3}"#,
    r#"{"/etc/passwd":{"mode":420},"/etc/hosts":{"mode":420,"10.0.0.1":["a b"]},"plain":{"mode":1}}"#,
    r#"[[13.4,52.5],[10.7,59.9],[2.35,48.85]]"#,
    r#"["2026-11-21",1,null]"#,
    r#"[{"a":[{"b":[{"c":[{"d":1}]}]}]}]"#,
    r#"{"v":"3f2a8c1e-0000-4000-8000-000000000000","ip":"10.0.0.1","six":"2001:db8::1","at":"10:00:00Z","uri":"urn:a:b"}"#,
    r#"{"status":200,"status_text":"OK","codes":[100,200,300,100,200,300]}"#,
    r#"{"a":1,"a":2,"a":"x","b":{"c":1,"c":[]}}"#,
    r#"{"kind":"a","kind":"b","m":1,"m":2}"#,
    r#"{"kind":"\u0061","m":1}"#,
    r#"{"":{"":{"":null}},"__proto__":[{"__proto__":{}}],"a.b":1,"a/b":2,"\"":3,"\u0000":4,"$ref":"x"}"#,
    r#"{"1234":{"1234":{"1234":{"1234":{"1234":{"x":[1,"a"]}}}}}}"#,
    r#"{"1234":[{"5678":[{"9012":{"w":{"3456":1}}}]}],"w":[{"5678":[{"9012":null}]}]}"#,
    r#"{"replaced":"⟦integer⟧","also":["⟦number⟧","⟦string⟧"],"kind":"⟦string⟧"}"#,
    r#"{"format":"json","limit":10,"deep":{"fields":["id"],"sort":{"by":"name"}}}"#,
    r#"{"format":"csv"}"#,
    r#""\ud83d\ude00 \ud83d \ude00""#,
    "\"a,b\\n1,2\\n\"",
    "{}",
    "[]",
    "\"\"",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1e2",
    "1E-400",
    "1e308",
    "1e309",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    " \n\t{ } ",
    "[[],{},[[]],[{}]]",
    "{\"a\":{},\"b\":[],\"c\":null}",
    "\u{feff}{}",
    "nul",
    "[1,]",
    "{\"a\"}",
    "\"\\x\"",
    "",
];

pub struct Corpus {
    documents: Vec<Vec<u8>>,
    /// Of schemas that were met.
    forms: HashSet<u64>,
}

impl Corpus {
    pub fn new(random: &mut Random) -> Self {
        let mut documents: Vec<Vec<u8>> = PLAIN.iter().map(|text| text.as_bytes().to_vec()).collect();
        for (open, close, levels) in [
            ("[", "]", 70),
            ("{\"a\":", "}", 70),
            ("[{\"a\":", "}]", 40),
            ("{\"1234\":", "}", 65),
            ("[{\"a/b\":", "}]", 31),
        ] {
            documents.push((open.repeat(levels) + "1" + &close.repeat(levels)).into_bytes());
            documents.push((open.repeat(levels / 2) + "\"x\"" + &close.repeat(levels / 2)).into_bytes());
        }
        let kinds =
            ["", "user", "uuid", "email", "date-time", "path", "sentence", "digits", "hostname", "hex"];
        for count in [3, 9, 20, 47, 48, 49, 70, 300] {
            for (key, value) in
                [("", "date"), ("uuid", "uri"), ("user", "digits"), ("date", ""), ("path", "ipv4")]
            {
                let members: Vec<String> = (0..count)
                    .map(|n| match (key, n % 5) {
                        ("", 0) => format!("\"k{n}\":{n}"),
                        ("", 1) => format!("\"k{n}_type\":\"{}\"", n % 3),
                        (_, 2) => format!(
                            "\"{}\":{{\"n\":{n},\"w\":\"{}\"}}",
                            text(key, random),
                            text(value, random)
                        ),
                        _ => format!("\"{}{}\":\"{}\"", text(key, random), n % 7, text(value, random)),
                    })
                    .collect();
                documents.push(format!("{{{}}}", members.join(",")).into_bytes());
            }
            let items: Vec<String> = (0..count)
                .map(|n| format!("{{\"id\":{n},\"v\":\"{}\"}}", text(random.one(&kinds), random)))
                .collect();
            documents.push(format!("{{\"rows\":[{}]}}", items.join(",")).into_bytes());
        }
        documents.push(format!("{{\"{}\":1,\"b\":\"{}\"}}", "k/".repeat(200), "é".repeat(90)).into_bytes());
        Self { documents, forms: HashSet::new() }
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn pick(&self, random: &mut Random) -> &[u8] {
        random.pick::<Vec<u8>>(&self.documents)
    }

    /// Keeps one of the documents where the schema's form is new.
    pub fn learn(&mut self, form: u64, input: &Input, random: &mut Random) {
        let document = random.pick(&input.documents);
        if document.len() > LONGEST || !self.forms.insert(form) {
            return;
        }
        if self.documents.len() < MOST {
            self.documents.push(document.clone());
        } else {
            // Never one of those it began with.
            let at = MOST / 2 + random.below(MOST / 2);
            self.documents[at].clone_from(document);
        }
    }
}

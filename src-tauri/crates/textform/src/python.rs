//! Python literals as `repr` and `pprint` write them: dict, list, tuple, set, string, bytes, number, None, True, False, and
//! what rows of databases have: dates, times, `Decimal('1.5')`, `UUID('…')`.
//!
//! Anything else in the text, such as `array([…])` or `<object at 0x…>`, makes it no literal.

use crate::{MAX_DEPTH, quoted};

/// Returns the literal as JSON. Tuples and sets become lists, bytes become strings of the same code points.
pub(crate) fn read(text: &str) -> Option<String> {
    text.starts_with(['{', '[', '(']).then_some(())?;
    let mut reader = Reader { rest: text, json: String::with_capacity(text.len()) };
    reader.value(MAX_DEPTH)?;
    // An empty tuple says nothing.
    (reader.rest.trim_start().is_empty() && text != "()").then_some(reader.json)
}

struct Reader<'a> {
    rest: &'a str,
    json: String,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.skip_space();
        match self.rest.chars().next()? {
            '{' => self.braces(depth),
            '[' => self.list(depth, ']', false),
            '(' => self.list(depth, ')', true),
            '\'' | '"' | 'b' => {
                let text = self.string()?;
                self.json.push_str(&quoted(&text));
                Some(())
            }
            '-' if self.take("-inf") || self.take("-Infinity") => {
                self.json.push_str("null");
                Some(())
            }
            '-' | '0'..='9' => {
                let number = self.number()?;
                self.json.push_str(number);
                Some(())
            }
            'd' | 'D' | 'U' => self.call(),
            _ => {
                let word = self.word()?;
                self.json.push_str(word);
                Some(())
            }
        }
    }

    /// A value that is written as a call: dates and times in the form of ISO 8601, as JSON has them.
    fn call(&mut self) -> Option<()> {
        if self.take("Decimal(") {
            let digits = self.string()?;
            let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let is_json = is_number && serde_json::from_str::<serde_json::Number>(&digits).is_ok();
            self.json.push_str(if is_json { &digits } else { "null" });
        } else if self.take("UUID(") {
            let id = self.string()?;
            self.json.push_str(&quoted(&id));
        } else {
            self.take("datetime.").then_some(())?;
            let (is_date, is_time) = if self.take("datetime(") {
                (true, true)
            } else if self.take("date(") {
                (true, false)
            } else {
                self.take("time(").then_some(())?;
                (false, true)
            };
            let mut numbers = self.numbers()?.into_iter();
            let mut text = String::new();
            if is_date {
                let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
                text = format!("{year:04}-{month:02}-{day:02}");
            }
            if is_time {
                let (hour, minute) = (numbers.next()?, numbers.next()?);
                let second = numbers.next().unwrap_or(0);
                text += if is_date { "T" } else { "" };
                text += &format!("{hour:02}:{minute:02}:{second:02}");
                if let Some(micros) = numbers.next() {
                    text += &format!(".{micros:06}");
                }
                if self.take("tzinfo=datetime.timezone.utc") {
                    text += "Z";
                }
            }
            numbers.next().is_none().then_some(())?;
            self.json.push_str(&quoted(&text));
        }
        self.take(")").then_some(())
    }

    /// Numbers with commas between them, and the comma behind them if something else follows.
    fn numbers(&mut self) -> Option<Vec<u32>> {
        let mut numbers = Vec::new();
        loop {
            self.skip_space();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return Some(numbers);
            }
            let (number, rest) = self.rest.split_at(digits);
            numbers.push(number.parse().ok()?);
            self.rest = rest;
            if numbers.len() > 7 || !self.take(",") {
                return Some(numbers);
            }
        }
    }

    /// A constant that JSON has, under its name there.
    fn word(&mut self) -> Option<&'static str> {
        let words = [
            ("None", "null"),
            ("True", "true"),
            ("False", "false"),
            ("set()", "[]"),
            ("nan", "null"),
            ("inf", "null"),
            // As `json.dumps` writes what JSON has no number for.
            ("NaN", "null"),
            ("Infinity", "null"),
            ("null", "null"),
            ("true", "true"),
            ("false", "false"),
        ];
        let (_, json) = words.into_iter().find(|(python, _)| self.take(python))?;
        (!self.rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some(json)
    }

    /// A list or, with parentheses, a tuple. A tuple of one ends in a comma.
    fn list(&mut self, depth: usize, end: char, is_tuple: bool) -> Option<()> {
        self.rest = &self.rest[1..];
        self.json.push('[');
        self.items(depth, end, is_tuple, 0)
    }

    /// Items up to the end, after the first `count` of them and their comma.
    fn items(&mut self, depth: usize, end: char, is_tuple: bool, mut count: usize) -> Option<()> {
        let mut end_text = [0; 4];
        let end_text: &str = end.encode_utf8(&mut end_text);
        loop {
            if self.take(end_text) {
                break;
            }
            if count > 0 {
                self.json.push(',');
            }
            self.value(depth)?;
            count += 1;
            if !self.take(",") {
                self.take(end_text).then_some(())?;
                if is_tuple && count == 1 {
                    return None;
                }
                break;
            }
        }
        self.json.push(']');
        Some(())
    }

    /// A dict or a set.
    fn braces(&mut self, depth: usize) -> Option<()> {
        self.rest = &self.rest[1..];
        if self.take("}") {
            self.json.push_str("{}");
            return Some(());
        }
        let start = self.json.len();
        self.json.push('{');
        let before = self.rest;
        // Keys are mostly strings; a set may have anything hashable.
        match self.key() {
            Some(key) if self.take(":") => self.members(depth, key),
            _ => {
                self.rest = before;
                self.json.truncate(start);
                self.json.push('[');
                self.items(depth, '}', false, 0)
            }
        }
    }

    /// Members of a dict, after the first key and its colon.
    fn members(&mut self, depth: usize, first: String) -> Option<()> {
        let mut key = first;
        loop {
            self.json.push_str(&quoted(&key));
            self.json.push(':');
            self.value(depth)?;
            if self.take("}") {
                break;
            }
            self.take(",").then_some(())?;
            if self.take("}") {
                break;
            }
            self.json.push(',');
            key = self.key()?;
            self.take(":").then_some(())?;
        }
        self.json.push('}');
        Some(())
    }

    /// A key, written as Python's `json` writes it.
    fn key(&mut self) -> Option<String> {
        self.skip_space();
        match self.rest.chars().next()? {
            '\'' | '"' => self.string(),
            '-' | '0'..='9' => self.number().map(str::to_owned),
            _ => self.word().filter(|word| *word != "[]").map(str::to_owned),
        }
    }

    fn number(&mut self) -> Option<&'a str> {
        let end = self
            .rest
            .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e'))
            .unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let is_json = serde_json::from_str::<f64>(number).is_ok_and(f64::is_finite);
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        self.rest = rest;
        (is_json && ends).then_some(number)
    }

    fn string(&mut self) -> Option<String> {
        let is_bytes = self.rest.starts_with('b');
        let mut chars = self.rest[usize::from(is_bytes)..].chars();
        let quote = chars.next().filter(|c| matches!(c, '\'' | '"'))?;
        let mut text = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\n' | '\r' => return None,
                '\\' => text.push(escape(&mut chars, is_bytes)?),
                c if is_bytes && !c.is_ascii() => return None,
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(text)
    }
}

/// The character of an escape, after its backslash.
fn escape(chars: &mut std::str::Chars<'_>, is_bytes: bool) -> Option<char> {
    let digits = match chars.next()? {
        c @ ('\\' | '\'' | '"') => return Some(c),
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        'x' => 2,
        'u' if !is_bytes => 4,
        'U' if !is_bytes => 8,
        _ => return None,
    };
    let mut code: u32 = 0;
    for _ in 0..digits {
        code = code.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "values are written where they are expected")]
    fn check(text: &str, expect: Value) {
        let json = read(text).unwrap_or_else(|| panic!("not read: {text}"));
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), expect, "{text}");
    }

    #[test]
    fn read_converts_each_kind_of_literal() {
        check("[{'id': 1, 'name': \"O'Brien\"}]", json!([{"id": 1, "name": "O'Brien"}]));
        check(
            "{'a': None, 'b': True, 'c': False, 'd': -1.5e-05}",
            json!({"a": null, "b": true, "c": false, "d": -1.5e-5}),
        );
        check("(1, ('x',), (), {2, 3}, set())", json!([1, ["x"], [], [2, 3], []]));
        check(
            r#"{'e': 'a\n\\\x00\u20ac\U0001f600\'"', 1: b'\xff"\''}"#,
            json!({"e": "a\n\\\u{0}€😀'\"", "1": "ÿ\"'"}),
        );
        check("{'a': [1,\n       2],\n 'b': {}}", json!({"a": [1, 2], "b": {}}));
        check(
            r#"{"a": NaN, "b": [true, null, -Infinity, Infinity], "c": "x"}"#,
            json!({"a": null, "b": [true, null, null, null], "c": "x"}),
        );
        check("{None: 1, True: 2, 1.5: 3}", json!({"null": 1, "true": 2, "1.5": 3}));
        check("{None, 'a'}", json!([null, "a"]));
        check(
            "[{'d': datetime.date(2026, 1, 2), 't': datetime.time(8, 30), 'p': Decimal('1.50')}]",
            json!([{"d": "2026-01-02", "t": "08:30:00", "p": 1.5}]),
        );
        check(
            "[datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc), UUID('a-b'), nan, -inf]",
            json!(["2026-01-02T03:04:05.000006Z", "a-b", null, null]),
        );
        check("[datetime.datetime(2026, 1, 2, 3, 4), Decimal('NaN')]", json!(["2026-01-02T03:04:00", null]));
        assert_eq!(read("[12345678901234567890123]").unwrap(), "[12345678901234567890123]");
    }

    #[test]
    fn read_rejects_what_is_no_literal() {
        for text in [
            "(see below)",
            "()",
            "(1)",
            "[x]",
            "{'a': array([])}",
            "{'a': <object at 0x7f>}",
            "['a' 'b']",
            "{'a': 1} trailing",
            "{'a'}: 1",
            "{(1, 2): 3}",
            "['a\nb']",
            r"['\ud800']",
            r"['\q']",
            "[01]",
            "[1_000]",
            "[Nonesense]",
            "[datetime.date(2026, 1)]",
            "[datetime.timedelta(days=1)]",
            "[Decimal(1)]",
            "[datetime.date(2026, 1, 2]",
            "[1",
            "{'a': 1,, 'b': 2}",
            "[1, # one\n]",
            "['é",
            "b'x'",
            "'x'",
            "[b'é']",
            "[-]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(100_000)), None);
        assert_eq!(read(&format!("{}{}", "[".repeat(65), "]".repeat(65))), None);
    }

    /// Writes a value as Python's `repr` does.
    fn repr(value: &Value) -> String {
        match value {
            Value::Null => "None".into(),
            Value::Bool(is) => if *is { "True" } else { "False" }.into(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => {
                let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
                let mut written = String::from(quote);
                for c in text.chars() {
                    match c {
                        '\\' => written.push_str("\\\\"),
                        '\n' => written.push_str("\\n"),
                        '\r' => written.push_str("\\r"),
                        '\t' => written.push_str("\\t"),
                        c if c == quote => written.extend(['\\', c]),
                        c if (c as u32) < 32 || (127..161).contains(&(c as u32)) => {
                            written.push_str(&format!("\\x{:02x}", c as u32));
                        }
                        c => written.push(c),
                    }
                }
                written.push(quote);
                written
            }
            Value::Array(items) => format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", ")),
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}: {}", repr(&Value::from(key.as_str())), repr(value))
                };
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn read_returns_what_repr_wrote(value in values().prop_filter("container", |value| !value.is_null() && (value.is_array() || value.is_object()))) {
            let json = read(&repr(&value)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
        }

        #[test]
        fn read_of_any_text_returns_json_or_nothing(text in "[\\[{(]([\\[\\](){},:'\"b1a \\n\\\\-]|None|set\\(\\)){0,40}") {
            if let Some(json) = read(&text) {
                prop_assert!(crate::is_json_container(&json), "{} {}", text, json);
            }
        }
    }
}

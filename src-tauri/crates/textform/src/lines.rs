//! JSON objects, each on a line of its own.

use serde_json::value::RawValue;

use crate::is_json_container;

/// Returns the objects as a list. Of a log whose last line was cut off nothing is read.
pub(crate) fn read(text: &str) -> Option<String> {
    let objects = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Most texts that begin like this are one object of several lines.
    (objects().take(2).filter(|line| is_object(line)).count() == 2).then_some(())?;
    let objects: Option<Vec<&str>> = objects().map(|line| is_object(line).then_some(line)).collect();
    objects.map(|objects| format!("[{}]", objects.join(",")))
}

fn is_object(line: &str) -> bool {
    line.starts_with('{') && is_json_container(line)
}

/// Returns the values of a list as lines; `None` for other JSON.
pub fn json_lines(list: &str) -> Option<String> {
    let items: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    let lines: Vec<String> = items.into_iter().map(|item| item.get().replace(['\n', '\r'], " ")).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_takes_several_objects_only() {
        for text in ["{\"a\":1.10}\n{\"a\":2}", "{\"a\":1.10}\r\n\n {\"a\":2} \n"] {
            assert_eq!(read(text).as_deref(), Some("[{\"a\":1.10},{\"a\":2}]"), "{text}");
        }
        for text in
            ["{\"a\":1}", "{}\n[1]", "{}\n{}\n{", "{}\ndone", "log\n{}\n{}", "{\n\"a\":1\n}", "1\n2", ""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn json_lines_writes_what_is_read() {
        let list = "[{\"a\":1.10},{\"b\":\"x\\ny\"}]";
        assert_eq!(read(&json_lines(list).unwrap()).as_deref(), Some(list));
        assert_eq!(json_lines("{}"), None);
    }
}

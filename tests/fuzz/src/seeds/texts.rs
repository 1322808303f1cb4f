//! Texts to begin with, and what they are made of.

/// A text of each form, and ones that are nearly of it.
pub fn texts() -> Vec<Vec<u8>> {
    [
        "[{'id': 1, 'name': \"O'Brien\", 'b': b'\\xff', 'n': None, 't': (1, {2, 3}, set())}]",
        "{'a': array([])}",
        "Found 1:\n{\"a\": [1, 2]}",
        "# Result\n\n```json\n{\"a\": 1}\n```\n",
        "| a | b |\n|---|:-:|\n| 1 | x\\|y |\n",
        "---\na: 1\nb:\n- c: 'it''s'\n  d: \"x\\n\\\n    y\"\n- [1, {e: f}]\ng: |\n  one\n   two\nh: >-\n  x\n\n  y\n",
        "a:\n  b:\n    c: ~\nd: - e",
        "Name: Argo\nCrew size: 50\n- **Port:** x\n",
        "{\"result\": \"[1]\"}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// libFuzzer's dictionary.
pub fn dictionary() -> String {
    let words = [
        "None",
        "True",
        "False",
        "set()",
        "b'",
        "\\\\x",
        "\\\\u",
        "```",
        "```json\\x0a",
        "|---|",
        "---\\x0a",
        "- ",
        ": ",
        ":\\x0a",
        "\\x0a  ",
        "|-",
        ">-",
        "**",
        "': ",
        "{'",
        "''",
        "\\\\|",
    ];
    words.iter().map(|word| format!("\"{word}\"\n")).collect()
}

//! Nested as deep as is looked into, and deeper; unions within unions.

/// Documents of one origin each.
pub fn groups() -> Vec<Vec<Vec<u8>>> {
    let mut groups = Vec::new();
    for (open, close, levels) in [
        ("[", "]", 70),
        ("{\"a\":", "}", 70),
        ("[{\"a\":", "}]", 40),
        ("{\"1234\":", "}", 65),
        ("[{\"a/b\":", "}]", 31),
        // A union at each level.
        ("[1,{\"a\":", "}]", 29),
        ("{\"n\":[\"x\",", "]}", 29),
    ] {
        let around =
            |levels: usize, inner: &str| (open.repeat(levels) + inner + &close.repeat(levels)).into_bytes();
        groups.push(vec![around(levels, "1"), around(levels / 2, "\"x\""), around(3, "null")]);
    }
    for levels in [2, 5, 12, 20] {
        // Alternatives within alternatives.
        let tagged = |kind: &str, own: &str| {
            let open = format!("{{\"kind\":\"{kind}\",{own},\"of\":");
            (open.repeat(levels) + "null" + &"}".repeat(levels)).into_bytes()
        };
        groups.push(vec![tagged("a", "\"n\":1"), tagged("b", "\"s\":\"x\"")]);
        // Tuples within tuples.
        let spine = |levels: usize| "[".repeat(levels) + "1" + &",null]".repeat(levels);
        let both: String =
            (0..levels).rev().fold("1".into(), |inner, at| format!("[{inner},{}]", spine(levels - 1 - at)));
        groups.push(vec![spine(levels).into_bytes(), both.into_bytes()]);
    }
    groups
}

//! As tools answer, and at the edges of what JSON is.

/// Documents of one origin each.
pub const GROUPS: &[&[&str]] = &[
    &[
        r#"{"id":1,"name":"Ada","email":"ada@example.org","created":"2026-11-21T10:00:00Z","tags":["a","b"],"active":true}"#,
        r#"{"id":2,"name":"Bob","email":null,"created":"2026-11-22","tags":[],"active":false}"#,
    ],
    &[
        r#"{"items":[{"sku":"A-1","price":12.5,"stock":{"berlin":3,"oslo":0}},{"sku":"B-2","price":3,"stock":null}],"next":null,"total":2}"#,
        r#"{"items":[],"next":"x","total":0}"#,
    ],
    &[
        r#"{"type":"message","text":"hello","from":{"id":7,"kind":"user"}}"#,
        r#"{"type":"image","url":"https://example.org/a.png","size":[640,480],"from":{"id":8,"kind":"bot"}}"#,
        r#"{"type":"image","url":"https://example.org/b.png","size":[1,2],"from":{"id":8,"kind":"bot"}}"#,
    ],
    &[r#"{"kind":"a","n":1,"m":2}"#, r#"{"kind":"b","s":"x","ok":true}"#, r#"{"kind":"a","n":3}"#],
    &[r#"{"ok":true,"result":[1,2,3]}"#, r#"{"ok":false,"error":{"code":404,"message":"not found"}}"#],
    &[
        r#"{"2026-11-20":{"open":1.5,"close":2},"2026-11-21":{"open":2,"close":null},"2026-11-22":{"open":3}}"#,
        r#"{"2026-11-21":{"open":2,"close":"x"},"total":1}"#,
    ],
    &[
        r#"{"services":{"web":{"port":80,"env":{"A":{"x":1}}},"db":{"port":1,"by_name":{"z":{"k":[{"a":1}]}}}},"n":1}"#,
        r#"{"services":{"api":{"port":"x"},"2026-11-21":{"port":2},"jobs":{"jobs":{"a":{"b":{}}}},"s":"x"},"n":2}"#,
    ],
    &[r#"{"users":{"u/1":{"n":1},"u/2":{"n":2},"u/3":{"n":"x"}},"count":3}"#],
    &[r#"{"/etc/passwd":{"mode":420},"/etc/hosts":{"mode":420,"10.0.0.1":["a b"]},"plain":{"mode":1}}"#],
    &["[[13.4,52.5],[10.7,59.9],[2.35,48.85]]", "[[1,null]]"],
    &[r#"["2026-11-21",1,null]"#, r#"["2026-11-22",2,"x"]"#],
    &[
        r#"{"v":"3f2a8c1e-0000-4000-8000-000000000000","ip":"10.0.0.1","six":"2001:db8::1","at":"10:00:00Z","uri":"https://a.b/"}"#,
        r#"{"v":"none","ip":"10.0.0","six":"::","at":"10:00","uri":"urn:a:b"}"#,
    ],
    &[
        r#"{"status":200,"text":"OK","codes":[100,200,300,100,200,300]}"#,
        r#"{"status":404,"text":"no","codes":[200]}"#,
    ],
    &[r#"{"a":1,"a":2,"a":"x","b":{"c":1,"c":[]}}"#, r#"{"a":1,"b":{"c":1}}"#],
    &[r#"{"kind":"a","m":1,"m":2}"#, r#"{"kind":"b","s":"x"}"#, r#"{"kind":"a"}"#],
    &[r#"{"kind":"a","kind":"b","m":1,"m":2}"#, r#"{"kind":"\u0061","m":1}"#, r#"{"k\u0069nd":"a","m":"x"}"#],
    &[r#"{"":{"":{"":null}},"__proto__":[{"__proto__":{}}],"a.b":1,"a/b":2,"\"":3,"\u0000":4,"$ref":"x"}"#],
    &[r#"{"1234":{"1234":{"1234":{"1234":{"1234":{"x":[1,"a"]}}}}}}"#],
    &[r#"{"1234":[{"5678":[{"9012":{"w":{"3456":1}}}]}],"w":[{"5678":[{"9012":null}]}]}"#],
    &[
        r#"{"replaced":"⟦integer⟧","also":["⟦number⟧","⟦string⟧"],"kind":"⟦string⟧"}"#,
        r#"{"replaced":7,"also":["c","a"],"kind":"a"}"#,
    ],
    &[r#"{"format":"json","limit":10,"deep":{"fields":["id"],"sort":{"by":"name"}}}"#, r#"{"format":"csv"}"#],
    &[r#""\ud83d\ude00 \ud83d \ude00""#, r#""a""#],
    &["{}", "[]", "\"\"", "null", "true", "0"],
    &["-0", "-0.0", "1.0", "1e2", "1E-400", "1e308", "1e309", "9223372036854775807", "-9223372036854775808"],
    &["18446744073709551615", "18446744073709551616", "123456789012345678901234567890"],
    &[" \n\t{ } ", "[[],{},[[]],[{}]]", "{\"a\":{},\"b\":[],\"c\":null}"],
    &["\u{feff}{}", "nul", "[1,]", "{\"a\"}", "\"\\x\"", "", "{\"a\":1", "1", "01", "1.", "[1]]"],
];

/// Records and maps with more members than some bound.
pub fn wide() -> Vec<Vec<Vec<u8>>> {
    let mut groups = Vec::new();
    for count in [9_usize, 20, 33, 47, 49, 65] {
        let record = |value: &dyn Fn(usize) -> String| {
            let members: Vec<String> = (0..count).map(|n| format!("\"k{n}\":{}", value(n))).collect();
            format!("{{\"type\":\"t{}\",{}}}", count % 2, members.join(",")).into_bytes()
        };
        groups.push(vec![record(&|n| n.to_string()), record(&|n| format!("\"{}\"", n % 3))]);
        let map = |from: usize| {
            let members: Vec<String> = (from..from + count)
                .map(|n| format!("\"20{n:02}\":{{\"n\":{n},\"w{}\":\"x\"}}", n % 3))
                .collect();
            format!("{{\"by_id\":{{{}}},\"of\":{count}}}", members.join(",")).into_bytes()
        };
        groups.push(vec![map(0), map(5)]);
        let rows: Vec<String> = (0..count).map(|n| format!("{{\"id\":{n},\"v\":\"v{n}\"}}")).collect();
        groups.push(vec![format!("{{\"rows\":[{}]}}", rows.join(",")).into_bytes()]);
    }
    for (count, length) in [(11, 70), (13, 60), (16, 48), (33, 20), (32, 4), (18, 0), (19, 0), (20, 0)] {
        // At the bounds of what is kept of distinct values: their number, and their lengths, here alike or not.
        let text =
            |n: usize| format!("\"{n:0width$}\"", width = if length > 0 { length } else { 20 + n * 7 % 45 });
        let texts: Vec<String> = (0..count).map(text).collect();
        let half = [&texts[..count / 2], &texts[count / 2..]];
        groups.push(half.map(|texts| format!("[{}]", texts.join(",")).into_bytes()).to_vec());
    }
    for (odd, at) in
        ["\"x\"", "1", "{\"a\":1}", "null"].into_iter().flat_map(|odd| [11, 17, 23].map(|at| (odd, at)))
    {
        // Maps by words, each in one document, of which few paths are kept; one value is unlike the others.
        let map = |from: usize| {
            let members = (from..from + 20).map(|n| match n {
                _ if n == at => format!("\"w{n}\":{odd}"),
                _ => format!("\"w{n}\":\"2026-11-{:02}\"", n % 30 + 1),
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()
        };
        groups.push(vec![map(10), map(30), map(50)]);
    }
    groups.push(vec![format!("{{\"{}\":1,\"b\":\"{}\"}}", "k/".repeat(200), "é".repeat(90)).into_bytes()]);
    groups
}

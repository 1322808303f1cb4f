//! Planted secrets of every kind, in every place where a text can travel: none may be left.
//!
//! Each is put together here from a prefix and a random rest, so that no scanner of sources takes it for a real one.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A secret in its text. The part between the bars must be replaced.
struct Planted {
    kind: &'static str,
    text: String,
    secret: String,
}

fn planted(kind: &'static str, text: &str) -> Planted {
    let parts: Vec<&str> = text.split('¦').collect();
    let secret = if parts.len() == 3 { parts[1] } else { text };
    Planted { kind, secret: secret.to_owned(), text: parts.concat() }
}

/// One of each kind.
fn secrets(seed: u64) -> Vec<Planted> {
    let mut c = Random::new(seed);
    let mut all = Vec::new();
    let plain: &[(&str, &[&str], &str, usize)] = &[
        ("GitHub", &["ghp", "_"], ALNUM, 36),
        ("GitHub OAuth", &["gho", "_"], ALNUM, 36),
        ("GitHub server", &["ghs", "_"], ALNUM, 36),
        ("GitHub fine-grained", &["github", "_pat_"], ALNUM, 82),
        ("GitLab", &["glp", "at-"], URL64, 20),
        ("GitLab runner", &["glr", "t-"], URL64, 20),
        ("Slack bot", &["xox", "b-2837465012-"], ALNUM, 24),
        ("Slack user", &["xox", "p-2837465012-998-"], HEX, 32),
        ("Slack app", &["xa", "pp-1-A02B3C4D5E6-"], HEX, 40),
        ("Stripe", &["sk_", "live_"], ALNUM, 24),
        ("Stripe restricted", &["rk_", "test_"], ALNUM, 40),
        ("Stripe webhook", &["wh", "sec_"], ALNUM, 32),
        ("OpenAI", &["sk", "-"], ALNUM, 48),
        ("OpenAI project", &["sk-", "proj-"], URL64, 80),
        ("Anthropic", &["sk-", "ant-api03-"], URL64, 93),
        ("OpenRouter", &["sk-", "or-v1-"], HEX, 64),
        ("Google API", &["AI", "za"], URL64, 35),
        ("Google OAuth", &["ya", "29.a0"], URL64, 60),
        ("Google client", &["GOC", "SPX-"], URL64, 28),
        ("AWS key id", &["AK", "IA"], UPPER, 16),
        ("AWS session", &["AS", "IA"], UPPER, 16),
        ("npm", &["np", "m_"], ALNUM, 36),
        ("PyPI", &["py", "pi-AgEIcHlwaS5vcmc"], URL64, 80),
        ("Docker", &["dckr", "_pat_"], URL64, 27),
        ("Hugging Face", &["h", "f_"], ALNUM, 34),
        ("Twilio", &["S", "K"], HEX, 32),
        ("Mailgun", &["ke", "y-"], HEX, 32),
        ("Shopify", &["shp", "at_"], HEX, 32),
        ("Square", &["sq0", "atp-"], URL64, 22),
        ("DigitalOcean", &["dop", "_v1_"], HEX, 64),
        ("Heroku", &["HR", "KU-AA"], URL64, 58),
        ("Vault", &["hv", "s."], ALNUM, 24),
        ("Databricks", &["da", "pi"], HEX, 32),
        ("Linear", &["lin", "_api_"], ALNUM, 40),
        ("Notion", &["nt", "n_"], ALNUM, 46),
        ("Notion old", &["sec", "ret_"], ALNUM, 43),
        ("Figma", &["fi", "gd_"], URL64, 40),
        ("Postman", &["PM", "AK-"], HEX, 59),
        ("New Relic", &["NR", "AK-"], UPPER, 27),
        ("Atlassian", &["AT", "ATT3xFfGF0"], URL64, 180),
        ("Sentry", &["sn", "tryu_"], HEX, 64),
        ("Supabase", &["sb", "p_"], HEX, 40),
        ("Grafana", &["gl", "sa_"], ALNUM, 41),
        ("Groq", &["gs", "k_"], ALNUM, 52),
        ("Replicate", &["r", "8_"], ALNUM, 37),
        ("Brevo", &["xkey", "sib-"], HEX, 64),
        ("Doppler", &["d", "p.pt."], ALNUM, 43),
        ("Tailscale", &["tsk", "ey-auth-"], ALNUM, 30),
        ("PlanetScale", &["pscale", "_pw_"], URL64, 43),
        ("Age", &["AGE-", "SECRET-KEY-1"], UPPER, 58),
        ("Rubygems", &["ruby", "gems_"], HEX, 48),
        ("Pulumi", &["pu", "l-"], HEX, 40),
        ("Cloudflare", &["cf", "ut_"], ALNUM, 40),
        ("Netlify", &["nf", "p_"], ALNUM, 36),
        ("Telegram", &["7283645", "019:AA"], URL64, 33),
    ];
    for (kind, prefix, of, length) in plain {
        all.push(planted(kind, &format!("{}{}", prefix.concat(), c.text(of, *length))));
    }
    let sendgrid = format!("S{}{}.{}", "G.", c.text(URL64, 22), c.text(URL64, 43));
    all.push(planted("SendGrid", &sendgrid));
    let discord =
        format!("{}.G{}.{}", STANDARD.encode(c.text("123456789", 18)), c.text(ALNUM, 5), c.text(URL64, 38));
    all.push(planted("Discord", &discord));
    let terraform = format!("{}.atlas{}.{}", c.text(ALNUM, 14), "v1", c.text(ALNUM, 67));
    all.push(planted("Terraform Cloud", &terraform));
    let body = json!({"sub": c.text(DIGITS, 10), "iat": 1_700_000_000, "role": "service_role"}).to_string();
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    all.push(planted("JWT", &format!("{header}.{}.{}", URL_SAFE_NO_PAD.encode(body), c.text(URL64, 43))));
    for label in
        ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
    {
        let lines: Vec<String> = (0..6).map(|_| c.text(BASE64, 64)).collect();
        let body = lines.join("\n");
        let text = format!("-----{} {label}-----\n¦{body}¦\n-----END {label}-----\n", "BEGIN");
        all.push(planted("armour", &text));
    }
    let cut =
        format!("-----{} RSA PRIVATE KEY-----\n¦{}\n{}¦", "BEGIN", c.text(BASE64, 64), c.text(BASE64, 64));
    all.push(planted("armour without an end", &cut));
    let words = |c: &mut Random| {
        format!(
            "{}{}{}",
            c.pick(&["tulip", "Harbor", "quiet", "Maple"]),
            c.below(9000) + 100,
            c.pick(&["!", "#x", "fox", "Qz"])
        )
    };
    for (kind, text) in [
        ("database", "postgres://app:¦P¦@db.internal:5432/shop"),
        ("database", "mysql://root:¦P¦@10.0.0.3/main?ssl=true"),
        ("database", "mongodb+srv://svc:¦P¦@cluster0.ab1cd.mongodb.net/?retryWrites=true"),
        ("database", "redis://:¦P¦@cache:6379/0"),
        ("database", "jdbc:postgresql://h/db?user=x&password=¦P¦&ssl=true"),
        ("database", "Server=tcp:h,1433;Database=d;User ID=u;Password=¦P¦;Encrypt=True;"),
        ("database", "app:¦P¦@tcp(127.0.0.1:3306)/shop"),
        ("basic auth", "https://deploy:¦P¦@git.example.com/a/b.git"),
        ("prose", "The password: ¦P¦"),
        ("prose", "your password is ¦P¦, change it soon"),
        ("prose", "login with password=¦P¦ please"),
        ("option", "mysqldump --host h --password ¦P¦ shop"),
        ("option", "tool --db-password=¦P¦ --verbose"),
        ("option", "curl -s -u admin:¦P¦ https://api.example.com/v1"),
        ("option", "sshpass -p ¦P¦ ssh me@host"),
        ("option", "C:\\bin\\curl.exe -s -u admin:¦P¦ https://api.example.com/v1"),
        ("option", "docker login -u me -p ¦P¦ registry.example.com"),
        ("option", "aws configure set aws_secret_access_key ¦T¦"),
        ("option", "npm config set //registry.example.com/:_authToken ¦T¦"),
        ("setting", "FROM alpine\nENV API_KEY ¦T¦\nRUN make"),
        ("settings", "DB_PASSWORD=¦P¦\nDEBUG=true"),
        ("settings", "spring.datasource.password: ¦P¦\n"),
        ("settings", "export SMTP_PASSWORD='¦P¦'"),
        ("settings", "password = \"¦P¦\""),
        ("block", "db:\n  password: |\n    ¦P¦\n  user: me\n"),
        ("block", "- password: >-\n\n    ¦P¦"),
        ("markup", "<password>¦P¦</password>"),
        ("markup", "<add key=\"ApiPassword\" value=\"¦P¦\" />"),
        ("field", "- textbox \"Password\" [active] [ref=e12]: ¦P¦\n- button \"Login\" [ref=e13]"),
        ("field", "<form><input type=\"password\" name=\"pw\" value=\"¦P¦\"><input name=\"q\"></form>"),
        ("field", "await page.getByRole('textbox', { name: 'Password' }).fill('¦P¦');"),
        ("field", "page.get_by_label(\"Password\").fill(\"¦correct horse battery staple¦\")"),
        ("field", "await page.fill('#password', '¦P¦')"),
        ("field", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n¦P¦\r\n--b--"),
        ("sql", "CREATE USER x IDENTIFIED BY '¦P¦';"),
        ("netrc", "machine h login me password ¦P¦"),
        ("JSON cut", "…,\"user\":\"x\",\"password\":\"¦P¦\",\"n\":1, and so on"),
        ("JSON escaped", "got {\\\"password\\\":\\\"¦P¦\\\"} from it"),
        ("token", "X-API-Key: ¦T¦"),
        ("token", "api_key=¦T¦&page=2"),
        ("token", "GET /v1/items?access_token=¦T¦ HTTP/1.1"),
        ("token", "Authorization: Bearer ¦T¦"),
        ("token", "authorization: token ¦T¦"),
        ("token", "curl -H 'Authorization: Bearer ¦T¦' https://x"),
        ("token", "//registry.npmjs.org/:_authToken=¦T¦"),
        ("token", "client_secret: ¦T¦"),
        ("token", "Twilio auth token: ¦T¦"),
        ("token", "DD_API_KEY=¦H¦ DD_APP_KEY=x"),
        ("token", "FASTLY_API_TOKEN=¦T¦"),
        ("token", "CLOUDFLARE_API_KEY: ¦H¦"),
        ("AWS secret", "aws_secret_access_key = ¦B¦"),
        (
            "Azure",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=¦B¦==;EndpointSuffix=core.windows.net",
        ),
        ("Azure", "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=¦B¦="),
        ("signed", "https://a.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig=¦S¦"),
        ("signed", "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=¦H¦"),
        ("cookie", "Cookie: session=¦T¦; theme=dark"),
        ("cookie", "Set-Cookie: sid=¦T¦; Path=/; HttpOnly"),
        ("DSN", "https://¦H¦@o12345.ingest.sentry.io/67890"),
        ("hook", "https://hooks.slack.com/services/¦T0AB12CD3/B0EF45GH6/W¦"),
        ("hook", "https://discord.com/api/webhooks/¦123456789012345678/W¦"),
    ] {
        let of = [
            ("¦P¦", format!("¦{}¦", words(&mut c))),
            ("¦T¦", format!("¦{}¦", c.text(ALNUM, 40))),
            ("¦H¦", format!("¦{}¦", c.text(HEX, 32))),
            ("¦B¦", format!("¦{}¦", c.text(BASE64, 40))),
            ("¦S¦", format!("¦{}%2B{}%3D¦", c.text(ALNUM, 20), c.text(ALNUM, 20))),
            ("W¦", format!("{}¦", c.text(ALNUM, 24))),
        ];
        let text = of.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        all.push(planted(kind, &text));
    }
    let pair = STANDARD.encode(format!("user:{}", words(&mut c)));
    all.push(planted("basic header", &format!("Authorization: Basic ¦{pair}¦")));
    all
}

/// Documents in which a text with a secret can travel.
fn documents(text: &str) -> Vec<(&'static str, Value)> {
    let half = (text.len() / 2..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let block = |text: &str| json!({"type": "text", "text": text});
    let inner = json!({"log": text, "n": 1}).to_string();
    vec![
        ("argument", json!({"query": text, "limit": 10})),
        ("structured", json!({"structuredContent": {"rows": [{"note": text, "id": 3}]}, "content": []})),
        ("text", json!({"content": [block(text)]})),
        ("in prose", json!({"content": [block(&format!("Here it is:\n{text}\nThat was it."))]})),
        (
            "error",
            json!({"code": -32000, "message": format!("request failed: {text}"), "data": {"cause": text}}),
        ),
        ("JSON in text", json!({"content": [block(&inner)]})),
        ("JSON in JSON in text", json!({"content": [block(&json!({"body": inner}).to_string())]})),
        ("JSON behind prose", json!({"content": [block(&format!("Result: {inner}"))]})),
        ("two blocks", json!({"content": [block(&text[..half]), block(&text[half..])]})),
        ("base64", json!({"content": [block(&STANDARD.encode(format!("[default]\n{text}\n")))]})),
        (
            "base64 in prose",
            json!({"data": format!("payload={} end", URL_SAFE_NO_PAD.encode(format!("v = {text}\n")))}),
        ),
        ("key", json!({"structuredContent": {text: 1, "other": 2}, "content": []})),
    ]
}

/// Whether a text contains a secret or a long piece of it, as it is or escaped.
fn holds(text: &str, secret: &str) -> bool {
    let escaped = Value::from(secret).to_string();
    let lines = secret.lines().filter(|line| line.len() >= 40).any(|line| text.contains(line));
    text.contains(secret) || text.contains(escaped.trim_matches('"')) || lines
}

#[test]
fn redact_finds_every_kind_of_secret_in_every_place() {
    let (mut tried, mut leaks) = (0, Vec::new());
    for seed in 0..4 {
        for Planted { kind, text, secret } in secrets(seed) {
            for (place, document) in documents(&text) {
                tried += 1;
                let json = document.to_string();
                let redacted = redact(&json, Trust::Foreign).map_or(json, |(redacted, _)| redacted);
                let parsed: Value = serde_json::from_str(&redacted).unwrap();
                let all = parsed["content"].as_array().into_iter().flatten();
                let joined: String = all.filter_map(|block| block["text"].as_str()).collect();
                let encoded = STANDARD.encode(format!("[default]\n{text}\n"));
                if holds(&redacted, &secret) || holds(&joined, &secret) || redacted.contains(&encoded) {
                    leaks.push(format!("{kind} in {place}: {text}\n   {redacted}"));
                }
                assert_eq!(redact(&redacted, Trust::Own), None, "again: {kind} in {place}: {redacted}");
            }
        }
    }
    let shown: Vec<&String> = leaks.iter().take(40).collect();
    assert!(leaks.is_empty(), "{} of {tried}: {shown:#?}", leaks.len());
    assert!(
        secrets(0).iter().map(|planted| planted.kind).collect::<std::collections::BTreeSet<_>>().len() >= 40
    );
}

#[test]
fn redact_keeps_text_around_secret_and_its_length() {
    let token = ["ghp", "_", &"aB3".repeat(12)].concat();
    let text = format!("push https://x:{token}@github.com/a/b.git done");
    let json = json!({"content": [{"type": "text", "text": text}]}).to_string();
    let (redacted, replaced) = redact(&json, Trust::Foreign).unwrap();
    assert_eq!(replaced, 1);
    let parsed: Value = serde_json::from_str(&redacted).unwrap();
    let after = parsed["content"][0]["text"].as_str().unwrap();
    assert_eq!(after, "push https://x:⟦redacted string 40⟧@github.com/a/b.git done");
    let stood_for = schemascope_model::Redacted::of(after);
    assert_eq!(stood_for, Some(schemascope_model::Redacted::String(text.chars().count())));
}

#[test]
fn secret_keys_become_distinct_numbered_markers() {
    let tokens: Vec<String> =
        ["aB3", "cD4", "aB3"].iter().map(|part| ["ghp", "_", &part.repeat(12)].concat()).collect();
    let json = json!([{&tokens[0]: 1, &tokens[1]: 2, "n": 3}, {&tokens[2]: 4}]).to_string();
    let expect = r#"[{"⟦redacted key 1⟧":1,"⟦redacted key 2⟧":2,"n":3},{"⟦redacted key 1⟧":4}]"#;
    assert_eq!(redact(&json, Trust::Foreign), Some((expect.to_owned(), 3)));
    assert_eq!(redact(expect, Trust::Own), None);
    // A forged marker, and a new secret in a document that was redacted before.
    let forged = redact(r#"{"⟦redacted key 7⟧":1}"#, Trust::Foreign).unwrap().0;
    assert_eq!(forged, r#"{"⟦redacted key 1⟧":1}"#);
    let more = format!(r#"{{"⟦redacted key 1⟧":1,"{}":2}}"#, tokens[0]);
    assert_eq!(redact(&more, Trust::Own).unwrap().0, r#"{"⟦redacted key 1⟧":1,"⟦redacted key 2⟧":2}"#);
}

#[test]
fn sensitive_sibling_name_or_preceding_option_marks_value_as_secret() {
    for (json, secret) in [
        (r#"{"env":[{"name":"DB_PASSWORD","value":"swordfish"}]}"#, "swordfish"),
        (r#"{"headers":[{"value":"swordfish","name":"X-Api-Key"}]}"#, "swordfish"),
        (r#"{"args":["mysql","--password","swordfish","shop"]}"#, "swordfish"),
        (
            r#"{"text":"a","content":[{"type":"text","text":"{\"password\":\"trout"},{"type":"text","text":"fish\"}"}]}"#,
            "trout",
        ),
    ] {
        let (redacted, _) = redact(json, Trust::Foreign).unwrap();
        assert!(!redacted.contains(secret), "{redacted}");
        assert!(serde_json::from_str::<Value>(&redacted).is_ok(), "{redacted}");
    }
}

#[test]
fn configured_secrets_are_replaced_in_every_encoding() {
    let value = "Wq8-planted/value+7";
    let values = [
        ("SHOP_KEY", value),
        ("MODE", "production"),
        ("DEBUG", "true"),
        ("DATA", "/var/lib/shop"),
        ("PORT", "12345678"),
        ("REGION", "eu-central-1"),
        ("DATABASE_URL", "postgres://app:pl4nted-db@h/shop"),
        ("X", "Bearer tok3n-planted"),
    ];
    let redactor = Redactor::new(&Rules::default(), values).unwrap();
    for text in [
        value.to_owned(),
        format!("it is {value}."),
        "Wq8-planted%2Fvalue%2B7".to_owned(),
        STANDARD.encode(format!("x={value}")),
        "pl4nted-db".to_owned(),
        "tok3n-planted".to_owned(),
    ] {
        for json in [
            json!({"a": text}),
            json!({&text: 1}),
            json!({"content": [{"type": "text", "text": json!({"a": text}).to_string()}]}),
        ] {
            let json = json.to_string();
            let (redacted, _) = redactor.redact(&json, Trust::Foreign).unwrap_or_else(|| panic!("{json}"));
            assert!(
                !redacted.contains("planted") && !redacted.contains("pl4nted") && !redacted.contains(&text),
                "{redacted}"
            );
        }
    }
    let harmless =
        json!({"a": ["production", "true", "/var/lib/shop/x", "12345678", "eu-central-1", "shop"]})
            .to_string();
    assert_eq!(redactor.redact(&harmless, Trust::Foreign), None);
    assert_eq!(
        redactor.text(&format!("cannot reach it with {value}")),
        "cannot reach it with ⟦redacted string 19⟧"
    );
}

#[test]
fn user_rules_apply_and_invalid_ones_are_rejected() {
    let rules = Rules {
        keys: vec!["Employee-No".into()],
        patterns: vec![r"\bINT-(\d{6})\b".into(), r"^\d{16}$".into()],
    };
    let redactor = Redactor::new(&rules, []).unwrap();
    let json = r#"{"employee_no":"x7","note":"see INT-123456","n":1234567890123456,"m":12}"#;
    let expect = r#"{"employee_no":"⟦redacted string 2⟧","note":"see INT-⟦redacted string 6⟧","n":"⟦redacted integer⟧","m":12}"#;
    assert_eq!(redactor.redact(json, Trust::Foreign), Some((expect.to_owned(), 3)));
    let wrong = |keys: &[&str], patterns: &[&str]| {
        let own = |rules: &[&str]| rules.iter().map(|&rule| rule.to_owned()).collect();
        Redactor::new(&Rules { keys: own(keys), patterns: own(patterns) }, []).unwrap_err().to_string()
    };
    assert!(wrong(&["-"], &[]).contains("neither letters"));
    assert!(wrong(&[], &["("]).contains("unclosed group"));
    assert!(wrong(&[], &["a*"]).contains("match everywhere"));
    assert!(wrong(&[], &["(?:a{1000}){1000}"]).contains("cannot be used"));
    assert!(wrong(&[], &[&"a".repeat(1_001)]).contains("longer than"));
    assert!(wrong(&[], &vec!["a"; 101]).contains("101"));
}

/// Time grows with the text, not with its square, whatever it is made of.
#[test]
fn redact_survives_hostile_texts() {
    for part in [
        "password: ",
        "a@",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "token=",
        "\\\\",
        "--token ",
        "YWFhYWFhYWFhYWFhYWFhYWFh/",
        "AC00000000000000000000000000000000 ",
        "curl -u ",
        "Cookie: a=b;",
        "⟦redacted ",
        "ghp_",
        "key\"",
        "sshpass ",
        "password: |\n ",
        "\npassword: >\n",
        "Private-Lines:",
        "api key ",
        "/",
        "a",
        "=",
        "AAAA\n",
        "pwd=$",
        "pwd=x(",
        "{\"",
        "[\n",
    ] {
        let text = part.repeat(60_000 / part.len());
        let _ = redactor().text(&text);
        let json = Value::from(text).to_string();
        if let Some((redacted, _)) = redact(&json, Trust::Foreign) {
            assert!(serde_json::from_str::<Value>(&redacted).is_ok());
        }
    }
}

proptest! {
    #[test]
    fn redact_gives_valid_json_for_arbitrary_texts(
        parts in prop::collection::vec(
            prop_oneof![
                ".{0,12}",
                prop::sample::select(vec![
                    "password", ": ", "=", "token", "\"", "'", "--", "Bearer ", "Authorization: ", "Cookie: ", "://", "@", "a:b",
                    "ghp_aB3aB3aB3aB3aB3aB3aB3", "⟦redacted string 3⟧", "⟦redacted ", "⟧", "\\", "\\n", "é", "hunter2", "-----BEGIN PRIVATE KEY-----",
                    "sig=", "?", "&", "curl -u ", "{\"a\":\"b\"}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh", "YWtpYSBBS0lBQUFBQUFBQUFBQUFBQUFBQQ==",
                ]).prop_map(str::to_owned),
            ],
            0..12,
        ),
    ) {
        let text = parts.concat();
        let json = json!({"content": [{"type": "text", "text": text}, {"type": "text", "text": "b"}], &text: text}).to_string();
        let redacted = redact(&json, Trust::Foreign).map_or(json, |(redacted, _)| redacted);
        prop_assert!(serde_json::from_str::<Value>(&redacted).is_ok(), "{}", redacted);
        let _ = redactor().text(&text);
    }
}

/// Terminal programs wrap long lines and draw frames.
#[test]
fn lines_finds_secret_wrapped_over_two_lines() {
    let token = format!("ghp_{}", "aB3".repeat(12));
    let (head, tail) = token.split_at(23);
    let lines = [
        format!("│ cannot log in with {head} │"),
        format!("│ {tail} as me             │"),
        "╰──────────────────────────╯".to_owned(),
        "nothing to hide".to_owned(),
        String::new(),
    ];
    let shown = redactor().lines(&lines);
    assert_eq!(shown[0], "│ cannot log in with ⟦redacted string 40⟧ │");
    assert_eq!((shown[1].as_str(), &shown[2..]), ("│  as me             │", &lines[2..]));
}

/// A default may be read from the environment of the server (`api_key: str = os.environ["KEY"]`).
#[test]
fn defaults_and_examples_of_secret_fields_of_a_definition_are_redacted() {
    let redactor = Redactor::new(&Rules::default(), []).unwrap();
    let redacted = |definition: Value| -> Value {
        serde_json::from_str(&redactor.definition(&definition.to_string())).unwrap()
    };
    let schema = json!({"name": "send", "inputSchema": {"type": "object", "required": ["api_key"], "properties": {
        "api_key": {"type": "string", "default": "abc123def456", "examples": ["q8w7e6r5"]},
        "properties": {"type": "object", "default": "kept", "properties": {"password": {"default": "hunter22x"}}},
        "max_tokens": {"type": "integer", "default": 4096},
        "auth_token": {"type": "string", "default": "", "enum": ["basic", "bearer"], "description": "The token"},
        "city": {"type": "string", "default": "Paris"}
    }}});
    let found = redacted(schema.clone());
    let was = |pointer: &str| found.pointer(pointer) == schema.pointer(pointer);
    let properties = "/inputSchema/properties";
    for gone in ["api_key/default", "api_key/examples/0", "properties/properties/password/default"] {
        assert!(!was(&format!("{properties}/{gone}")), "{gone}: {found}");
    }
    for kept in ["api_key/type", "properties/default", "max_tokens", "auth_token", "city"] {
        assert!(was(&format!("{properties}/{kept}")), "{kept}: {found}");
    }
    assert!(was("/inputSchema/required") && was("/name"), "{found}");
}

/// Each was stored: a name with a blank before its sign, a value on the next line, one with `&` or `$` in it, data a level
/// above the field, JSON behind many brackets.
#[test]
fn secrets_in_further_notations_are_found() {
    let behind = "[2026-10-01 12:00:00] started\n".repeat(40);
    let texts = [
        "DB_PASS = \"S3cretPw9x\"".to_owned(),
        "Your temporary password:\n\nS3cretPw9x\n\nRegards".to_owned(),
        "DB_PASSWORD=S3cretPw9x&mP2$vL7qR".to_owned(),
        "password: $S3cretPw9x!".to_owned(),
        format!("{behind}{{\"x-api-key\": [\"S3cretPw9x\"]}}"),
    ];
    for text in texts {
        let redacted = redactor().text(&text);
        assert!(!redacted.contains("S3cretPw9x") && !redacted.contains("mP2$"), "{redacted}");
    }
    for text in
        ["password = $password2;", "see ?password=&b=c", "let pwd = $HOME/bin", "Password:\n\nEnter it here"]
    {
        assert_eq!(redactor().text(text), text);
    }
    let config = json!({"api_key": "hunter2-x9"});
    let definition = json!({"name": "t", "_meta": {"password": "hunter2-x9"}, "inputSchema": {"type": "object", "properties": {
        "config": {"$ref": "#/$defs/Config", "default": config, "examples": [config]},
        "default": {"type": "object", "properties": {"token": {"type": "string", "description": "kept"}}},
    }}});
    let redacted = redactor().definition(&definition.to_string()).into_owned();
    assert!(!redacted.contains("hunter2-x9") && redacted.contains("kept"), "{redacted}");
}

#[test]
fn addresses_and_numbers_of_the_configuration_are_secret() {
    let values = [
        ("url", "https://mcp.example.com/api/mcp/s/NDk5ZjA2Yzk5ZjE0/mcp"),
        ("url", "postgresql://app:pl4in-pass@host/db"),
        ("API_TOKEN", "4815162342"),
        ("API_KEY", "Tr0ub4dor!&3x"),
        ("GITHUB_ORG", "Acme-Corp"),
    ];
    let redactor = Redactor::new(&Rules::default(), values).unwrap();
    for text in [
        "Cannot POST /api/mcp/s/NDk5ZjA2Yzk5ZjE0/mcp",
        "pl4in-pass",
        "4815162342",
        "key=Tr0ub4dor!%263x",
        "Tr0ub4dor%21%263x",
    ] {
        assert_ne!(redactor.text(text), text);
    }
    let (redacted, _) = redactor.redact(r#"{"n":4815162342,"m":48151623421}"#, Trust::Foreign).unwrap();
    assert!(!redacted.contains("4815162342,") && redacted.contains("48151623421"), "{redacted}");
    assert_eq!(redactor.text("of Acme-Corp"), "of Acme-Corp");
}

//! Values that only look like secrets. Of 10,000, at most 20 may be altered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::*;

const NAMES: &[&str] = &[
    "report", "invoice", "server", "token", "user", "payment", "index", "graph", "parser", "auth", "cache",
    "session", "password", "secret", "key", "order",
];
const WORDS: &[&str] = &[
    "the", "build", "was", "green", "after", "we", "changed", "our", "schedule", "and", "nobody", "noticed",
    "a", "failure", "of", "network",
];
const PROSE: &[&str] = &[
    "Enter your password: it must be at least 12 characters.",
    "The token is required; see the documentation of tokens.",
    "Forgot password? Reset it here.",
    "password: string (required) the password of the user",
    "--password string   the password to use (default none)",
    "--token TOKEN  API token, or set $API_TOKEN",
    "Basic authentication is not supported; use Bearer tokens.",
    "const token = await getToken(user);",
    "def login(user: str, password: str) -> Session:",
    "let token = self.next_token()?;",
    "password=os.environ['DB_PASSWORD']",
    "password: ${DB_PASSWORD}",
    "api_key: <your api key>",
    "secret: null",
    "Authorization: required",
    "Cookie: a small piece of data that a site stores",
    "max_tokens=4096, total tokens: 1234",
    "if (token === undefined) { throw new Error('no token'); }",
    "the secret of good soup is time",
    "Tokens used: 1532 of 8000",
    "SELECT id, password_hash FROM users WHERE token IS NULL;",
    "fn parse(token: &Token, key: Key) -> Result<Ast>",
    "key: value, primary key: id, foreign key: order_id",
    "curl -sS https://example.com/install.sh | sh",
    "-----BEGIN CERTIFICATE----- is how a certificate begins",
    "Private keys begin with -----BEGIN PRIVATE KEY----- and end with -----END PRIVATE KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3mZ0lT8nGkWq1oV5bX7cY2dE4fH6jK9pQ0rS1tU3vW me@laptop",
    "See https://example.com:8080/@scope/name and mail me@example.com",
    "task-scheduler-with-a-long-name-and-sk-learn-container-id-1",
    "graph TD; A[Start]-->B{Is it?}; B -- yes --> C[OK]; B -- no --> D[Token expired];",
    "cookie: SameSite=Lax is the default",
    "password_changed_at: 2024-05-01T10:00:00Z",
    "password: |\nuser: me\ndescription: >\n  The password is in the vault.",
    "password: >\n  the password of the user, of 12 characters",
    "| password: | string |\n| token: | string |",
];

/// One benign value.
fn value(c: &mut Random, number: usize) -> String {
    let uuid = |c: &mut Random| [8, 4, 4, 4, 12].map(|length| c.text(HEX, length)).join("-");
    let name = |c: &mut Random| format!("{}_{}_{}", c.pick(NAMES), c.pick(NAMES), c.pick(NAMES));
    match number % 44 {
        0 => c.text(HEX, 40),
        1 => c.text(HEX, 64),
        2 => uuid(c),
        3 => c.text(DIGITS, 19),
        4 => format!("01J{}", c.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23)),
        5 => format!("sha512-{}==", c.text(BASE64, 86)),
        6 => format!("sha256:{}", c.text(HEX, 64)),
        7 => format!("registry.example.com/{}/{}@sha256:{}", c.pick(NAMES), c.pick(NAMES), c.text(HEX, 64)),
        8 => format!("W/\"{}\"", c.text(HEX, 32)),
        9 => format!("/usr/share/{}/{}/{}.json", c.pick(NAMES), c.pick(NAMES), name(c)),
        10 => format!("C:\\Users\\me\\{}\\{}.txt", c.pick(NAMES), name(c)),
        11 => format!(
            "https://api.github.com/repos/{}/{}/issues/{}/comments{{/number}}",
            c.pick(NAMES),
            c.pick(NAMES),
            c.below(9999)
        ),
        12 => format!(
            "https://example.com/{}?page={}&q={}&id={}",
            c.pick(NAMES),
            c.below(50),
            c.pick(NAMES),
            uuid(c)
        ),
        13 => format!("{}.{}@example.org", c.pick(NAMES), c.pick(WORDS)),
        14 => format!("+49 {} {}", c.text(DIGITS, 3), c.text(DIGITS, 8)),
        15 => (0..20).map(|_| c.pick(WORDS)).collect::<Vec<_>>().join(" "),
        16 => c.pick(PROSE).to_owned(),
        17 => format!("@{}/{}@{}.{}.{}", c.pick(NAMES), c.pick(NAMES), c.below(20), c.below(20), c.below(20)),
        18 => format!(
            "2026-0{}-1{}T10:{}:00.{}Z",
            c.below(9) + 1,
            c.below(9),
            c.below(49) + 10,
            c.text(DIGITS, 3)
        ),
        19 => format!("#{}", c.text(HEX, 6)),
        20 => format!("iVBORw0KGgoAAAANSUhEUgAA{}", c.text(BASE64, 400)),
        21 => format!("data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ{}", c.text(BASE64, 300)),
        22 => STANDARD.encode(c.text(ALNUM, 32).bytes().map(|byte| byte ^ 0x9A).collect::<Vec<u8>>()),
        23 => format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{} me@host", c.text(BASE64, 300)),
        24 => format!(
            "id,name,total\n{},{},{}.{}\n{},{},{}",
            c.below(99),
            c.pick(NAMES),
            c.below(99),
            c.below(99),
            c.below(99),
            c.pick(NAMES),
            c.below(99)
        ),
        25 => name(c).to_uppercase(),
        26 => format!("arn:aws:iam::{}:role/{}-{}", c.text(DIGITS, 12), c.pick(NAMES), c.pick(NAMES)),
        27 => format!("{}:{}:{}", c.text(DIGITS, 10), c.pick(NAMES), c.below(999)),
        28 => c.text(ALNUM, 22),
        29 => format!("{}-{}-{}-{}", c.pick(NAMES), c.pick(NAMES), c.text(LOWER, 10), c.text(LOWER, 5)),
        30 => format!("v{}.{}.{}-rc.{}+{}", c.below(9), c.below(99), c.below(9), c.below(9), c.text(HEX, 7)),
        31 => {
            format!("{}.{}.{}.{}:{}", c.below(255), c.below(255), c.below(255), c.below(255), c.below(65_000))
        }
        32 => (0..6).map(|_| c.text(HEX, 2)).collect::<Vec<_>>().join(":"),
        33 => format!("fn {}(a: &str) -> usize {{ a.len() + {} }}", name(c), c.below(9)),
        34 => format!("4{}", c.text(DIGITS, 15)),
        35 => format!("arXiv:2{}.{} doi:10.1000/{}", c.text(DIGITS, 3), c.text(DIGITS, 5), c.text(LOWER, 12)),
        36 => format!("pk_live_{}", c.text(ALNUM, 24)),
        37 => format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----", c.text(BASE64, 64)),
        38 => format!("cus_{} in_{} price_{}", c.text(ALNUM, 14), c.text(ALNUM, 24), c.text(ALNUM, 24)),
        39 => STANDARD.encode(format!(
            "Dear {}, {} {} {}.",
            c.pick(NAMES),
            c.pick(WORDS),
            c.pick(WORDS),
            c.pick(WORDS)
        )),
        40 => format!(
            "{{\"id\":\"{}\",\"kind\":\"{}\",\"next_page_token\":\"\",\"max_tokens\":{}}}",
            uuid(c),
            c.pick(NAMES),
            c.below(4096)
        ),
        41 => format!(
            "commit {}\nAuthor: me <me@example.com>\n\n    {} the {}",
            c.text(HEX, 40),
            c.pick(WORDS),
            c.pick(NAMES)
        ),
        42 => format!(
            "{}.{}({}={}, {}=None)",
            c.pick(NAMES),
            name(c),
            c.pick(NAMES),
            c.pick(NAMES),
            c.pick(NAMES)
        ),
        _ => format!("/ipfs/Qm{}", c.text(ALNUM, 44)),
    }
}

#[test]
fn redact_alters_at_most_20_of_10000_benign_values() {
    let mut c = Random::new(42);
    let mut altered = Vec::new();
    for number in 0..10_000 {
        let value = value(&mut c, number);
        let json = json!({"value_of_it": value}).to_string();
        if let Some((redacted, _)) = redact(&json, Trust::Foreign) {
            altered.push(format!("{number}: {value}\n   {redacted}"));
        }
    }
    println!("{} of 10,000 altered", altered.len());
    let shown: Vec<&String> = altered.iter().take(40).collect();
    assert!(altered.len() <= 20, "{} of 10,000: {shown:#?}", altered.len());
}

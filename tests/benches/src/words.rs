//! Plain vocabulary for names, cities and sentences.

/// Nouns and verbs of everyday software.
#[rustfmt::skip] // Packed: one word a line is no better to read.
pub const WORDS: &[&str] = &[
    "account", "action", "address", "agent", "album", "alert", "alpha", "amber", "anchor", "apple",
    "archive", "arrow", "asset", "audit", "badge", "balance", "banner", "basket", "batch", "beacon",
    "billing", "binary", "block", "blue", "board", "bottle", "branch", "bridge", "bucket", "budget",
    "build", "button", "cable", "cache", "calendar", "camera", "campaign", "canvas", "card", "cargo",
    "carrier", "catalog", "channel", "chapter", "charge", "chart", "client", "cloud", "cluster", "coffee",
    "comet", "comment", "commit", "compass", "contract", "copper", "counter", "coupon", "course", "credit",
    "crystal", "curve", "customer", "daemon", "dashboard", "delta", "deploy", "desk", "device", "diagram",
    "digest", "dollar", "domain", "draft", "driver", "eagle", "editor", "email", "engine", "entry", "error",
    "event", "export", "factor", "falcon", "feature", "feed", "field", "filter", "flag", "folder", "forest",
    "forum", "frame", "garden", "gateway", "gauge", "ghost", "globe", "grain", "graph", "green", "group",
    "guest", "guide", "handle", "harbor", "header", "hotel", "image", "import", "index", "input", "invoice",
    "island", "issue", "item", "journal", "jungle", "kernel", "keyword", "label", "lamp", "layer", "ledger",
    "lemon", "letter", "library", "light", "limit", "link", "locale", "lock", "login", "magnet", "mail",
    "map", "marble", "market", "member", "memory", "menu", "message", "meter", "mirror", "mobile", "model",
    "module", "monitor", "mountain", "museum", "network", "node", "note", "notice", "number", "object",
    "ocean", "offer", "office", "olive", "option", "orange", "order", "origin", "output", "owner",
    "package", "page", "panel", "paper", "parcel", "partner", "patch", "payment", "pencil", "permit",
    "phone", "photo", "pilot", "pipeline", "planet", "player", "plugin", "pocket", "policy", "portal",
    "poster", "printer", "product", "profile", "project", "prompt", "purple", "query", "queue", "quota",
    "radar", "rating", "reader", "receipt", "record", "refund", "region", "release", "report", "request",
    "review", "river", "rocket", "role", "route", "sample", "scanner", "schedule", "screen", "script",
    "season", "sensor", "server", "session", "shadow", "shelf", "shipment", "signal", "silver", "socket",
    "source", "spider", "sprint", "stage", "station", "status", "storage", "store", "stream", "street",
    "studio", "summit", "switch", "table", "tablet", "target", "task", "team", "temple", "tenant", "ticket",
    "timer", "token", "topic", "tower", "trade", "trail", "train", "tunnel", "update", "upload", "user",
    "valley", "value", "vector", "vendor", "version", "video", "violet", "visit", "voice", "volume",
    "wallet", "water", "widget", "window", "winter", "worker", "yellow", "zone",
];

/// First names.
#[rustfmt::skip] // Packed: one word a line is no better to read.
pub const FIRST: &[&str] = &[
    "Ada", "Aisha", "Alan", "Amara", "Ana", "Anil", "Bao", "Barbara", "Björn", "Carlos", "Chloé", "Dana",
    "Dmitri", "Edsger", "Elif", "Emma", "Fatima", "Femi", "Grace", "Hana", "Hedy", "Hiroshi", "Ines",
    "Ivan", "Jane", "João", "Juan", "Karen", "Katsuko", "Kofi", "Lars", "Leila", "Linus", "Lucía", "Maya",
    "Mei", "Mohammed", "Nadia", "Niklaus", "Noor", "Olga", "Omar", "Paula", "Pavel", "Priya", "Quinn",
    "Radia", "Rahul", "Rosa", "Sam", "Sanjay", "Sofia", "Søren", "Tara", "Tim", "Uma", "Vera", "Wei",
    "Yuki", "Zofia",
];

/// Family names.
#[rustfmt::skip] // Packed: one word a line is no better to read.
pub const LAST: &[&str] = &[
    "Abara", "Andersson", "Becker", "Chen", "Costa", "Dijkstra", "Dubois", "Eriksen", "Fischer", "García",
    "Gupta", "Haddad", "Hopper", "Ivanova", "Jansen", "Kaya", "Kim", "Kowalski", "Lamarr", "Liskov",
    "Lovelace", "Mbeki", "Müller", "Nakamura", "Nguyen", "O'Brien", "Okafor", "Patel", "Perlman", "Rossi",
    "Santos", "Schmidt", "Silva", "Singh", "Smith", "Tanaka", "Torres", "Turing", "Wirth", "Yılmaz",
];

/// Cities.
#[rustfmt::skip] // Packed: one word a line is no better to read.
pub const CITIES: &[&str] = &[
    "Accra", "Amsterdam", "Athens", "Bangkok", "Berlin", "Bogotá", "Boston", "Cairo", "Chennai", "Chicago",
    "Copenhagen", "Dakar", "Denver", "Dublin", "Geneva", "Hanoi", "Helsinki", "Istanbul", "Jakarta",
    "Kraków", "Kyoto", "Lagos", "Lima", "Lisbon", "London", "Madrid", "Melbourne", "Montréal", "Mumbai",
    "Nairobi", "New York", "Osaka", "Oslo", "Paris", "Porto", "Prague", "Quito", "Reykjavík", "Rome",
    "San José", "Santiago", "São Paulo", "Seoul", "Sofia", "Sydney", "Tallinn", "Tokyo", "Toronto",
    "Vienna", "Zürich",
];

/// Words between words.
#[rustfmt::skip] // Packed: one word a line is no better to read.
pub const SMALL: &[&str] = &[
    "the", "a", "of", "for", "with", "and", "to", "in", "on", "is", "was", "not", "our", "new", "this",
    "every",
];

//! What the shop answers with: optional fields, nulls, unions, maps, tagged variants, pages.

use serde_json::{Value, json};

use crate::random::Random;

const NAMES: &[&str] = &["Ada", "Grace", "Edsger", "Barbara", "Donald", "Margaret", "Ken", "Radia"];
const CITIES: &[&str] = &["Lisbon", "Oslo", "Graz", "Gent", "Turku"];

pub fn orders(random: &mut Random, limit: u64, drift: bool) -> Value {
    let count = random.below(limit + 1);
    let orders: Vec<Value> = (0..count).map(|_| summary(random, drift)).collect();
    let next = if random.percent(60) { json!(format!("page-{}", random.below(90))) } else { Value::Null };
    json!({"orders": orders, "next": next})
}

fn summary(random: &mut Random, drift: bool) -> Value {
    let customer = format!("cus_{}", random.below(400));
    let mut order = json!({
        "id": format!("ord_{:05}", random.below(90_000)),
        "total": price(random),
        "currency": random.pick(&["EUR", "USD"]),
        "createdAt": time(random),
        // A careless release sends the whole customer where its id was.
        "customer": if drift { json!({"id": customer, "name": random.pick(NAMES)}) } else { json!(customer) },
        "coupon": if random.percent(30) { json!("SPRING") } else { Value::Null },
        "meta": meta(random),
    });
    if random.percent(75) {
        order["lines"] = (0..random.below(4)).map(|_| line(random)).collect();
    }
    order
}

/// A map: keys are data.
fn meta(random: &mut Random) -> Value {
    let entries =
        (0..random.below(3)).map(|_| (format!("tag-{}", random.below(10_000)), json!(random.pick(CITIES))));
    Value::Object(entries.collect())
}

fn line(random: &mut Random) -> Value {
    json!({"sku": sku(random), "quantity": 1 + random.below(5), "price": price(random)})
}

pub fn order(random: &mut Random, drift: bool) -> Value {
    let mut order = summary(random, drift);
    order["lines"] = (0..=random.below(4)).map(|_| line(random)).collect();
    order["payment"] = match random.below(3) {
        0 => {
            json!({"kind": "card", "brand": random.pick(&["visa", "amex"]), "last4": format!("{:04}", random.below(10_000))})
        }
        1 => json!({"kind": "invoice", "dueDays": random.pick(&[14, 30])}),
        _ => json!({"kind": "voucher", "code": format!("V{}", random.below(1_000)), "rest": price(random)}),
    };
    order
}

pub fn customers(random: &mut Random) -> Value {
    (0..random.below(6)).map(|_| customer(random)).collect()
}

pub fn customer(random: &mut Random) -> Value {
    let name = random.pick(NAMES);
    let city = random.pick(CITIES);
    let mut customer = json!({
        "id": format!("cus_{}", random.below(400)),
        "name": name,
        "email": format!("{}@example.org", name.to_lowercase()),
        "phone": if random.percent(50) { Value::Null } else { json!(format!("+43 1 {}", random.below(100_000))) },
        // Old customers have their address in one line.
        "address": if random.percent(30) { json!(format!("Main Street 1, {city}")) } else { json!({"street": "Main Street 1", "city": city}) },
        "portal_token": format!("shop-secret-{:016x}", random.next()),
        "discount": if random.percent(50) { json!(random.below(20)) } else { json!(random.below(40) as f64 / 2.0 + 0.25) },
    });
    if random.percent(40) {
        customer["vip"] = json!(true);
    }
    customer
}

pub fn stock(random: &mut Random) -> Value {
    let entries = (0..3 + random.below(10)).map(|_| (sku(random), json!(random.below(500))));
    Value::Object(entries.collect())
}

pub fn invoices(random: &mut Random, drift: bool) -> Value {
    let invoices: Vec<Value> = (0..=random.below(5))
        .map(|_| {
            let paid = random.percent(70);
            let amount = price(random);
            json!({
                "number": 20_260_000 + random.below(9_999),
                "amount": if drift { json!(amount.to_string()) } else { amount },
                "paid": paid,
                "paidAt": if paid { json!(time(random)) } else { Value::Null },
            })
        })
        .collect();
    json!({"invoices": invoices, "count": invoices.len()})
}

pub fn events(random: &mut Random) -> Value {
    let events: Vec<Value> = (0..=random.below(6))
        .map(|_| match random.below(3) {
            0 => json!({"type": "order_placed", "at": time(random), "order": format!("ord_{:05}", random.below(90_000))}),
            1 => json!({"type": "stock_low", "at": time(random), "sku": sku(random), "left": random.below(5)}),
            _ => json!({"type": "note", "at": time(random), "text": "cleaned the shelves", "by": random.pick(NAMES)}),
        })
        .collect();
    json!({"events": events})
}

pub fn total(random: &mut Random) -> Value {
    price(random)
}

pub fn label(random: &mut Random) -> String {
    format!(
        "TO: {}\nCITY: {}\nWEIGHT: {} g\n",
        random.pick(NAMES),
        random.pick(CITIES),
        100 + random.below(4_000)
    )
}

pub fn store_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "city": {"type": "string"}, "open": {"type": "array", "items": {"type": "string"}}},
        "required": ["name", "city", "open"],
        "additionalProperties": false
    })
}

pub fn store() -> Value {
    json!({"name": "The Shop", "city": "Graz", "open": ["09:00", "17:30"]})
}

pub fn rates_schema() -> Value {
    json!({"type": "object", "properties": {"EUR": {"type": "number"}, "USD": {"type": "number"}}, "required": ["EUR", "USD"]})
}

/// Every third answer has a text where its schema promises a number.
pub fn rates(random: &mut Random) -> Value {
    let usd = if random.percent(33) { json!("n/a") } else { json!(1.08) };
    json!({"EUR": 1, "USD": usd})
}

/// Whole amounts are sent as integers, as JSON libraries do.
fn price(random: &mut Random) -> Value {
    let cents = random.below(10_000) + 12;
    if cents.is_multiple_of(10) { json!(cents / 10) } else { json!(cents as f64 / 100.0) }
}

fn sku(random: &mut Random) -> String {
    format!("{}-{}", random.pick(&["mug", "cap", "pen", "bag"]), random.below(300))
}

fn time(random: &mut Random) -> String {
    format!(
        "2026-{:02}-{:02}T{:02}:{:02}:00Z",
        1 + random.below(12),
        1 + random.below(28),
        random.below(24),
        random.below(60)
    )
}

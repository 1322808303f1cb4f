//! What the shop has: orders and customers that are always the same under the same id, and results around them with
//! optional fields, nulls, unions, maps, tagged variants and pages.

use serde_json::{Value, json};

use crate::random::Random;

const NAMES: &[&str] = &["Ada", "Grace", "Edsger", "Barbara", "Donald", "Margaret", "Ken", "Radia"];
const CITIES: &[&str] = &["Lisbon", "Oslo", "Graz", "Gent", "Turku"];
/// Number of orders, which are numbered from 0.
const ORDERS: u64 = 90_000;
/// Number of customers, which are numbered from 0.
const CUSTOMERS: u64 = 400;
/// Most customers in one result.
const MOST_CUSTOMERS: usize = 6;

/// The shop's data, which depend on the seed only.
pub struct Goods {
    pub seed: u64,
    /// Whether results have the changed shapes of a careless release.
    pub drift: bool,
}

/// The number of an order by its id, `ord_00042` or `42`.
pub fn order_number(id: &str) -> Option<u64> {
    id.strip_prefix("ord_").unwrap_or(id).parse().ok().filter(|number| *number < ORDERS)
}

/// The number of a customer by its id, `cus_7` or `7`.
pub fn customer_number(id: &str) -> Option<u64> {
    id.strip_prefix("cus_").unwrap_or(id).parse().ok().filter(|number| *number < CUSTOMERS)
}

impl Goods {
    fn random(&self, of: &str, number: u64) -> Random {
        Random::new(self.seed, of, number)
    }

    /// Orders from the one that a cursor names, else recent ones.
    pub fn orders(&self, random: &mut Random, limit: u64, cursor: Option<&str>) -> Option<Value> {
        let first = match cursor {
            Some(cursor) => order_number(cursor.strip_prefix("page-")?)?,
            None => random.below(ORDERS - 100),
        };
        let end = (first + random.below(limit + 1)).min(ORDERS);
        let orders: Vec<Value> = (first..end).map(|number| self.summary(number).0).collect();
        let next = if random.percent(60) { json!(format!("page-{end}")) } else { Value::Null };
        Some(json!({"orders": orders, "next": next}))
    }

    /// An order without its payment, and the random numbers of what else it has.
    fn summary(&self, number: u64) -> (Value, Random) {
        let mut random = self.random("order", number);
        let customer = random.below(CUSTOMERS);
        let id = format!("cus_{customer}");
        let mut order = json!({
            "id": format!("ord_{number:05}"),
            "total": price(&mut random),
            "currency": random.pick(&["EUR", "USD"]),
            "createdAt": time(&mut random),
            // A careless release sends the whole customer where its id was.
            "customer": if self.drift { json!({"id": id, "name": self.name(customer)}) } else { json!(id) },
            "coupon": if random.percent(30) { json!("SPRING") } else { Value::Null },
            "meta": meta(&mut random),
        });
        if random.percent(75) {
            order["lines"] = (0..random.below(4)).map(|_| line(&mut random)).collect();
        }
        (order, random)
    }

    pub fn order(&self, number: u64) -> Value {
        let (mut order, mut random) = self.summary(number);
        if order["lines"].as_array().is_none_or(Vec::is_empty) {
            order["lines"] = (0..=random.below(4)).map(|_| line(&mut random)).collect();
        }
        order["payment"] = match random.below(3) {
            0 => {
                json!({"kind": "card", "brand": random.pick(&["visa", "amex"]), "last4": format!("{:04}", random.below(10_000))})
            }
            1 => json!({"kind": "invoice", "dueDays": random.pick(&[14, 30])}),
            _ => {
                json!({"kind": "voucher", "code": format!("V{}", random.below(1_000)), "rest": price(&mut random)})
            }
        };
        order
    }

    pub fn total(&self, number: u64) -> Value {
        self.summary(number).0["total"].take()
    }

    pub fn label(&self, number: u64) -> String {
        let customer = self.random("order", number).below(CUSTOMERS);
        let (name, city) = (self.name(customer), self.city(customer));
        let weight = 100 + self.random("weight", number).below(4_000);
        format!("TO: {name}\nCITY: {city}\nWEIGHT: {weight} g\n")
    }

    fn name(&self, customer: u64) -> &'static str {
        self.random("name", customer).pick::<&str>(NAMES)
    }

    fn city(&self, customer: u64) -> &'static str {
        self.random("city", customer).pick::<&str>(CITIES)
    }

    /// Some of the customers whose name contains a text.
    pub fn customers(&self, random: &mut Random, query: &str) -> Value {
        let query = query.to_lowercase();
        let (first, most) = (random.below(CUSTOMERS), 1 + random.below(MOST_CUSTOMERS as u64) as usize);
        let numbers = (0..CUSTOMERS).map(|number| (first + number) % CUSTOMERS);
        let found = numbers.filter(|number| self.name(*number).to_lowercase().contains(&query));
        found.take(most).map(|number| self.customer(number)).collect()
    }

    pub fn customer(&self, number: u64) -> Value {
        let (name, city) = (self.name(number), self.city(number));
        let mut random = self.random("customer", number);
        let mut customer = json!({
            "id": format!("cus_{number}"),
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
            0 => json!({"type": "order_placed", "at": time(random), "order": format!("ord_{:05}", random.below(ORDERS))}),
            1 => json!({"type": "stock_low", "at": time(random), "sku": sku(random), "left": random.below(5)}),
            _ => json!({"type": "note", "at": time(random), "text": "cleaned the shelves", "by": random.pick(NAMES)}),
        })
        .collect();
    json!({"events": events})
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

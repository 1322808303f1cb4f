//! A shop: orders, customers, products with variants by article number, shipments.

use serde_json::{Value, json};

use crate::data::{Data, cols, person, title, with};
use crate::spec::Tool;
use crate::{Server, Style};

pub(crate) fn server() -> Server {
    let data = Data::default()
        .table("customers", 14, |n, r| {
            let name = person(r);
            json!({"id": format!("cus_{}", r.hex(8)), "n": n, "name": name, "points": r.below(40),
                   "email": format!("{}@example.com", name.to_lowercase().replace(' ', "."))})
        })
        .table("products", 12, |n, r| {
            let sku = format!("{}-{}", r.of(&["KT", "LM", "QZ"]), 1000 + n * 7);
            json!({"handle": format!("{}-{n}", title(r).replace(' ', "-")), "title": title(r),
                   "sku": sku, "sku2": format!("{sku}-XL"), "price": 5 + r.below(90), "stock": r.below(12)})
        });
    let customers = data.column("customers", "id");
    let skus = data.column("products", "sku");
    let data = data.table("orders", 26, move |n, r| {
        let at = usize::try_from(r.below(customers.len() as u64)).unwrap_or(0);
        json!({"id": format!("ord_{}", 40_000 + n * 13), "customer_id": customers[at], "total": 10 + r.below(300),
               "status": r.of(&["open", "paid", "shipped"]), "placed_on": r.day(), "item_count": 1 + r.below(5),
               "sku": skus[at % skus.len()], "tracking": format!("1Z{}", r.hex(10).to_uppercase()),
               "payment": format!("pay_{}", r.hex(9))})
    });
    Server {
        name: "shop",
        style: Style::Distinctive,
        tools: vec![
            Tool::new(
                "list_orders",
                "status?: enum =open|paid|shipped; customer_id?: s @customer; limit?: i =5|10|20",
                "orders[].id: s @order; orders[].customer_id: s @customer; orders[].status: s; orders[].total: n; \
                 count: i",
            )
            .weight(5),
            Tool::new(
                "get_order",
                "order_id: s @order",
                "id: s ! @order; customer_id: s @customer; status: s; placed_on: date; total: n; \
                 lines[].sku: s @sku; lines[].quantity: i; payment_id: s @payment; shipment.tracking_number: s \
                 @tracking",
            )
            .weight(5),
            Tool::new(
                "search_customers",
                "query: s =a|e|Brandt|Garcia|example @~person; limit?: i =5|10",
                "customers[].id: s @customer; customers[].name: s @person; customers[].email: email @*email; \
                 total: i",
            )
            .weight(4),
            Tool::new(
                "get_customer",
                "customer_id: s @customer",
                "id: s ! @customer; name: s @person; email: email @*email; points: i; recent_orders[]: s @order",
            ),
            Tool::new("cancel_order", "order_id: s @order; reason?: s =late|wrong size", "id: s ! @order; status: s")
                .acts(),
            Tool::new(
                "refund_payment",
                "payment: s @payment; amount: n =5|10|25",
                "refund_id: s @refund; amount: n !",
            )
            .acts()
            .bare(),
            Tool::new(
                "list_products",
                "page?: i =1|2|3; per_page?: i =4|6",
                "products[].handle: s @product; products[].title: s @ptitle; products[].price: n; page: i !",
            ),
            Tool::new(
                "get_product",
                "handle: s @product",
                "title: s @ptitle; variants{key}: s @sku; variants{}.price: n; variants{}.stock: i",
            )
            .bare(),
            Tool::new("check_stock", "sku: s @sku", "sku: s !; available: i; warehouse: s"),
            Tool::new(
                "create_order",
                "customer_id: s @customer; items[].sku: s @sku; items[].quantity: i =1|2|3",
                "order.id: s @order; order.total: n",
            )
            .acts(),
            Tool::new("track_shipment", "tracking_number: s @tracking", "state: s; last_seen: s; eta: date"),
            Tool::new("refund_status", "refund_id: s @refund", "state: s; amount: n").weight(1),
            Tool::new("email_customer", "to: email @*email; subject: s =Hello|Your order", "sent: b").acts(),
        ],
        data,
        run,
        kinds: &[
            ("customer", "customers", "id"),
            ("order", "orders", "id"),
            ("product", "products", "handle"),
            ("sku", "products", "sku"),
            ("payment", "orders", "payment"),
            ("tracking", "orders", "tracking"),
            ("refund", "refunds", "id"),
            ("*email", "customers", "email"),
            ("person", "customers", "name"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let limit = a["limit"].as_u64().unwrap_or(10);
    Ok(match tool {
        "list_orders" => {
            let rows = d.list("orders", "customer_id", &a["customer_id"], "id,customer_id,status,total");
            let rows: Vec<Value> = rows
                .as_array()
                .into_iter()
                .flatten()
                .filter(|row| a["status"].is_null() || row["status"] == a["status"])
                .take(usize::try_from(limit).unwrap_or(10))
                .cloned()
                .collect();
            json!({"count": rows.len(), "orders": rows})
        }
        "get_order" => {
            let row = d.get("orders", "id", &a["order_id"])?;
            with(
                cols(&row, "id,customer_id,status,placed_on,total"),
                json!({"lines": [{"sku": row["sku"], "quantity": row["item_count"]}], "payment_id": row["payment"],
                       "shipment": {"tracking_number": row["tracking"]}}),
            )
        }
        "search_customers" => {
            let rows = d.search("customers", &a["query"], limit, "id,name,email");
            json!({"total": rows.as_array().map_or(0, Vec::len), "customers": rows})
        }
        "get_customer" => {
            let row = d.get("customers", "id", &a["customer_id"])?;
            let orders = d.list("orders", "customer_id", &row["id"], "id");
            let ids: Vec<Value> =
                orders.as_array().into_iter().flatten().map(|order| order["id"].clone()).collect();
            with(cols(&row, "id,name,email,points"), json!({"recent_orders": ids}))
        }
        "cancel_order" => {
            d.set("orders", "id", &a["order_id"], "status", json!("cancelled"))?;
            json!({"id": a["order_id"], "status": "cancelled"})
        }
        "refund_payment" => {
            d.get("orders", "payment", &a["payment"])?;
            let id = json!(format!("re_{}", 7_700_000 + d.fresh() * 31));
            d.insert("refunds", json!({"id": id, "amount": a["amount"]}));
            json!({"refund_id": id, "amount": a["amount"]})
        }
        "list_products" => {
            let (page, size) = (a["page"].as_u64().unwrap_or(1), a["per_page"].as_u64().unwrap_or(6));
            let skip = usize::try_from((page.max(1) - 1) * size).unwrap_or(0);
            let rows: Vec<Value> = d
                .rows("products")
                .iter()
                .skip(skip)
                .take(usize::try_from(size).unwrap_or(6))
                .map(|row| cols(row, "handle,title,price"))
                .collect();
            json!({"products": rows, "page": page})
        }
        "get_product" => {
            let row = d.get("products", "handle", &a["handle"])?;
            let one = json!({"price": row["price"], "stock": row["stock"]});
            let mut variants = json!({});
            variants[row["sku"].as_str().unwrap_or_default()] = one.clone();
            variants[row["sku2"].as_str().unwrap_or_default()] = one;
            json!({"title": row["title"], "variants": variants})
        }
        "check_stock" => {
            let row =
                d.get("products", "sku", &a["sku"]).or_else(|_| d.get("products", "sku2", &a["sku"]))?;
            json!({"sku": a["sku"], "available": row["stock"], "warehouse": "north"})
        }
        "create_order" => {
            d.get("customers", "id", &a["customer_id"])?;
            let id = json!(format!("ord_{}", 40_000 + d.fresh() * 13));
            let mut total = 0;
            let mut sku = Value::Null;
            for item in a["items"].as_array().into_iter().flatten() {
                let row = d
                    .get("products", "sku", &item["sku"])
                    .or_else(|_| d.get("products", "sku2", &item["sku"]))?;
                total += row["price"].as_u64().unwrap_or(0) * item["quantity"].as_u64().unwrap_or(1);
                sku = item["sku"].clone();
            }
            let pay = json!(format!("pay_{:09x}", total * 7919 + d.fresh() * 104_729));
            d.insert(
                "orders",
                json!({"id": id, "customer_id": a["customer_id"], "total": total, "status": "open", "payment": pay,
                       "sku": sku, "placed_on": "2026-02-01", "item_count": 1, "tracking": format!("1Z{:010X}", total)}),
            );
            json!({"order": {"id": id, "total": total}})
        }
        "track_shipment" => {
            let row = d.get("orders", "tracking", &a["tracking_number"])?;
            json!({"state": row["status"], "last_seen": "hub", "eta": "2026-03-04"})
        }
        "refund_status" => {
            let row = d.get("refunds", "id", &a["refund_id"])?;
            json!({"state": "done", "amount": row["amount"]})
        }
        _ => {
            let to = a["to"].as_str().unwrap_or_default();
            if !to.contains('@') {
                return Err("not an address".to_owned());
            }
            json!({"sent": true})
        }
    })
}

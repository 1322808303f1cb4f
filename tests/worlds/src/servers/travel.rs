//! Flights and hotels: bookings with dates, rooms that belong to their hotel, nested passengers.

use serde_json::{Value, json};

use crate::data::{Data, cols, done, person, title};
use crate::spec::Tool;
use crate::{Server, Style};

const DATES: &str = "2026-05-02|2026-05-04|2026-06-11";

pub(crate) fn server() -> Server {
    let airports =
        [("MUC", "Munich"), ("LIS", "Lisbon"), ("OSL", "Oslo"), ("ATH", "Athens"), ("DUB", "Dublin")];
    let data = Data::default()
        .table("airports", 5, move |n, _| {
            let (code, city) = airports[usize::try_from(n - 1).unwrap_or(0)];
            json!({"iata": code, "city": city})
        })
        .table("flights", 20, move |n, r| {
            json!({"number": format!("{}{}", r.of(&["LH", "TP", "SK"]), 300 + n * 11), "from": airports[usize::try_from(n % 5).unwrap_or(0)].0,
                   "price": 60 + r.below(300), "seats": 1 + r.below(9)})
        })
        .table("hotels", 10, move |n, r| {
            json!({"id": 8000 + n * 19, "name": title(r), "city": airports[usize::try_from(n % 5).unwrap_or(0)].1, "stars": 2 + r.below(4)})
        })
        .table("rooms", 30, |n, r| json!({"code": format!("{}{}", r.of(&["DBL", "SGL", "STE"]), n), "hotel": 8000 + (1 + n % 10) * 19, "rate": 50 + r.below(200)}))
        .table("travellers", 6, |n, r| json!({"id": format!("trv{}", 31 + n * 5), "name": person(r), "dob": format!("19{}-0{}-1{}", 60 + r.below(39), 1 + r.below(9), r.below(9))}))
        .table("bookings", 6, |_, r| json!({"ref": r.hex(6).to_uppercase(), "flight": "LH311", "amount": 100 + r.below(300), "depart": r.day()}));
    Server {
        name: "travel",
        style: Style::Distinctive,
        tools: vec![
            Tool::new("find_airport", "city: s =Munich|Lisbon|Oslo|Athens @hcity", "airport.iata: s @airport; airport.city: s ! @hcity; distance: i").weight(4),
            Tool::new(
                "search_flights",
                &format!("origin: s @airport; destination: s @airport; departure_date: date ={DATES} @~bday; adults?: i =1|2"),
                "flights[].flight_number: s @flight; flights[].departs: datetime; flights[].price: n; flights[].seats_left: i",
            )
            .weight(6),
            Tool::new("fare_rules", &format!("flight: s @flight; date: date ={DATES} @~bday"), "refundable: b; fee: n").weight(3),
            Tool::new("saved_travellers", "", "travellers[].traveller_id: s @traveller; travellers[].name: s @tname; travellers[].dob: date @dob").weight(3),
            Tool::new(
                "book_flight",
                &format!("flight_number: s @flight; date: date ={DATES} @~bday; passengers[].name: s @tname; passengers[].dob: date @dob"),
                "booking_reference: s @booking; amount: n",
            )
            .acts()
            .weight(4),
            Tool::new("get_booking", "reference: s @booking", "flight: s @flight; departs_on: date @bday; amount: n; state: s").weight(4),
            Tool::new("my_bookings", "", "bookings[].ref: s @booking; bookings[].departs_on: date @bday").weight(3).bare(),
            Tool::new("change_flight", "booking: s @booking; new_flight: s @flight", "fee: n").acts(),
            Tool::new("search_hotels", &format!("city: s @hcity =Oslo|Lisbon; check_in: date ={DATES}; check_out: date =2026-05-09|2026-06-20"), "hotels[].hotel_id: i @hotel; hotels[].name: s; hotels[].stars: i; count: i").weight(5),
            Tool::new("list_rooms", "hotel_id: i @hotel", "rooms[].room_code: s @room; rooms[].rate: n").weight(4),
            Tool::new(
                "reserve_room",
                &format!("hotel: i @hotel; room_code: s @room; check_in: date ={DATES}; nights: i =1|2|3; guest: s @traveller"),
                "reservation.id: i @reservation; reservation.total: n",
            )
            .acts()
            .weight(4),
            Tool::new("cancel_reservation", "reservation_id: i @reservation", "ok: b").acts().weight(3),
            Tool::new("hotel_reviews", "hotel: i @hotel; page?: i =1|2", "reviews[].score: i; reviews[].text: s; page: i"),
            Tool::new("loyalty", "traveller: s @traveller", "points: i; tier: s"),
        ],
        data,
        run,
        kinds: &[
            ("airport", "airports", "iata"),
            ("hcity", "airports", "city"),
            ("flight", "flights", "number"),
            ("hotel", "hotels", "id"),
            ("room", "rooms", "code"),
            ("traveller", "travellers", "id"),
            ("tname", "travellers", "name"),
            ("dob", "travellers", "dob"),
            ("booking", "bookings", "ref"),
            ("reservation", "reservations", "id"),
        ],
    }
}

fn run(d: &mut Data, tool: &str, a: &Value) -> Result<Value, String> {
    let seed = a.to_string().bytes().map(u64::from).sum::<u64>();
    Ok(match tool {
        "find_airport" => {
            let row = d.get("airports", "city", &a["city"])?;
            json!({"airport": {"iata": row["iata"], "city": row["city"]}, "distance": seed % 40})
        }
        "search_flights" => {
            d.get("airports", "iata", &a["origin"])?;
            d.get("airports", "iata", &a["destination"])?;
            let rows: Vec<Value> = d
                .rows("flights")
                .iter()
                .filter(|row| row["from"] == a["origin"])
                .map(|row| json!({"flight_number": row["number"], "departs": "2026-05-02T08:10:00Z", "price": row["price"], "seats_left": row["seats"]}))
                .collect();
            json!({"flights": rows})
        }
        "fare_rules" => {
            d.get("flights", "number", &a["flight"])?;
            json!({"refundable": false, "fee": 40})
        }
        "saved_travellers" => {
            let rows: Vec<Value> = d
                .rows("travellers")
                .iter()
                .map(|row| json!({"traveller_id": row["id"], "name": row["name"], "dob": row["dob"]}))
                .collect();
            json!({"travellers": rows})
        }
        "book_flight" => {
            let row = d.get("flights", "number", &a["flight_number"])?;
            for passenger in a["passengers"].as_array().into_iter().flatten() {
                let known = d.get("travellers", "name", &passenger["name"])?;
                if known["dob"] != passenger["dob"] {
                    return Err("name and date of birth do not match".to_owned());
                }
            }
            let reference = format!("{:06X}", 0x00A1_7F31 + d.fresh() * 48_611);
            d.insert("bookings", json!({"ref": reference, "flight": row["number"], "amount": row["price"], "depart": a["date"]}));
            json!({"booking_reference": reference, "amount": row["price"]})
        }
        "get_booking" => {
            let row = d.get("bookings", "ref", &a["reference"])?;
            json!({"flight": row["flight"], "departs_on": row["depart"], "amount": row["amount"], "state": "confirmed"})
        }
        "my_bookings" => {
            let rows: Vec<Value> = d
                .rows("bookings")
                .iter()
                .map(|row| json!({"ref": row["ref"], "departs_on": row["depart"]}))
                .collect();
            json!({"bookings": rows})
        }
        "change_flight" => {
            d.get("flights", "number", &a["new_flight"])?;
            d.set("bookings", "ref", &a["booking"], "flight", a["new_flight"].clone())?;
            json!({"fee": 25})
        }
        "search_hotels" => {
            d.get("airports", "city", &a["city"])?;
            let rows: Vec<Value> = d
                .rows("hotels")
                .iter()
                .filter(|row| row["city"] == a["city"])
                .map(|row| json!({"hotel_id": row["id"], "name": row["name"], "stars": row["stars"]}))
                .collect();
            json!({"count": rows.len(), "hotels": rows})
        }
        "list_rooms" => {
            d.get("hotels", "id", &a["hotel_id"])?;
            let rows: Vec<Value> = d
                .rows("rooms")
                .iter()
                .filter(|row| row["hotel"] == a["hotel_id"])
                .map(|row| json!({"room_code": row["code"], "rate": row["rate"]}))
                .collect();
            json!({"rooms": rows})
        }
        "reserve_room" => {
            let room = d.get("rooms", "code", &a["room_code"])?;
            if room["hotel"] != a["hotel"] {
                return Err("this hotel has no such room".to_owned());
            }
            d.get("travellers", "id", &a["guest"])?;
            let id = 551_000 + d.fresh() * 23;
            d.insert("reservations", json!({"id": id}));
            json!({"reservation": {"id": id, "total": room["rate"]}})
        }
        "cancel_reservation" => {
            d.remove("reservations", "id", &a["reservation_id"])?;
            done()
        }
        "hotel_reviews" => {
            d.get("hotels", "id", &a["hotel"])?;
            json!({"reviews": [{"score": 1 + seed % 10, "text": "fine"}], "page": 1})
        }
        _ => {
            let row = cols(&d.get("travellers", "id", &a["traveller"])?, "id");
            json!({"points": seed % 900, "tier": if row.is_null() { "none" } else { "blue" }})
        }
    })
}

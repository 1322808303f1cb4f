//! Statuses as Twitter's first API returned them: wide, half empty, full of escapes and other scripts.

use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use serde_json::{Value, json};

const SCRIPTS: &[&str] = &[
    "これは素晴らしいですね",
    "今日は天気がいい",
    "Приятного аппетита",
    "déjà vu à Montréal",
    "günaydın",
    "안녕하세요",
    "مرحبا بالعالم",
    "😀🎉",
    "naïve café",
    "你好，世界",
];

/// One status as a line of text.
pub fn status(random: &mut Random) -> String {
    let retweet = random.chance(0.75);
    let mut status = one(random);
    if retweet {
        status["retweeted_status"] = one(random);
    }
    let line = status.to_string();
    if random.chance(0.5) { escaped(&line) } else { line }
}

/// Slashes and everything beyond ASCII escaped, as many servers do.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len() * 5 / 4);
    for letter in line.chars() {
        match letter {
            '/' => escaped += "\\/",
            letter if letter.is_ascii() => escaped.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    escaped += &format!("\\u{unit:04x}");
                }
            }
        }
    }
    escaped
}

fn time(random: &mut Random) -> String {
    let day = random.one(&["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
    let month = random.one(&["Jan", "Mar", "May", "Aug", "Sep", "Dec"]);
    format!(
        "{day} {month} {:02} {} +0000 {}",
        random.within(1, 28),
        text("clock-seconds", random),
        random.within(2009, 2016)
    )
}

fn words(random: &mut Random) -> String {
    let more = if random.chance(0.6) { random.one(SCRIPTS) } else { "" };
    format!("{} {more} \"{}\"", text("sentence", random), text("sentence", random))
}

fn id(random: &mut Random) -> i64 {
    random.within(100_000_000_000_000_000, 600_000_000_000_000_000)
}

fn maybe(random: &mut Random, often: f64, value: impl FnOnce(&mut Random) -> Value) -> Value {
    if random.chance(often) { value(random) } else { Value::Null }
}

fn one(random: &mut Random) -> Value {
    let (own, reply) = (id(random), random.chance(0.2));
    let answered = if reply {
        Some((id(random), random.within(1_000, 3_000_000_000), text("user", random)))
    } else {
        None
    };
    let sensitive = random.chance(0.4);
    let mut status = json!({
        "metadata": {"result_type": random.one(&["recent", "popular"]), "iso_language_code": random.one(&["ja", "en", "fr"])},
        "created_at": time(random),
        "id": own,
        "id_str": own.to_string(),
        "text": words(random),
        "source": format!("<a href=\"http://{}.example.com/download\" rel=\"nofollow\">{}</a>", text("word", random), text("title", random)),
        "truncated": false,
        "in_reply_to_status_id": answered.as_ref().map(|(status, ..)| *status),
        "in_reply_to_status_id_str": answered.as_ref().map(|(status, ..)| status.to_string()),
        "in_reply_to_user_id": answered.as_ref().map(|(_, user, _)| *user),
        "in_reply_to_user_id_str": answered.as_ref().map(|(_, user, _)| user.to_string()),
        "in_reply_to_screen_name": answered.as_ref().map(|(.., name)| name.clone()),
        "user": user(random),
        "geo": maybe(random, 0.05, point),
        "coordinates": maybe(random, 0.05, point),
        "place": maybe(random, 0.05, |random| json!({"id": text("hex", random), "full_name": text("city", random), "country_code": "JP"})),
        "contributors": null,
        "retweet_count": random.within(0, 900),
        "favorite_count": random.within(0, 90),
        "entities": entities(random),
        "favorited": false,
        "retweeted": false,
        "lang": random.one(&["ja", "en", "fr", "ko", "ru", "ar"]),
    });
    if sensitive {
        status["possibly_sensitive"] = json!(false);
    }
    status
}

fn point(random: &mut Random) -> Value {
    json!({"type": "Point", "coordinates": [random.between(-90.0, 90.0), random.between(-180.0, 180.0)]})
}

fn span(random: &mut Random) -> Value {
    let start = random.within(0, 100);
    json!([start, start + random.within(5, 25)])
}

fn link(random: &mut Random) -> Value {
    json!({
        "url": format!("http://t.example/{}", text("token", random)),
        "expanded_url": text("uri", random),
        "display_url": text("hostname", random),
        "indices": span(random),
    })
}

fn several(random: &mut Random, most: i64, make: impl Fn(&mut Random) -> Value) -> Value {
    (0..random.within(0, most)).map(|_| make(random)).collect()
}

fn entities(random: &mut Random) -> Value {
    let mut entities = json!({
        "hashtags": several(random, 2, |random| json!({"text": text("word", random), "indices": span(random)})),
        "symbols": [],
        "urls": several(random, 2, link),
        "user_mentions": several(random, 2, |random| {
            let id = random.within(1_000, 3_000_000_000);
            json!({"screen_name": text("user", random), "name": text("person", random), "id": id, "id_str": id.to_string(), "indices": span(random)})
        }),
    });
    if random.chance(0.3) {
        let size = |width: i64| json!({"w": width, "h": width * 3 / 4, "resize": "fit"});
        let id = id(random);
        entities["media"] = json!([{
            "id": id,
            "id_str": id.to_string(),
            "media_url": text("uri", random),
            "media_url_https": text("uri", random),
            "type": "photo",
            "sizes": {"medium": size(600), "small": size(340), "large": size(1_024), "thumb": {"w": 150, "h": 150, "resize": "crop"}},
            "indices": span(random),
        }]);
    }
    entities
}

fn user(random: &mut Random) -> Value {
    let id = random.within(1_000, 3_000_000_000);
    let color = |random: &mut Random| text("color", random)[1..].to_uppercase();
    json!({
        "id": id,
        "id_str": id.to_string(),
        "name": text("person", random),
        "screen_name": text("user", random),
        "location": if random.chance(0.6) { text("city", random) } else { String::new() },
        "description": words(random),
        "url": maybe(random, 0.4, |random| json!(text("uri", random))),
        "entities": {"description": {"urls": several(random, 1, link)}},
        "protected": false,
        "followers_count": random.within(0, 90_000),
        "friends_count": random.within(0, 3_000),
        "listed_count": random.within(0, 90),
        "created_at": time(random),
        "favourites_count": random.within(0, 20_000),
        "utc_offset": maybe(random, 0.5, |random| json!(random.within(-10, 10) * 3_600)),
        "time_zone": maybe(random, 0.5, |random| json!(text("city", random))),
        "geo_enabled": random.chance(0.4),
        "verified": random.chance(0.05),
        "statuses_count": random.within(1, 200_000),
        "lang": random.one(&["ja", "en", "fr"]),
        "contributors_enabled": false,
        "is_translator": false,
        "is_translation_enabled": false,
        "profile_background_color": color(random),
        "profile_background_image_url": text("uri", random),
        "profile_background_image_url_https": text("uri", random),
        "profile_background_tile": random.chance(0.3),
        "profile_image_url": text("uri", random),
        "profile_image_url_https": text("uri", random),
        "profile_banner_url": text("uri", random),
        "profile_link_color": color(random),
        "profile_sidebar_border_color": color(random),
        "profile_sidebar_fill_color": color(random),
        "profile_text_color": color(random),
        "profile_use_background_image": true,
        "default_profile": random.chance(0.3),
        "default_profile_image": false,
        "following": false,
        "follow_request_sent": false,
        "notifications": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_has_the_usual_size_with_and_without_escapes() {
        let mut random = Random::new(1, "statuses");
        let lines: Vec<String> = (0..200).map(|_| status(&mut random)).collect();
        for line in &lines {
            let status: Value = serde_json::from_str(line).unwrap();
            assert!(status["user"]["id"].is_i64());
            assert_eq!(serde_json::from_str::<Value>(&escaped(&status.to_string())).unwrap(), status);
        }
        let mean = lines.iter().map(String::len).sum::<usize>() / lines.len();
        assert!((3_500..6_000).contains(&mean), "{mean}");
    }
}

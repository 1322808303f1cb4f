//! The correct answers, which are the upstream's own.
//!
//! A proxy may write an answer differently but must not change its content. That is checked once for each answer;
//! from then on every copy of it must have the same bytes, apart from its id.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::payload::{self, VARIANTS};
use crate::session::Session;

/// The answers of one contestant.
pub struct Expected {
    /// By payload, then by variant.
    answers: Vec<Vec<Answer>>,
}

struct Answer {
    /// Bytes before the id.
    before: Vec<u8>,
    /// Bytes behind it.
    after: Vec<u8>,
    /// `result`, as sent.
    result: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

impl Expected {
    /// Asks for every answer, and compares them with the truth unless they are the truth. Adapted ones may have
    /// the structure their text holds as well.
    pub fn learn(session: &mut Session, truth: Option<&Self>, adapted: bool) -> Result<Self> {
        let mut answers = Vec::new();
        for (at, payload) in payload::ALL.iter().enumerate() {
            let mut variants = Vec::new();
            for variant in 0..VARIANTS {
                let (id, body, _) = session.call(at, variant)?;
                let answer = Answer::read(id, body)?;
                if let Some(truth) = truth {
                    let wrong = || format!("{}, variant {variant}, is another answer", payload.name);
                    ensure!(answer.says_the_same_as(&truth.answers[at][variant], adapted), wrong());
                }
                variants.push(answer);
            }
            answers.push(variants);
        }
        Ok(Self { answers })
    }

    /// Whether an answer is the one that was asked for.
    pub fn check(&self, payload: usize, variant: usize, id: u64, body: &[u8]) -> Result<()> {
        let answer = &self.answers[payload][variant];
        let middle = body.strip_prefix(answer.before.as_slice());
        let middle = middle.and_then(|rest| rest.strip_suffix(answer.after.as_slice()));
        let given = middle.and_then(|id| std::str::from_utf8(id).ok()?.parse().ok());
        if given == Some(id) {
            return Ok(());
        }
        let begin = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        bail!("request {id} for {} got another answer: {begin}", payload::ALL[payload].name)
    }

    /// Whether results come byte for byte as the upstream sends them.
    pub fn has_the_bytes_of(&self, truth: &Self) -> bool {
        let pairs = self.answers.iter().flatten().zip(truth.answers.iter().flatten());
        pairs.into_iter().all(|(own, truth)| own.result == truth.result)
    }

    /// Bytes of a payload's result, on average.
    pub fn bytes(&self, payload: usize) -> usize {
        self.answers[payload].iter().map(|answer| answer.result.len()).sum::<usize>() / VARIANTS
    }
}

impl Answer {
    fn read(id: u64, body: &[u8]) -> Result<Self> {
        let text = || String::from_utf8_lossy(&body[..body.len().min(500)]).into_owned();
        let envelope: Envelope<'_> = serde_json::from_slice(body).with_context(text)?;
        let result = envelope.result.with_context(text)?.get().to_owned();
        let given = envelope.id.get().as_bytes();
        ensure!(given == id.to_string().as_bytes(), "the answer to {id} says {}", envelope.id);
        let start = given.as_ptr() as usize - body.as_ptr() as usize;
        Ok(Self { before: body[..start].to_vec(), after: body[start + given.len()..].to_vec(), result })
    }

    fn says_the_same_as(&self, truth: &Self, adapted: bool) -> bool {
        let value = |text: &str| {
            let mut value: Value = serde_json::from_str(text).ok()?;
            // What is not an error may say so.
            if value["isError"] == false {
                value.as_object_mut()?.shift_remove("isError");
            }
            Some(value)
        };
        let (Some(mut own), Some(truth)) = (value(&self.result), value(&truth.result)) else { return false };
        if adapted && truth.get("structuredContent").is_none() {
            let added = own.as_object_mut().and_then(|own| own.shift_remove("structuredContent"));
            let text = truth["content"][0]["text"].as_str().unwrap_or_default();
            if added.is_some_and(|added| serde_json::from_str(text).ok() != Some(added)) {
                return false;
            }
        }
        own == truth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(text: &str) -> Expected {
        let answer = || Answer::read(1, text.as_bytes()).unwrap();
        Expected { answers: vec![(0..VARIANTS).map(|_| answer()).collect()] }
    }

    #[test]
    fn answers_that_differ_in_their_id_are_equal() {
        let expected = expected(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
        let answer = |text: &str| expected.check(0, 3, 27, text.as_bytes());
        assert!(answer(r#"{"jsonrpc":"2.0","id":27,"result":{"content":[]}}"#).is_ok());
        for wrong in [
            r#"{"jsonrpc":"2.0","id":28,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":"27","result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":27,"result":{"content":[1]}}"#,
            r#"{"jsonrpc":"2.0","id":27,"error":{"code":1,"message":""}}"#,
            "",
        ] {
            assert!(answer(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reserialised_answer_is_not_altered() {
        let truth = r#"{"id":1,"result":{"content":[{"type":"text","text":"a\u0062"}],"n":0.20}}"#;
        let says = |text: &str| {
            Answer::read(1, text.as_bytes()).unwrap().says_the_same_as(&expected(truth).answers[0][0], false)
        };
        assert!(says(
            r#"{"id":1,"result":{"isError":false,"n":0.2,"content":[{"text":"ab","type":"text"}]}}"#
        ));
        assert!(!says(
            r#"{"id":1,"result":{"isError":true,"n":0.2,"content":[{"text":"ab","type":"text"}]}}"#
        ));
        assert!(!says(r#"{"id":1,"result":{"n":0.2,"content":[{"text":"abc","type":"text"}]}}"#));
        assert!(!says(r#"{"id":1,"result":{"content":[{"text":"ab","type":"text"}]}}"#));
    }

    #[test]
    fn adapted_answer_has_the_structure_of_its_text() {
        let truth = r#"{"id":1,"result":{"content":[{"type":"text","text":"{\"n\":1}"}]}}"#;
        let with = |structure: &str| {
            truth.replace(r#""result":{"#, &format!(r#""result":{{"structuredContent":{structure},"#))
        };
        let says = |text: &str, adapted| {
            let answer = Answer::read(1, text.as_bytes()).unwrap();
            answer.says_the_same_as(&expected(truth).answers[0][0], adapted)
        };
        assert!(says(truth, true) && says(&with(r#"{"n":1}"#), true));
        assert!(!says(&with(r#"{"n":2}"#), true) && !says(&with(r#"{"n":1}"#), false));
    }
}

//! The learners: each gets documents and returns schemas after given numbers of documents.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use schemascope_benches::places;
use schemascope_shape::{Policy, Shape};
use serde_json::{Value, json};

/// Their names, in the order of the schemas that [`Learners::learn`] gives.
pub const NAMES: [&str; 3] = ["ours", "GenSON", "GenSON closed"];

/// All learners; GenSON as one process, fed job by job.
pub struct Learners {
    child: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Learners {
    /// Starts GenSON.
    pub fn start() -> Result<Self> {
        let python =
            places::python().context("GenSON is not installed: run this as `cargo xtask bench accuracy`")?;
        let mut child = Command::new(python)
            .arg(places::script())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let jobs = child.stdin.take().context("stdin was asked for")?;
        let answers = BufReader::new(child.stdout.take().context("stdout was asked for")?);
        Ok(Self { child, jobs, answers })
    }

    /// The schemas after so many documents: for each count, one of each learner.
    pub fn learn(&mut self, documents: &[Value], counts: &[usize]) -> Result<Vec<[Value; 3]>> {
        let ours = ours(documents, counts)?;
        let mut line = serde_json::to_vec(&json!({"at": counts, "documents": documents}))?;
        line.push(b'\n');
        self.jobs.write_all(&line)?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            bail!("GenSON ended");
        }
        let genson: Vec<Value> = serde_json::from_str(&answer)?;
        let rows = ours.into_iter().zip(genson).map(|(ours, mut genson)| {
            // It names no draft in particular; all are judged alike.
            if let Some(schema) = genson.as_object_mut() {
                schema.shift_remove("$schema");
            }
            let mut closed = genson.clone();
            close(&mut closed);
            [ours, genson, closed]
        });
        Ok(rows.collect())
    }
}

impl Drop for Learners {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ours(documents: &[Value], counts: &[usize]) -> Result<Vec<Value>> {
    let mut shape = Shape::new();
    let mut schemas = Vec::new();
    let mut seen = 0;
    for count in counts {
        for document in &documents[seen..*count] {
            let bytes = serde_json::to_vec(document)?;
            shape.observe(&bytes).map_err(|error| anyhow::anyhow!("cannot observe {document}: {error:?}"))?;
        }
        seen = *count;
        schemas.push(shape.schema(&Policy::default()));
    }
    Ok(schemas)
}

/// Says of every object with properties that it has no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("properties").is_some_and(Value::is_object)
                && object.get("type").is_some_and(|kind| kind.is_string() || kind.is_array())
            {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

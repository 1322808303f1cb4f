//! An upstream to measure proxies with: five tools whose answers are written before the first call, so that the time
//! of a call is the proxy's.
//!
//! It serves stdio, or with `--http` Streamable HTTP on a free port; the first line on stdout is the URL.

mod answers;
mod http;

use std::io::{self, BufRead, Write};

use clap::Parser;

use crate::answers::Answers;

/// Bytes read and written at once: several of the largest answers.
const BUFFER: usize = 256 << 10;

/// An upstream that answers at once with payloads of known sizes.
#[derive(Debug, Parser)]
struct Args {
    /// Listen on a free port instead of stdin
    #[arg(long)]
    http: bool,
}

fn main() -> io::Result<()> {
    let answers = Answers::new();
    if Args::parse().http { http::serve(answers) } else { lines(&answers) }
}

/// Answers every line. Requests that arrive together are answered together.
fn lines(answers: &Answers) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(BUFFER, io::stdin().lock());
    let mut out = io::stdout().lock();
    let (mut line, mut waiting) = (Vec::new(), Vec::with_capacity(BUFFER));
    while input.read_until(b'\n', &mut line)? > 0 {
        if answers.answer(&line, &mut waiting) {
            waiting.push(b'\n');
        }
        line.clear();
        let more = memchr::memchr(b'\n', input.buffer()).is_some();
        if !more || waiting.len() > BUFFER {
            out.write_all(&waiting)?;
            // A line-buffered stdout would look for line ends in all of it again.
            out.flush()?;
            waiting.clear();
        }
    }
    Ok(())
}

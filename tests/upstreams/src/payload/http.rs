//! Minimal Streamable HTTP for the load client: one answer per POST, as JSON, on connections that stay open.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use crate::answers::Answers;

/// Listens on a free port and says where.
pub fn serve(answers: Answers) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut out = io::stdout().lock();
    writeln!(out, "http://{}/mcp", listener.local_addr()?)?;
    out.flush()?;
    let answers = Arc::new(answers);
    for stream in listener.incoming() {
        let (stream, answers) = (stream?, Arc::clone(&answers));
        // A client that goes away ends its connection only.
        std::thread::spawn(move || drop(talk(stream, &answers)));
    }
    Ok(())
}

fn talk(mut stream: TcpStream, answers: &Answers) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut received, mut body, mut response) = (Vec::new(), Vec::new(), Vec::new());
    let mut block = vec![0; 64 << 10];
    loop {
        let (head, length) = loop {
            if let Some(end) = memchr::memmem::find(&received, b"\r\n\r\n") {
                let length = content_length(&received[..end]).unwrap_or(0);
                if received.len() >= end + 4 + length {
                    break (end + 4, length);
                }
            }
            match stream.read(&mut block)? {
                0 => return Ok(()),
                n => received.extend_from_slice(&block[..n]),
            }
        };
        body.clear();
        let answered = answers.answer(&received[head..head + length], &mut body);
        response.clear();
        if answered {
            write!(
                response,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: one\r\ncontent-length: {}\r\n\r\n",
                body.len()
            )?;
            response.extend_from_slice(&body);
        } else {
            response.extend_from_slice(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
        }
        stream.write_all(&response)?;
        received.drain(..head + length);
    }
}

fn content_length(head: &[u8]) -> Option<usize> {
    let head = std::str::from_utf8(head).ok()?;
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") { value.trim().parse().ok() } else { None }
    })
}

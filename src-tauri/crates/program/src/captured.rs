//! Output of a program, bounded: its head and its tail.

use std::collections::VecDeque;

/// Output of which the middle is left out beyond a limit.
#[derive(Debug, Default)]
pub struct Captured {
    limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Captured {
    /// Keeps at most `limit` bytes: the first half and the last.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds output.
    pub fn push(&mut self, bytes: &[u8]) {
        let half = self.limit / 2;
        let to_head = bytes.len().min(half.saturating_sub(self.head.len()));
        let (head, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(head);
        let room = self.limit - half;
        // Only the last bytes of a large piece can stay.
        let skipped = rest.len().saturating_sub(room);
        let rest = rest.get(skipped..).unwrap_or_default();
        let dropped = (self.tail.len() + rest.len()).saturating_sub(room);
        self.tail.drain(..dropped.min(self.tail.len()));
        self.tail.extend(rest);
        self.left_out += (skipped + dropped) as u64;
    }

    /// Number of bytes that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether there was no output.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    /// The output as text, with a sentence where something was left out. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        let (front, back) = self.tail.as_slices();
        let tail = [front, back].concat();
        if self.left_out == 0 {
            return String::from_utf8_lossy(&[&self.head[..], &tail].concat()).into_owned();
        }
        format!(
            "{}\n[… {} bytes left out …]\n{}",
            String::from_utf8_lossy(&self.head),
            self.left_out,
            String::from_utf8_lossy(&tail)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_head_and_tail() {
        let mut captured = Captured::new(10);
        captured.push(b"0123456789");
        assert_eq!((captured.text().as_str(), captured.left_out()), ("0123456789", 0));
        captured.push(b"abc");
        captured.push(&[b'x'; 100]);
        assert_eq!(captured.left_out(), 103);
        assert_eq!(captured.text(), "01234\n[… 103 bytes left out …]\nxxxxx");
        assert!(Captured::new(10).is_empty());
    }
}

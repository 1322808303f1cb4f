//! Progress of long work. It is shown on a terminal only, and what else is written to stderr goes above it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::LazyLock;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

static SHOWN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Work whose length is unknown.
pub fn spinner(message: impl Into<Cow<'static, str>>) -> ProgressBar {
    let spinner = SHOWN.add(ProgressBar::new_spinner().with_message(message));
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}

/// Work of a known length, as a template of indicatif shows it.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    SHOWN.add(ProgressBar::new(length).with_style(style))
}

/// Writes to stderr without tearing what is shown there.
pub fn above<T>(write: impl FnOnce() -> T) -> T {
    SHOWN.suspend(write)
}

/// The log on stderr.
pub struct Log;

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        above(|| io::stderr().lock().write(line))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

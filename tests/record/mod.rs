//! Recording: what is kept, what is hidden, and what survives damage.

#[cfg(unix)]
mod data_directory;
mod edges;
mod recording;
mod redaction;
#[cfg(unix)]
mod stopped;
#[cfg(unix)]
mod torture;

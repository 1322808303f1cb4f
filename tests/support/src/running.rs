//! A process that ends with the test.

use std::process::Child;

/// Killed when dropped.
#[derive(Debug)]
pub(crate) struct KilledOnDrop(pub(crate) Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // Gone already is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

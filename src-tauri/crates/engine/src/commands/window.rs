//! Showing the window.

use schemascope_api::{ApiError, ShowWindow};

use super::Handle;
use crate::engine::Engine;

handlers![ShowWindow];

impl Handle<ShowWindow> for Engine {
    async fn handle(&self, _: ShowWindow) -> Result<(), ApiError> {
        self.records.events.show_window();
        Ok(())
    }
}

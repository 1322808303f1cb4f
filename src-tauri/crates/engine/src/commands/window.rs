//! Windows.

use schemascope_api::{ApiError, ShowWindow};

use super::Handle;
use crate::engine::Engine;

impl Handle<ShowWindow> for Engine {
    async fn handle(&self, _: ShowWindow) -> Result<(), ApiError> {
        self.events.show_window();
        Ok(())
    }
}

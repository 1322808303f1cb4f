//! Errors for fronts.

use schemascope_api::{ApiError, ErrorKind};
use schemascope_model::ToolId;
use schemascope_registry::versions::Refused;

/// An error that should not happen.
pub(crate) fn internal(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Internal, error.to_string())
}

/// An error for a rejected decision, or for one that names something unknown.
pub(crate) fn refused(tool: &ToolId, refused: &Refused) -> ApiError {
    let kind = match refused {
        Refused::NoVersions | Refused::NoSuchVersion { .. } | Refused::NoSuchDrift { .. } => {
            ErrorKind::NotFound
        }
        _ => ErrorKind::Invalid,
    };
    ApiError::new(kind, format!("{tool}: {refused}"))
}

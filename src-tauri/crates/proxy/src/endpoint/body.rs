//! Reading the whole body of a request within a time limit.

use std::time::Duration;

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

/// Limit for a body to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// The whole body of a request. A body that is too large is rejected with 413, an incomplete one with 400, and one
/// that takes more than a minute with 408.
#[derive(Debug)]
pub struct RequestBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RequestBody {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        within(BODY_TIMEOUT, request, state).await
    }
}

async fn within<S: Send + Sync>(
    timeout: Duration,
    request: Request,
    state: &S,
) -> Result<RequestBody, Response> {
    match tokio::time::timeout(timeout, Bytes::from_request(request, state)).await {
        Ok(Ok(body)) => Ok(RequestBody(body)),
        // Keeps axum's status. The rest of the body is not read, so the connection must be closed.
        Ok(Err(rejection)) => Err(([(header::CONNECTION, "close")], rejection).into_response()),
        Err(_) => {
            let message = format!("the body of the request did not arrive within {} s\n", timeout.as_secs());
            Err((StatusCode::REQUEST_TIMEOUT, [(header::CONNECTION, "close")], message).into_response())
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use std::convert::Infallible;
    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn incomplete_and_large_bodies_are_rejected() {
        let begun = tokio_stream::once(Ok::<_, Infallible>(Bytes::from_static(b"{")));
        let request = |body| Request::builder().body(body).unwrap();
        let body = within(BODY_TIMEOUT, request(Body::from_stream(begun)), &()).await.unwrap();
        assert_eq!(body.0, "{");
        let begun = tokio_stream::once(Ok::<_, Infallible>(Bytes::from_static(b"{")));
        let endless = Body::from_stream(begun.chain(tokio_stream::pending()));
        let rejection = within(Duration::from_millis(10), request(endless), &()).await.unwrap_err();
        assert_eq!(rejection.status(), StatusCode::REQUEST_TIMEOUT);
        // Otherwise the client would send its next request on this connection.
        let large = request(Body::from(vec![b' '; 3 << 20]));
        let rejection = within(BODY_TIMEOUT, large, &()).await.unwrap_err();
        assert_eq!(rejection.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(rejection.headers()[header::CONNECTION], "close");
    }
}

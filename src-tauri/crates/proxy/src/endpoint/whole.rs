//! A request's body, all of it, in time.
//!
//! Owns: how long a body may take. Refuses to know: what it says.

use std::time::Duration;

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A whole body. One that is too large, breaks off or takes more than a minute is refused: 413, 400, 408.
#[derive(Debug)]
pub struct Whole(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Whole {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        within(PATIENCE, request, state).await
    }
}

async fn within<S: Send + Sync>(patience: Duration, request: Request, state: &S) -> Result<Whole, Response> {
    match tokio::time::timeout(patience, Bytes::from_request(request, state)).await {
        Ok(Ok(body)) => Ok(Whole(body)),
        // axum's own status says which. The rest of the body is not read, so nothing can follow it.
        Ok(Err(rejection)) => Err(([(header::CONNECTION, "close")], rejection).into_response()),
        Err(_) => {
            let message = format!("the request's body did not arrive within {} s\n", patience.as_secs());
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
    async fn a_body_that_does_not_end_is_given_up() {
        let begun = tokio_stream::once(Ok::<_, Infallible>(Bytes::from_static(b"{")));
        let request = |body| Request::builder().body(body).unwrap();
        let whole = within(PATIENCE, request(Body::from_stream(begun)), &()).await.unwrap();
        assert_eq!(whole.0, "{");
        let begun = tokio_stream::once(Ok::<_, Infallible>(Bytes::from_static(b"{")));
        let endless = Body::from_stream(begun.chain(tokio_stream::pending()));
        let refusal = within(Duration::from_millis(10), request(endless), &()).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::REQUEST_TIMEOUT);
        // Or a client sends its next request where it cannot be answered.
        let large = request(Body::from(vec![b' '; 3 << 20]));
        let refusal = within(PATIENCE, large, &()).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(refusal.headers()[header::CONNECTION], "close");
    }
}

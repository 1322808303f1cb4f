//! Requests to every route with every token, to a real listener.

use schemascope_proxy::OWN_SERVER;

use super::*;
use crate::options::Options;
use crate::recording::mode::Durability;

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A dashboard of one page.
struct OnePage;

impl Pages for OnePage {
    fn get(&self, name: &str) -> Option<Page> {
        let (content_type, bytes) = ("text/html".into(), b"page".as_slice().into());
        (name == "index.html").then(|| Page { content_type, bytes, gzipped: false, tag: "1".into() })
    }
}

/// Every path of the listener with who may use it: the routes, with names that exist and one that does not.
fn paths(engine: &Arc<Engine>) -> Vec<(Access, String)> {
    let token = CancellationToken::new();
    let names = |path: &str| match path.starts_with("/api/") {
        true => crate::commands::names().chain(["nope"]).collect(),
        false => vec![OWN_SERVER, "nope"],
    };
    let of = |(access, path, _): (Access, &'static str, MethodRouter)| {
        let paths = match path.contains("{name}") {
            true => names(path).into_iter().map(|name| path.replace("{name}", name)).collect(),
            false => vec![path.to_owned()],
        };
        paths.into_iter().map(move |path| (access, path))
    };
    routes(engine, &token, &token).into_iter().flat_map(of).collect()
}

/// Serves an engine, and hands the paths, the tokens and a way to ask to a check.
fn served(no_auth: bool, check: impl FnOnce(&[(Access, String)], &Tokens, &dyn Fn(&str, &str, &str) -> u16)) {
    let dir = tempfile::tempdir().unwrap();
    let options = Options::resolve(Some(dir.path().join("data")), None, Durability::Relaxed).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let shutdown = CancellationToken::new();
    let (engine, tokens, instance, task) = runtime.block_on(async {
        let engine = Arc::new(Engine::open(&options).unwrap());
        let tokens = engine.data().tokens().unwrap();
        let agent = tokens.agent.clone().filter(|_| !no_auth);
        let serving = Serving {
            address: "127.0.0.1:0".parse().unwrap(),
            tokens: Tokens { agent, ..tokens.clone() },
            pages: Arc::new(OnePage),
        };
        let (ready, is_ready) = tokio::sync::oneshot::channel();
        let served = serve(Arc::clone(&engine), serving, shutdown.clone(), |instance| {
            let _ = ready.send(instance.clone());
        });
        let task = tokio::spawn(served);
        (engine, tokens, is_ready.await.unwrap(), task)
    });
    let config = ureq::Agent::config_builder().proxy(None).http_status_as_error(false);
    let client = ureq::Agent::from(config.allow_non_standard_methods(true).build());
    let status = |method: &str, path: &str, token: &str| {
        // A connection is not used again after a body that was not read.
        let request = ureq::http::Request::builder().method(method).header("connection", "close");
        let request = request.uri(format!("http://{}{path}", instance.address));
        let request = match token {
            "" => request,
            token => request.header("authorization", format!("Bearer {token}")),
        };
        let answer = client.run(request.body(()).unwrap());
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error}")).status().as_u16()
    };
    let routed = {
        let _inside = runtime.enter();
        paths(&engine)
    };
    check(&routed, &tokens, &status);
    shutdown.cancel();
    runtime.block_on(async {
        task.await.unwrap().unwrap();
        engine.close().await;
    });
}

#[test]
fn every_route_is_open_to_its_tokens_only() {
    served(false, |paths, tokens, status| {
        let agent = tokens.agent.as_deref().unwrap();
        assert!(paths.len() > 30, "{paths:?}");
        for (access, path) in paths {
            for method in METHODS {
                let rejected =
                    |token: &str| Some(status(method, path, token)).filter(|s| matches!(s, 401 | 403));
                for wrong in
                    ["", "wrong", &agent[1..], &tokens.owner[1..], &format!("{agent}{}", tokens.owner)]
                {
                    assert_eq!(rejected(wrong), Some(401), "{method} {path} with {wrong:?}");
                }
                let expected = (*access == Access::Owner).then_some(403);
                assert_eq!(rejected(agent), expected, "{method} {path} with the agent token");
                assert_eq!(rejected(&tokens.owner), None, "{method} {path} with the owner token");
            }
        }
    });
}

#[test]
fn no_auth_opens_mcp_only() {
    served(true, |paths, tokens, status| {
        let agent = tokens.agent.as_deref().unwrap();
        for (access, path) in paths {
            let rejected = |token: &str| Some(status("POST", path, token)).filter(|s| matches!(s, 401 | 403));
            let expected = (*access == Access::Owner).then_some(401);
            for token in ["", "wrong", agent] {
                assert_eq!(rejected(token), expected, "{path} with {token:?}");
            }
            assert_eq!(rejected(&tokens.owner), None, "{path} with the owner token");
        }
    });
}

#[test]
fn other_paths_serve_pages_or_nothing() {
    served(false, |_, tokens, status| {
        let agent = tokens.agent.as_deref().unwrap();
        for path in ["/", "/tools", "/calls"] {
            assert_eq!(status("GET", path, ""), 200, "{path}");
        }
        for path in [
            "/api",
            "/api/",
            "/api/list_tools/",
            "/api//list_tools",
            "/%61pi/list_tools",
            "/API/list_tools",
            "/mcp/../api/list_tools",
            "/mcp/%2e%2e/api/list_tools",
            "/mcp/a/b",
            "//api/list_tools",
        ] {
            for token in ["", agent] {
                let seen = status("POST", path, token);
                assert!(matches!(seen, 401 | 403 | 404 | 405), "{path} with {token:?}: {seen}");
            }
        }
    });
}

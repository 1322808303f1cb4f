//! The report as one HTML page, for people who do not use Schemascope.
//!
//! The page makes no request and has no script; its charts are drawn by the code that draws the dashboard's. Names of
//! servers and tools are text, never markup. Values, fields and paths are left out.

mod html;
mod sections;

use schemascope_api::FullReport;

use html::escape;

/// Returns the page, in UTF-8. `version` is that of the program.
pub fn page(report: &FullReport, version: &str) -> String {
    let at = html::minute(report.at);
    let sections = [
        sections::summary(report),
        sections::schemas(report),
        sections::coverage(report),
        sections::violated(report),
        sections::drift(report),
        sections::top_tools(report),
        sections::edges(report),
        sections::tokens(report),
        sections::recording(report),
        sections::words(),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Schemascope report, {at}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"brand\">Schemascope</p>\n<h1>What the tools return</h1>\n\
         <p class=\"lead\">{}</p>\n<p class=\"faint\">{at} · Schemascope {}</p>\n</header>\n<main>\n{}</main>\n\
         </body>\n</html>\n",
        include_str!("../../../../assets/report.css"),
        sections::lead(report),
        escape(version),
        sections.concat()
    )
}

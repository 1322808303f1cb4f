//! Prints the tables and the bars, in Markdown.
use crate::curve::{ALL, Curves, Each};
use crate::generate::CLASSES;
use crate::learners::NAMES;
use crate::mutate::Kind;
use crate::random_schemas::COUNTS;
use crate::webhooks::CLASS as GITHUB;

/// F1 that all generated classes together must reach at [`JUDGED`] observations.
const OVERALL: f64 = 0.95;
/// F1 that each of them must reach there.
const EACH: f64 = 0.85;
/// The column the bars look at: 100 observations.
const JUDGED: usize = 3;

fn name(class: usize) -> &'static str {
    CLASSES.get(class).map_or("github", |(name, _)| name)
}

fn column(at: usize) -> String {
    if at == ALL { format!("all ({})", COUNTS[ALL]) } else { format!("n = {}", COUNTS[at]) }
}

/// A figure between 0 and 1.
pub fn number(value: f64) -> String {
    if value >= 0.9995 { "1.00".to_owned() } else { format!("{value:.3}").trim_start_matches('0').to_owned() }
}

/// Prints one table: a row per class and one for all, a column per number of observations.
fn table(title: &str, cell: impl Fn(usize, &dyn Fn(usize) -> bool) -> Option<String>) {
    println!("\n{title}\n");
    let columns: Vec<String> = (0..COUNTS.len()).map(column).collect();
    println!("| class | {} |", columns.join(" | "));
    println!("|---|{}", "---|".repeat(COUNTS.len()));
    let row = |name: &str, fits: &dyn Fn(usize) -> bool| {
        let cells: Vec<String> =
            (0..COUNTS.len()).map(|at| cell(at, fits).unwrap_or_else(|| "–".to_owned())).collect();
        println!("| {name} | {} |", cells.join(" | "));
    };
    for class in 0..=GITHUB {
        row(name(class), &|other| other == class);
    }
    row("**all but github**", &|class| class != GITHUB);
}

fn joined(values: Each<f64>) -> String {
    values.map(number).join(" · ")
}

/// Prints F1 by class and number of observations, and with details precision, recall and kinds.
pub fn print(curves: &Curves, details: bool) {
    let names = NAMES.join(" · ");
    table(&format!("F1, all instances counted alike: {names}"), |at, fits| {
        curves.micro(at, fits).map(|scores| joined(scores.map(|score| score.f1())))
    });
    table(&format!("F1, all schemas counted alike (mean over schemas): {names}"), |at, fits| {
        curves.macro_f1(at, fits).map(joined)
    });
    if details {
        table(&format!("Precision / recall: {names}"), |at, fits| {
            let pair = |score: crate::score::Score| {
                format!("{}/{}", number(score.precision()), number(score.recall()))
            };
            curves.micro(at, fits).map(|scores| scores.map(pair).join(" · "))
        });
        for who in 0..NAMES.len() {
            kinds(curves, who);
        }
    }
    let counts: Vec<String> = (0..COUNTS.len()).map(|at| curves.count(GITHUB, at).to_string()).collect();
    println!("\ngithub: one payload left out in turn; events per column: {}.", counts.join(", "));
}

/// Prints which damage one learner's schemas let pass, by class.
fn kinds(curves: &Curves, who: usize) {
    println!("\nDamage that passed {} at {}, %\n", NAMES[who], column(JUDGED));
    println!("| class | {} |", Kind::ALL.map(|kind| kind.to_string()).join(" | "));
    println!("|---|{}", "---|".repeat(Kind::ALL.len()));
    for class in 0..=GITHUB {
        let at = if class == GITHUB { ALL } else { JUDGED };
        let Some(scores) = curves.micro(at, |other| other == class) else { continue };
        let cells = scores[who].kinds.map(|(wrong, all)| match all {
            0.0 => "–".to_owned(),
            all => format!("{:.0} of {all:.0}", 100.0 * wrong / all),
        });
        println!("| {} | {} |", name(class), cells.join(" | "));
    }
}

/// Prints the bars. Whether all are passed.
pub fn bars(curves: &Curves) -> bool {
    println!();
    let bar = |what: String, missed: Vec<String>| {
        let verdict = if missed.is_empty() { "PASS" } else { "FAIL" };
        println!("- {verdict}: {what}{}{}", if missed.is_empty() { "" } else { ": " }, missed.join(", "));
        missed.is_empty()
    };
    let mut passed = true;
    for (who, peer) in NAMES.iter().enumerate().skip(1) {
        let mut missed = Vec::new();
        for (class, at) in (0..=GITHUB).flat_map(|class| (0..COUNTS.len()).map(move |at| (class, at))) {
            let Some(f1) = curves.micro(at, |other| other == class).map(|s| s.map(|score| score.f1())) else {
                continue;
            };
            if f1[0] <= f1[who] {
                missed.push(format!(
                    "{} at {} ({} against {})",
                    name(class),
                    column(at),
                    number(f1[0]),
                    number(f1[who])
                ));
            }
        }
        passed &= bar(format!("ahead of {peer} in every class at every n"), missed);
    }
    let generated = |class: usize| class != GITHUB;
    let overall: Vec<String> = (0..COUNTS.len())
        .filter_map(|at| Some(format!("{} at {}", number(curves.micro(at, generated)?[0].f1()), column(at))))
        .collect();
    println!("- overall: {}", overall.join(", "));
    let judged = |fits: &dyn Fn(usize) -> bool| curves.micro(JUDGED, fits).map(|scores| scores[0].f1());
    let low = judged(&generated).filter(|f1| *f1 < OVERALL).map(number);
    passed &= bar(format!("overall at least {OVERALL} at {}", column(JUDGED)), low.into_iter().collect());
    let low = (0..GITHUB).filter_map(|class| {
        let f1 = judged(&|other| other == class).filter(|f1| *f1 < EACH)?;
        Some(format!("{} {}", name(class), number(f1)))
    });
    passed &= bar(format!("no class below {EACH} at {}", column(JUDGED)), low.collect());
    passed
}

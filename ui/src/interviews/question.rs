//! The open question: the form it is answered in, and answers as the interview tools read them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::found::{items, text, texts};

/// Start of the help text of questions to which several choices can apply.
const SEVERAL: &str = "Answer with the values that apply";

/// A question that can be answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Id of the Discovery Schema.
    pub ds_id: String,
    /// Its id.
    pub question_id: String,
    /// Its words.
    pub text: String,
    /// Form of the answer.
    pub form: AnswerForm,
    /// How to answer.
    pub help_text: String,
    /// Why it is asked.
    pub rationale: String,
    /// What it costs of the budget.
    pub cost: f64,
    /// What is left of the budget.
    pub remaining: f64,
    /// How the file of the Discovery Schema changed since the pursuit began.
    pub changed: Option<String>,
    /// Notes that were delivered with the question.
    pub notes: Vec<String>,
}

/// Form of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum AnswerForm {
    /// Words.
    #[default]
    Text,
    /// One of these choices, or several of them.
    Choice(Vec<String>, bool),
    /// A table with these headings, and rows to begin with.
    Table(Vec<String>, Vec<Vec<String>>),
}

impl Question {
    /// Reads the reply of `get_next_question`.
    pub fn read(reply: &Value) -> Self {
        let number = |key: &str| reply.get(key).and_then(Value::as_f64).unwrap_or_default();
        let help_text = text(reply, "help_text");
        Self {
            ds_id: text(reply, "ds_id"),
            question_id: text(reply, "question_id"),
            text: text(reply, "question"),
            form: AnswerForm::read(reply, help_text.starts_with(SEVERAL)),
            help_text,
            rationale: text(reply, "rationale"),
            cost: number("budget_cost"),
            remaining: number("budget_remaining"),
            changed: reply.get("ds_changed").and_then(Value::as_str).map(str::to_owned),
            notes: items(reply, "notes").iter().map(|note| text(note, "text")).collect(),
        }
    }

    /// The rows of an empty table; none for other forms.
    pub fn first_rows(&self) -> Vec<Vec<String>> {
        match &self.form {
            AnswerForm::Table(headings, rows) if rows.is_empty() => vec![vec![String::new(); headings.len()]],
            AnswerForm::Table(_, rows) => rows.clone(),
            AnswerForm::Text | AnswerForm::Choice(..) => Vec::new(),
        }
    }
}

impl AnswerForm {
    fn read(reply: &Value, takes_several: bool) -> Self {
        let choices = texts(reply, "choices");
        match reply.get("question_type").and_then(Value::as_str) {
            Some("choice") if !choices.is_empty() => Self::Choice(choices, takes_several),
            Some("table") => match read_table(&text(reply, "table_template")) {
                Some((headings, rows)) => Self::Table(headings, rows),
                None => Self::Text,
            },
            _ => Self::Text,
        }
    }

    /// The answer in the form that `process_ds_answer` reads. `None` if there is none yet.
    pub fn answer(&self, words: &str, chosen: &BTreeSet<String>, rows: &[Vec<String>]) -> Option<String> {
        match self {
            Self::Text => Some(words.to_owned()).filter(|words| !words.trim().is_empty()),
            Self::Choice(choices, false) => choices.iter().find(|choice| chosen.contains(*choice)).cloned(),
            Self::Choice(choices, true) => {
                let chosen = choices.iter().filter(|choice| chosen.contains(*choice));
                let chosen: Vec<Value> = chosen.cloned().map(Value::from).collect();
                (!chosen.is_empty()).then(|| Value::from(chosen).to_string())
            }
            Self::Table(headings, _) => {
                let is_filled = |row: &&Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
                let rows: Vec<&Vec<String>> = rows.iter().filter(is_filled).collect();
                (!rows.is_empty()).then(|| write_table(headings, &rows))
            }
        }
    }
}

/// Reads headings and rows of a Markdown table.
fn read_table(markdown: &str) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let mut lines = markdown.lines().filter(|line| line.trim_start().starts_with('|'));
    let headings = cells(lines.next()?);
    let rows = lines.skip(1).map(|line| {
        let mut row = cells(line);
        row.resize(headings.len(), String::new());
        row
    });
    let rows = rows.collect();
    Some((headings, rows))
}

/// The cells of a line: between bars, with `\|` for a bar within one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = line.trim().chars().skip(1);
    while let Some(c) = chars.next() {
        match c {
            '\\' => cell.extend(chars.next()),
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    cells
}

fn write_table(headings: &[String], rows: &[&Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let escaped = |cell: &String| cell.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
    let mut table = line(&mut headings.iter().map(escaped));
    table.push_str(&line(&mut headings.iter().map(|_| "---".to_owned())));
    for row in rows {
        table.push_str(&line(&mut row.iter().map(escaped)));
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(reply: &Value) -> Question {
        Question::read(reply)
    }

    #[test]
    fn table_is_read_filled_and_written() {
        let template = "| step-id | time \\| unit |\n| --- | --- |\n| a\\\\b |  |\n";
        let asked = question(&json!({"question_type": "table", "table_template": template}));
        let AnswerForm::Table(headings, rows) = &asked.form else { panic!("{asked:?}") };
        assert_eq!(*headings, ["step-id", "time | unit"]);
        assert_eq!(*rows, [["a\\b".to_owned(), String::new()]]);
        let empty = vec![String::new(), " ".to_owned()];
        let filled = asked.form.answer("", &BTreeSet::new(), &[rows[0].clone(), empty.clone()]);
        assert_eq!(filled.as_deref(), Some(template));
        assert_eq!(asked.form.answer("", &BTreeSet::new(), &[empty]), None);
    }

    #[test]
    fn one_choice_is_text_and_several_are_json() {
        let choices = json!(["A, B", "C"]);
        let help = format!("{SEVERAL}, or their numbers.");
        let one = question(&json!({"question_type": "choice", "choices": choices}));
        let several = question(&json!({"question_type": "choice", "choices": choices, "help_text": help}));
        let chosen = BTreeSet::from(["C".to_owned(), "A, B".to_owned()]);
        assert_eq!(one.form.answer("", &BTreeSet::from(["C".to_owned()]), &[]).as_deref(), Some("C"));
        assert_eq!(several.form.answer("", &chosen, &[]).as_deref(), Some("[\"A, B\",\"C\"]"));
        assert_eq!(several.form.answer("words", &BTreeSet::new(), &[]), None);
    }

    #[test]
    fn question_without_choices_or_template_takes_words() {
        for reply in [json!({"question_type": "choice"}), json!({"question_type": "table"}), json!({})] {
            let asked = question(&reply);
            assert_eq!(asked.form, AnswerForm::Text, "{reply}");
            assert_eq!(asked.form.answer(" ", &BTreeSet::new(), &[]), None);
            assert_eq!(asked.form.answer("a\nb", &BTreeSet::new(), &[]).as_deref(), Some("a\nb"));
        }
    }
}

//! Secrets in tables of JSON: `{"columns": ["user", "password"], "rows": [["ann", "x"]]}`, rows below a row of names, and
//! pairs of a name and a value.

/// Most sensitive columns of a table.
const MAX_COLUMNS: usize = 64;

/// What one container of a document says about columns.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Whether this is an array inside an array: a row, perhaps.
    is_row: bool,
    /// Whether names in this array are those of columns: it is under a key such as `columns`, or the first row.
    names: bool,
    /// Number of items before the current one.
    index: usize,
    /// Indices of items that are sensitive names.
    named: Vec<usize>,
    /// Sensitive columns of the rows in this container.
    below: Sensitive,
    /// Sensitive columns of this row.
    row: Sensitive,
}

/// Columns whose values are secrets.
#[derive(Debug, Clone, Default)]
struct Sensitive {
    columns: Vec<usize>,
    /// Whether their names are known to be those of columns.
    certain: bool,
}

/// Why an item is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    Certain,
    /// If it looks like one.
    Possible,
}

/// A container around another one.
pub(super) struct Above<'c> {
    pub(super) columns: &'c mut Columns,
    pub(super) is_object: bool,
}

impl Columns {
    /// Those of an array that opens. `is_named` says that it is under a key such as `columns`.
    pub(super) fn of_array(above: Option<&Above<'_>>, is_named: bool) -> Self {
        let Some(Above { columns, is_object }) = above else { return Self::default() };
        let below = columns.below.clone();
        match is_object {
            true => Self { names: is_named, below, ..Self::default() },
            false => Self { is_row: true, names: columns.index == 0, row: below, ..Self::default() },
        }
    }

    /// Goes to the next item.
    pub(super) fn next(&mut self) {
        self.index += 1;
    }

    /// Whether the current item is the first.
    pub(super) fn at_first(&self) -> bool {
        self.index == 0
    }

    /// Whether the current item is the first, the third, and so on.
    pub(super) fn is_even(&self) -> bool {
        self.index.is_multiple_of(2)
    }

    /// Whether it matters that the current item is a sensitive name.
    pub(super) fn may_be_name(&self) -> bool {
        self.names || self.is_row && self.index == 0
    }

    /// Notes that the current item is a sensitive name.
    pub(super) fn is_name(&mut self) {
        if self.named.len() < MAX_COLUMNS {
            self.named.push(self.index);
        }
    }

    /// Whether the current item is a secret.
    pub(super) fn secrecy(&self) -> Option<Secrecy> {
        if self.row.columns.contains(&self.index) {
            return Some(if self.row.certain { Secrecy::Certain } else { Secrecy::Possible });
        }
        (self.is_row && self.index == 1 && self.named == [0]).then_some(Secrecy::Possible)
    }

    /// Tells the container around this one, which closes, which columns it names.
    pub(super) fn close(self, above: &mut Above<'_>) {
        let certain = above.is_object;
        let is_pair = self.named == [0] && self.index == 1;
        if self.names && !self.named.is_empty() && (certain || !is_pair) {
            above.columns.below = Sensitive { columns: self.named, certain };
        }
    }
}

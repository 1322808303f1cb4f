//! Widths of table columns, as CSS grid tracks.
//!
//! A table has three sizes. The stylesheet chooses one of the grids by the width of the table.

use std::fmt::Write;

/// Width of a column. Pixels are those of the standard text size and grow with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Width {
    /// Always this many pixels.
    Fixed(u16),
    /// At least this many pixels, and a share of what is left.
    Share(u16, f32),
}

/// Smallest size of a table that shows a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// Every table.
    Always,
    /// Tables of medium width.
    Medium,
    /// Wide tables.
    Wide,
}

impl Shown {
    /// Smallest size of a table of at least this width, in pixels. The stylesheet has the same limits.
    pub const fn from_width(pixels: u16) -> Self {
        match pixels {
            0 => Self::Always,
            1..=780 => Self::Medium,
            _ => Self::Wide,
        }
    }

    /// The class that hides a cell in narrower tables.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Always => "",
            Self::Medium => "from-medium",
            Self::Wide => "from-wide",
        }
    }
}

/// The `grid-template-columns` of a table of this size.
pub fn grid(columns: impl Iterator<Item = (Width, Shown)>, size: Shown) -> String {
    let mut grid = String::new();
    for (width, _) in columns.filter(|(_, shown)| *shown <= size) {
        let _ = match width {
            Width::Fixed(pixels) => write!(grid, "calc({pixels} * var(--u)) "),
            Width::Share(pixels, share) => write!(grid, "minmax(calc({pixels} * var(--u)), {share}fr) "),
        };
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_contains_the_columns_of_its_size() {
        let columns = [
            (Width::Share(140, 1.5), Shown::Always),
            (Width::Fixed(80), Shown::Wide),
            (Width::Fixed(60), Shown::Medium),
        ];
        let grid = |size| grid(columns.into_iter(), size);
        assert_eq!(grid(Shown::Always), "minmax(calc(140 * var(--u)), 1.5fr) ");
        assert_eq!(grid(Shown::Medium).matches("calc").count(), 2);
        assert_eq!(grid(Shown::Wide).matches("calc").count(), 3);
    }
}

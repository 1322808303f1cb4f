//! Widths of table columns, as CSS grid tracks.
//!
//! A table has five sizes. The stylesheet chooses one of the grids by the width of the table.

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
    /// All but tables in the narrowest windows.
    Small,
    /// Tables of medium width.
    Medium,
    /// Wide tables.
    Wide,
    /// The widest tables.
    Full,
}

impl Shown {
    /// All sizes, with the smallest width of a table of each, in pixels. The stylesheet has the same limits.
    pub const SIZES: [(Self, u16); 5] =
        [(Self::Always, 0), (Self::Small, 560), (Self::Medium, 830), (Self::Wide, 1030), (Self::Full, 1190)];

    /// Smallest size of tables of which all are at least this wide, in pixels.
    pub fn from_width(pixels: u16) -> Self {
        let fits = |(_, least): &&(Self, u16)| *least >= pixels;
        Self::SIZES.iter().find(fits).map_or(Self::Full, |(size, _)| *size)
    }

    /// The class that hides a cell in narrower tables.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Always => "",
            Self::Small => "from-small",
            Self::Medium => "from-medium",
            Self::Wide => "from-wide",
            Self::Full => "from-full",
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

    /// Pixels between two columns, and on both sides of a row with a scrollbar.
    const GAP: u16 = 14;
    const SIDES: u16 = 14 + 29;

    #[test]
    fn tools_fit_into_every_table() {
        let shown = schemascope_api::TOOL_COLUMNS.iter().filter(|column| column.shown_in.is_in_dashboard());
        let columns: Vec<_> =
            shown.map(|column| (column.width, Shown::from_width(column.min_table_width))).collect();
        for (size, least) in Shown::SIZES {
            // No window is narrower than 390 pixels.
            let room = if size == Shown::Always { 316 } else { least };
            let widths: Vec<u16> =
                columns.iter().filter(|(_, shown)| *shown <= size).map(|(width, _)| *width).collect();
            let taken = widths.iter().sum::<u16>() + GAP * (widths.len() as u16 - 1) + SIDES;
            assert!(taken <= room, "{size:?}: {taken} of {room} pixels");
        }
    }

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

package screen

import (
	"bufio"
	"io"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Head string
	// Right aligns the column to the right, for numbers.
	Right bool
	// Least is the smallest width to which the column may be cut on a narrow screen; 0 means
	// that it is never cut.
	Least int
	// Front: cells are cut at their beginning, and keep their end.
	Front bool
}

// Table is text in columns. Empty columns are left out.
type Table struct {
	Columns []Column
	// Indent is the number of blanks before each line.
	Indent int
	// Below: on a narrow screen, the cells of the last column are below the others, each
	// after the column's head.
	Below bool
	// Continued: the table continues another one, whose heads it does not repeat.
	Continued bool
	rows      [][]string
}

// Add adds a row. Cells may have any text, and missing cells are empty.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Columns))
	for i := range min(len(cells), len(row)) {
		row[i] = Line(cells[i])
	}
	t.rows = append(t.rows, row)
}

// gap is the number of blanks between two columns.
const gap = 2

// belowIndent is the indentation of a column below the others.
const belowIndent = 4

// Write writes the table, with heads unless all heads are empty. If limit is not 0, it cuts
// columns so that no line is wider than limit.
func (t *Table) Write(to io.Writer, limit int) error {
	widths, heads := t.natural()
	below := -1
	if last := len(widths) - 1; t.Below && limit > 0 && widths[last] > 0 && t.total(widths) > limit {
		below, widths[last] = last, 0
	}
	if limit > 0 {
		t.shrink(widths, limit)
	}
	w := bufio.NewWriter(to)
	if heads && !t.Continued {
		cells := make([]string, len(t.Columns))
		for i := range t.Columns {
			cells[i] = t.Columns[i].Head
		}
		t.line(w, cells, widths)
	}
	beside := ""
	if below >= 0 && t.Columns[below].Head != "" {
		beside = strings.ToLower(t.Columns[below].Head) + ": "
	}
	for _, row := range t.rows {
		t.line(w, row, widths)
		if below >= 0 && row[below] != "" {
			indent := t.Indent + belowIndent
			_, _ = w.WriteString(strings.Repeat(" ", indent) + Cut(beside+row[below], max(limit-indent, 1)) + "\n") // a bufio.Writer keeps its error until Flush
		}
	}
	return w.Flush()
}

// natural returns the widths of the columns without a limit, 0 for empty columns, and
// whether any column has a head.
func (t *Table) natural() (widths []int, heads bool) {
	widths = make([]int, len(t.Columns))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	for i := range t.Columns {
		if head := t.Columns[i].Head; widths[i] > 0 && head != "" {
			widths[i], heads = max(widths[i], width(head)), true
		}
	}
	return widths, heads
}

func (t *Table) total(widths []int) int {
	sum := t.Indent - gap
	for _, w := range widths {
		if w > 0 {
			sum += w + gap
		}
	}
	return sum
}

// shrink makes the widest columns narrower until the table fits, or until no column may be
// narrower.
func (t *Table) shrink(widths []int, limit int) {
	for excess := t.total(widths) - limit; excess > 0; excess-- {
		widest := -1
		for i, w := range widths {
			if least := t.Columns[i].Least; least > 0 && w > least && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t *Table) line(w *bufio.Writer, cells []string, widths []int) {
	var line strings.Builder
	line.WriteString(strings.Repeat(" ", t.Indent))
	for i, cell := range cells {
		if widths[i] == 0 {
			continue
		}
		if t.Columns[i].Front {
			cell = CutFront(cell, widths[i])
		} else {
			cell = Cut(cell, widths[i])
		}
		blanks := strings.Repeat(" ", widths[i]-width(cell))
		if t.Columns[i].Right {
			line.WriteString(blanks + cell)
		} else {
			line.WriteString(cell + blanks)
		}
		line.WriteString(strings.Repeat(" ", gap))
	}
	_, _ = w.WriteString(strings.TrimRight(line.String(), " ") + "\n") // a bufio.Writer keeps its error until Flush
}

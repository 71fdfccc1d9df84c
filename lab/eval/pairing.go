package eval

import "math"

// bestPairing returns the greatest sum of counts that a one-to-one pairing of rows with
// columns can have. It uses the Hungarian method.
func bestPairing(counts [][]int) int {
	n := max(len(counts), len(counts[0]))
	cost := func(r, c int) int {
		if r < len(counts) && c < len(counts[0]) {
			return -counts[r][c]
		}
		return 0
	}
	p := newPairing(n)
	for row := 1; row <= n; row++ {
		p.place(row, cost)
	}
	sum := 0
	for c := 1; c <= n; c++ {
		sum -= cost(p.row[c]-1, c-1)
	}
	return sum
}

// pairing is a matching that grows by one row at a time. Rows and columns are numbered
// from 1; 0 stands for none.
type pairing struct {
	n                       int
	rowPotential, potential []int
	row                     []int // the row that is paired with each column
}

func newPairing(n int) *pairing {
	return &pairing{n: n, rowPotential: make([]int, n+1), potential: make([]int, n+1), row: make([]int, n+1)}
}

// place pairs one more row, along the cheapest augmenting path.
func (p *pairing) place(row int, cost func(r, c int) int) {
	p.row[0] = row
	slack := make([]int, p.n+1)
	for c := range slack {
		slack[c] = math.MaxInt
	}
	used, from := make([]bool, p.n+1), make([]int, p.n+1)
	column := 0
	for p.row[column] != 0 {
		used[column] = true
		column = p.widen(column, used, from, slack, cost)
	}
	for column != 0 {
		p.row[column] = p.row[from[column]]
		column = from[column]
	}
}

// widen extends the search by the cheapest column that was not reached yet, and returns
// that column.
func (p *pairing) widen(column int, used []bool, from, slack []int, cost func(r, c int) int) int {
	row, least, next := p.row[column], math.MaxInt, 0
	for c := 1; c <= p.n; c++ {
		if used[c] {
			continue
		}
		if left := cost(row-1, c-1) - p.rowPotential[row] - p.potential[c]; left < slack[c] {
			slack[c], from[c] = left, column
		}
		if slack[c] < least {
			least, next = slack[c], c
		}
	}
	for c := 0; c <= p.n; c++ {
		if used[c] {
			p.rowPotential[p.row[c]] += least
			p.potential[c] -= least
		} else {
			slack[c] -= least
		}
	}
	return next
}

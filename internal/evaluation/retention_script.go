package evaluation

import (
	"math/rand/v2"

	"heddle/graph/path"
)

// chance is a source of chance that gives the same whenever it is asked again.
func chance(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream)) //nolint:gosec // nothing secret hangs on it
}

func factsRows(scripts uint64) []FactsRow {
	var rows []FactsRow
	for _, turns := range []int{50, 200} {
		for _, set := range ruleSets() {
			for _, c := range sources() {
				rows = append(rows, factsRow(scripts, turns, set, c))
			}
		}
	}
	return rows
}

func factsRow(scripts uint64, turns int, set rules, c confidence) FactsRow {
	var sum tally
	var linear windows
	for seed := range scripts {
		t := scripted(turns, turns/10, chance(seed, 3))
		shape, confidences := set.prepare(t, c, seed)
		sum.add(t.facts(shape, confidences))
		linear.add(t)
	}
	linear.sorted()
	present := portion(sum.Present, sum.Needed)
	return FactsRow{
		Turns: turns, Rules: set.name, Confidence: c.String(),
		Present: present, Linear: portion(sum.Linear, sum.Needed),
		Wasted: portion(sum.Wasted, sum.Requests), WastedLinear: linear.wasted(present),
	}
}

func prefixRows(scripts uint64) []PrefixRow {
	var rows []PrefixRow
	for _, budget := range []int{0, 4000, 2000} {
		for _, c := range []confidence{{}, {true, 0.6}} {
			var sum tally
			for seed := range scripts {
				t := scripted(200, 10, chance(seed, 4))
				shape, confidences := rules{retention: path.DefaultRetention()}.prepare(t, c, seed)
				shape.Budget = budget
				sum.add(t.measure(shape, confidences))
			}
			rows = append(rows, PrefixRow{budget, c.String(), portion(sum.Extended, sum.FollowUps)})
		}
	}
	return rows
}

// filesRow shapes conversations with files without retention and budget, with what
// is fulfilled left out and with it.
func filesRow(scripts uint64) FilesRow {
	var row FilesRow
	with, without := 0, 0
	for seed := range scripts {
		t := withFiles(50, chance(seed, 5))
		unknown := make([]*float64, len(t.exchanges))
		t.replay(path.Shape{}, unknown, func(i int, built path.Built) {
			row.count(t, i, built)
			with += characters(built)
		})
		t.withoutFiles().replay(path.Shape{}, unknown, func(_ int, built path.Built) { without += characters(built) })
	}
	row.Saved = 1 - portion(with, without)
	return row
}

// count counts what a request's path holds that it should not, and the other way round.
func (r *FilesRow) count(t *talk, i int, built path.Built) {
	r.Requests++
	held := t.held(i, built)
	for j := range held {
		if held[j] && t.exchanges[j].file {
			r.Repeats++
		}
	}
	for _, j := range t.exchanges[i].needs {
		if !held[j] {
			r.Lost++
		}
	}
}

func characters(built path.Built) int {
	n := 0
	for _, turn := range built.Path.Turns {
		n += len(turn.PlainText())
	}
	return n
}

func portion(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

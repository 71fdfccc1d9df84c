package retention

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"heddle/graph/path"
	"heddle/lab/chatlog"
)

// Simulation is the extent of a simulation.
type Simulation struct {
	Repeats uint64 // runs of each conversation cut from a log, with different random numbers
	Scripts uint64 // number of conversations of each scripted kind
}

// DefaultSimulation returns the simulation of "lab eval --retention".
func DefaultSimulation() Simulation { return Simulation{Repeats: 5, Scripts: 40} }

// Report measures which messages of long conversations stay on the path.
type Report struct {
	Talks int `json:"talks"` // cut from the logs
	// Confidences has a row for each source of confidence, under the default rules.
	Confidences []Row       `json:"confidences"`
	Facts       []FactsRow  `json:"facts"`
	Recall      []RecallRow `json:"recall"` // of scripted conversations
	RecallLogs  RecallTally `json:"recall_logs"`
}

// Row is the result of one simulation over all talks.
type Row struct {
	Name string `json:"name"`
	tally
	// WastedLinear is the average number of unneeded tokens in a linear window that is
	// just large enough to contain the same share of needed exchanges.
	WastedLinear float64 `json:"wasted_linear"`
}

// FactsRow measures which facts of scripted conversations are left at the end.
type FactsRow struct {
	Turns      int    `json:"turns"`
	Rules      string `json:"rules"`
	Confidence string `json:"confidence"`
	// Present is the share of the facts on the path. Linear is the share in the newest
	// exchanges with as many tokens.
	Present float64 `json:"present"`
	Linear  float64 `json:"linear"`
	// Wasted and WastedLinear are numbers of unneeded tokens, as in Row.
	Wasted       float64 `json:"wasted"`
	WastedLinear float64 `json:"wasted_linear"`
}

// rules is a named set of retention rules.
type rules struct {
	name      string
	retention path.Retention
	scattered bool // keep a random third of the positions instead of every third
}

const never = 2 // a confidence that no answer reaches

// ruleSets returns the rules that are compared on scripted conversations.
func ruleSets() []rules {
	with := func(name string, change func(*path.Retention)) rules {
		r := rules{name: name, retention: path.DefaultRetention()}
		change(&r.retention)
		return r
	}
	random := with("0.7, and 0.6 at a random third", func(r *path.Retention) { r.Every = 0 })
	random.scattered = true
	return []rules{
		with("recent and base window only", func(r *path.Retention) { r.Always, r.Spaced = never, never }),
		with("0.7", func(r *path.Retention) { r.Every = 0 }),
		with("0.7, and 0.6 at every 3rd position", func(*path.Retention) {}),
		random,
		with("0.7, and 0.6 everywhere", func(r *path.Retention) { r.Every = 1 }),
		with("the default, without strides", func(r *path.Retention) { r.Step = 1 }),
	}
}

// sources returns the sources of confidence that are compared.
func sources() []confidence {
	return []confidence{{}, {known: true}, {true, 0.3}, {true, 0.6}, {true, 0.9}}
}

// Measure measures which needed messages are still on the path in long conversations.
// The conversations are cut from logs, as if heddle had taken part, or scripted.
func Measure(ctx context.Context, logs []*chatlog.Log, simulation Simulation, done func()) (Report, error) {
	report := Report{}
	for _, c := range sources() {
		report.Confidences = append(report.Confidences, Row{Name: c.String()})
	}
	var linear windows
	var talks []*talk
	for _, log := range logs {
		for _, t := range talksOf(log) {
			if err := ctx.Err(); err != nil {
				return Report{}, fmt.Errorf("measure retention on %s: %w", log.Name, err)
			}
			talks = append(talks, t)
			linear.add(t)
			addTalk(&report, t, simulation.Repeats)
		}
		done()
	}
	slices.Sort(linear.depths)
	for i := range report.Confidences {
		row := &report.Confidences[i]
		row.WastedLinear = linear.wasted(portion(row.Present, row.Needed))
	}
	report.Facts = factsRows(simulation.Scripts)
	report.Recall = recallRows(simulation.Scripts, talks)
	return report, nil
}

// addTalk adds to a report a conversation cut from a log, measured a number of times.
func addTalk(r *Report, t *talk, repeats uint64) {
	r.Talks++
	r.RecallLogs.recallOn(t)
	for seed := range repeats {
		for i, c := range sources() {
			r.Confidences[i].add(t.measure(path.DefaultRetention(), c.of(t, chance(seed, 1))))
		}
	}
}

// chance returns a deterministic source of random numbers.
func chance(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream)) //nolint:gosec // nothing secret depends on it
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

// factsRow measures scripted conversations of so many turns, one in ten of which tells a
// fact, under a set of rules.
func factsRow(scripts uint64, turns int, set rules, c confidence) FactsRow {
	var sum tally
	var linear windows
	for seed := range scripts {
		t := scripted(turns, turns/10, chance(seed, 3))
		random := chance(seed, 1)
		confidences := c.of(t, random)
		if set.scattered {
			confidences = scatter(confidences, set.retention, random)
		}
		sum.add(t.facts(set.retention, confidences))
		linear.add(t)
	}
	slices.Sort(linear.depths)
	present := portion(sum.Present, sum.Needed)
	return FactsRow{
		Turns: turns, Rules: set.name, Confidence: c.String(),
		Present: present, Linear: portion(sum.Linear, sum.Needed),
		Wasted: portion(sum.Wasted, sum.Requests), WastedLinear: linear.wasted(present),
	}
}

// portion returns part divided by whole, or 0 for a part of nothing.
func portion(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

package evaluation

import (
	"context"
	"fmt"

	"heddle/graph/path"
)

// Simulation is how much is simulated.
type Simulation struct {
	Repeats uint64 // of every conversation cut from a log, with other chances
	Scripts uint64 // conversations of every scripted kind
}

// DefaultSimulation is what "heddle eval -retention" simulates.
func DefaultSimulation() Simulation { return Simulation{Repeats: 5, Scripts: 40} }

// RetentionReport is what stays of long conversations.
type RetentionReport struct {
	Talks int `json:"talks"` // cut from the logs
	// Confidences has a row for each source of confidence under the default rules,
	// and Rules one for each set of rules, at a correlation of 0.6.
	Confidences []RetentionRow `json:"confidences"`
	Rules       []RetentionRow `json:"rules"`
	Facts       []FactsRow     `json:"facts"`
	Prefix      []PrefixRow    `json:"prefix"`
	Files       FilesRow       `json:"files"`
}

// RetentionRow is what one simulation found over all talks.
type RetentionRow struct {
	Name string `json:"name"`
	tally
	// WastedLinear is what a linear window of one size wastes on a request, in
	// tokens, where it holds as much of the needed.
	WastedLinear float64 `json:"wasted_linear"`
}

// FactsRow is what is left of the facts of scripted conversations at their end.
type FactsRow struct {
	Turns      int    `json:"turns"`
	Rules      string `json:"rules"`
	Confidence string `json:"confidence"`
	// Present is the share of the facts that the path holds, Linear the share that
	// the newest exchanges of as many tokens hold.
	Present float64 `json:"present"`
	Linear  float64 `json:"linear"`
	// Wasted and WastedLinear are tokens that were not needed, as in RetentionRow.
	Wasted       float64 `json:"wasted"`
	WastedLinear float64 `json:"wasted_linear"`
}

// PrefixRow is how many follow-ups of scripted conversations of 200 turns extend the
// path before, under a budget in tokens.
type PrefixRow struct {
	Budget     int     `json:"budget"`
	Confidence string  `json:"confidence"`
	Extended   float64 `json:"extended"`
}

// FilesRow is what leaving out fulfilled pairs does to scripted conversations.
type FilesRow struct {
	Requests int     `json:"requests"`
	Repeats  int     `json:"repeats"` // fulfilled requests that a path offered again
	Saved    float64 `json:"saved"`   // share of the paths' characters
	Lost     int     `json:"lost"`    // needed exchanges without a file that were missing
}

// rules are a set of rules by name.
type rules struct {
	name      string
	retention path.Retention
	scattered bool // instead of at every third position
}

const never = 2 // a confidence that no answer reaches

func ruleSets() []rules {
	full := path.DefaultRetention()
	with := func(name string, change func(*path.Retention)) rules {
		r := rules{name: name, retention: full}
		change(&r.retention)
		return r
	}
	random := with("0.7, and 0.6 at a random third", func(r *path.Retention) { r.Every = 0 })
	random.scattered = true
	return []rules{
		with("recent and base window only", func(r *path.Retention) { r.Always, r.Spaced = never, never }),
		with("0.7", func(r *path.Retention) { r.Every = 0 }),
		{name: "0.7, and 0.6 at every 3rd position", retention: full},
		random,
		with("0.7, and 0.6 everywhere", func(r *path.Retention) { r.Every = 1 }),
		with("all, weighed at once", func(r *path.Retention) { r.Step = 1 }),
	}
}

func sources() []confidence {
	return []confidence{{}, {known: true}, {true, 0.3}, {true, 0.6}, {true, 0.9}}
}

// Retention measures what of long conversations is there when it is needed: of the
// logs, cut into conversations with heddle, and of scripted ones.
func Retention(ctx context.Context, logs []*Log, simulation Simulation, done func()) (RetentionReport, error) {
	report := RetentionReport{}
	defaults := rules{retention: path.DefaultRetention()}
	for _, c := range sources() {
		report.Confidences = append(report.Confidences, RetentionRow{Name: c.String()})
	}
	for _, set := range ruleSets() {
		report.Rules = append(report.Rules, RetentionRow{Name: set.name})
	}
	var linear windows
	for _, log := range logs {
		for _, t := range talksOf(log) {
			if err := ctx.Err(); err != nil {
				return RetentionReport{}, fmt.Errorf("measure retention on %s: %w", log.Name, err)
			}
			report.Talks++
			linear.add(t)
			for seed := range simulation.Repeats {
				for i, c := range sources() {
					report.Confidences[i].add(t.simulate(defaults, c, seed))
				}
				for i, set := range ruleSets() {
					report.Rules[i].add(t.simulate(set, confidence{true, 0.6}, seed))
				}
			}
		}
		done()
	}
	linear.sorted()
	for _, rows := range [][]RetentionRow{report.Confidences, report.Rules} {
		for i := range rows {
			rows[i].WastedLinear = linear.wasted(portion(rows[i].Present, rows[i].Needed))
		}
	}
	scripts := simulation.Scripts
	report.Facts, report.Prefix, report.Files = factsRows(scripts), prefixRows(scripts), filesRow(scripts)
	return report, nil
}

func (t *talk) simulate(set rules, c confidence, seed uint64) tally {
	shape, confidences := set.prepare(t, c, seed)
	return t.measure(shape, confidences)
}

func (set rules) prepare(t *talk, c confidence, seed uint64) (path.Shape, []*float64) {
	r := chance(seed, 1)
	confidences := c.of(t, r)
	if set.scattered {
		confidences = scatter(confidences, set.retention.Spaced, set.retention.Always, r)
	}
	return path.Shape{Retention: set.retention}, confidences
}

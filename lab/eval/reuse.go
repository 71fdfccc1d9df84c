package eval

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
	"heddle/lab/chatlog"
)

// ReuseReport measures how often messages of logs would have been answered from the
// store if each had been a mention, by community. The logs of a community share a
// scope.
type ReuseReport struct {
	Communities []ReuseRow `json:"communities"`
}

// ReuseRow is the counts of one community. A path counts as answered before if the same
// path_hash and facts of the tail occurred earlier in the same scope.
type ReuseRow struct {
	Community string `json:"community"`
	Logs      int    `json:"logs"`
	// Triggers counts annotated messages, asked at their place in the channel. Repeats
	// counts those messages, annotated or not, whose exact text was written before,
	// asked at their place.
	Triggers shareOf `json:"triggers"`
	Repeats  shareOf `json:"repeats"`
	// Fresh counts all messages, each asked in a new thread. AnyDay is the same without
	// regard to the day.
	Fresh  shareOf `json:"fresh"`
	AnyDay shareOf `json:"any_day"`
}

// shareOf is a number of questions, and how many of them had been answered before.
type shareOf struct {
	Asked    int `json:"asked"`
	Answered int `json:"answered"`
}

// count counts one more question. again is set if it had been answered before.
//
//nolint:revive // what was found is counted, no function is chosen
func (s *shareOf) count(again bool) {
	s.Asked++
	if again {
		s.Answered++
	}
}

func (s *shareOf) String() string {
	return fmt.Sprintf("%d of %d, %.2f%%", s.Answered, s.Asked, 100*float64(s.Answered)/float64(max(s.Asked, 1)))
}

// asked is what determines whether the answer to a message can be reused.
type asked struct {
	here, beside      path.Hash // at its place in the channel: the path, and the facts of the tail
	alone, facts      path.Hash // in a new thread: the path, and the facts of the tail
	placed            bool      // here and beside are set
	annotated, repeat bool
}

// wanted identifies an answer, with the way of asking for it.
type wanted struct {
	way         way
	path, facts path.Hash
}

type way uint8

const (
	here way = iota
	fresh
	anyDay
)

// Reuse measures how often answers could be reused. done is called after each log, from
// several goroutines.
func Reuse(ctx context.Context, logs []*chatlog.Log, setting Setting, options graph.Options, done func()) (ReuseReport, error) {
	all := make([][]asked, len(logs))
	err := eachLog(logs, setting.Workers, func(k int, log *chatlog.Log) error {
		defer done()
		e := evaluator{log: log, messages: setting.View.Show(log), setting: setting}
		var err error
		if all[k], err = e.ask(ctx, options); err != nil {
			return fmt.Errorf("replay %s: %w", log.Name, err)
		}
		return nil
	})
	if err != nil {
		return ReuseReport{}, err
	}
	var report ReuseReport
	var seen map[wanted]bool
	for k, log := range logs { // in the order of their paths, so that the logs of a community are adjacent
		last := len(report.Communities) - 1
		if last < 0 || report.Communities[last].Community != log.Community() {
			report.Communities = append(report.Communities, ReuseRow{Community: log.Community()})
			seen = make(map[wanted]bool)
			last++
		}
		report.Communities[last].add(all[k], seen)
	}
	return report, nil
}

// ask treats every chat message as a mention. At their place in the channel, only those
// messages are asked that are counted there.
func (e *evaluator) ask(ctx context.Context, options graph.Options) ([]asked, error) {
	shape := path.Shape{System: "You are a friendly member of this server.", Retention: path.DefaultRetention()}
	type line struct {
		author graph.UserID
		text   string
	}
	said := make(map[line]bool)
	var all []asked
	for i := range e.messages {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("stopped: %w", err)
		}
		m := &e.messages[i]
		if m.System {
			continue
		}
		a := asked{
			facts: facts(m.Time, []graph.Message{*m}, nil), alone: path.Build(&graph.Graph{Trigger: *m}, shape).Path.Hash(),
			annotated: e.log.Gold[i].Annotated, repeat: said[line{m.Author, m.Text}],
		}
		said[line{m.Author, m.Text}] = true
		if a.annotated || a.repeat {
			sight := e.sight(i)
			chosen, err := evaluation.Heddle(options)(sight)
			if err != nil {
				return nil, fmt.Errorf("message %s: %w", e.log.IDs[i], err)
			}
			built := path.Build(chosen.Graph, shape)
			a.here, a.beside, a.placed = built.Path.Hash(), facts(m.Time, built.Messages, chosen.Graph.Background), true
		}
		all = append(all, a)
	}
	return all, nil
}

// facts returns the facts of the tail of a mention at a time.
func facts(now time.Time, messages []graph.Message, background []graph.Node) path.Hash {
	tail := path.Tail{Now: now, Messages: messages}
	said := make([]graph.Message, len(background))
	for i := range background {
		said[i] = *background[i].Message
	}
	names := path.Naming{}.Names()
	for _, m := range said {
		tail.Background, tail.Beside = append(tail.Background, path.TurnOf(m, names.Of(&m))), append(tail.Beside, m.Author)
	}
	return tail.Facts(path.Options{})
}

// add counts the mentions of a log, after those of earlier logs in the same scope.
func (r *ReuseRow) add(mentions []asked, seen map[wanted]bool) {
	again := func(key wanted) bool {
		before := seen[key]
		seen[key] = true
		return before
	}
	r.Logs++
	for _, a := range mentions {
		if a.placed {
			before := again(wanted{here, a.here, a.beside})
			if a.annotated {
				r.Triggers.count(before)
			}
			if a.repeat {
				r.Repeats.count(before)
			}
		}
		r.Fresh.count(again(wanted{fresh, a.alone, a.facts}))
		r.AnyDay.count(again(wanted{anyDay, a.alone, path.Hash{}}))
	}
}

// measureReuse implements "lab eval --reuse".
func (f *evalFlags) measureReuse(ctx context.Context, logs []*chatlog.Log, streams chatlog.Streams) error {
	bar := terminal.Steps(streams.Err, len(logs), "replay")
	setting := Setting{View: f.view, MaskReplies: f.mask, Workers: runtime.GOMAXPROCS(0)}
	report, err := Reuse(ctx, logs, setting, f.options, bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}

// WriteText writes the report as a table.
func (r ReuseReport) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "answered from the store\tlogs\tmentions where they stand\trepeats where they stand\tin fresh threads\tif the day did not matter\n")
	for _, c := range r.Communities {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", c.Community, c.Logs, &c.Triggers, &c.Repeats, &c.Fresh, &c.AnyDay)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

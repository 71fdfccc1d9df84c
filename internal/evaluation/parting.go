package evaluation

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"

	"heddle/graph"
	"heddle/internal/progress"
	"heddle/internal/selection"
)

// PartingReport is how well whole logs were parted into their talks, by community.
type PartingReport struct {
	Communities []PartingRow `json:"communities"`
}

// PartingRow is how well the logs of a community were parted.
type PartingRow struct {
	Community string `json:"community"`
	Logs      int    `json:"logs"`
	Messages  int    `json:"messages"` // annotated ones
	// Ways are the ways of parting, in the order of the table. The values are means over
	// the logs.
	Ways []Parted `json:"ways"`
}

// Parted is how well one way of parting did.
type Parted struct {
	Way string `json:"way"`
	Disentanglement
}

// partWay is a way of parting a log: it returns for each of its messages the index of the
// one that it answers, -1 for none. Only what it returns for those that are wanted counts.
type partWay struct {
	name string
	part func(messages []graph.Message, wanted func(i int) bool) ([]int, error)
}

// partWays returns the ways that are compared. options are heddle's.
func partWays(options graph.Options) []partWay {
	return []partWay{
		{"one talk", byLine(func(_, _ *graph.Message) bool { return true })},
		{"10 minutes", byLine(func(a, b *graph.Message) bool { return b.Time.Sub(a.Time) <= windowLength })},
		{"reply chains", byLine(func(_, _ *graph.Message) bool { return false })},
		{"pause by pace", byPart(graph.Options{TimeThreshold: graph.AutoThreshold})},
		{"mention by mention", byMention(expand{options})},
		{heddleName, byPart(options)},
	}
}

// byLine has each message answer what it replies to; if it is no reply, the line before,
// if that is near.
func byLine(near func(before, m *graph.Message) bool) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, _ func(int) bool) ([]int, error) {
		answers, before := make([]int, len(messages)), -1
		for i := range messages {
			answers[i] = -1
			if messages[i].System {
				continue
			}
			if replied := replyOf(&messages[i]); replied >= 0 {
				answers[i] = replied
			} else if before >= 0 && near(&messages[before], &messages[i]) {
				answers[i] = before
			}
			before = i
		}
		return answers, nil
	}
}

// byPart parts with graph.Part.
func byPart(options graph.Options) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, _ func(int) bool) ([]int, error) {
		answers := make([]int, len(messages))
		for i := range answers {
			answers[i] = -1
		}
		for _, talk := range graph.Part(messages, options) {
			for i, answered := range talk.Answers {
				if answered >= 0 {
					answers[indexOf(talk.Messages[i].ID)] = indexOf(talk.Messages[answered].ID)
				}
			}
		}
		return answers, nil
	}
}

// byMention links each message as if it were a mention, which sees nothing that follows.
func byMention(strategy selection.Strategy) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, wanted func(int) bool) ([]int, error) {
		answers := make([]int, len(messages))
		for i := range messages {
			answers[i] = -1
			if messages[i].System || !wanted(i) {
				continue
			}
			chosen, err := strategy.Select(selection.Sight{Before: messages[:i], Trigger: messages[i]})
			if err != nil {
				return nil, fmt.Errorf("message %s: %w", messages[i].ID, err)
			}
			answers[i] = chosen.Parent
		}
		return answers, nil
	}
}

// Part measures how well each way parts logs. A log whose platform shows replies is taken
// as it is. done is called after each log, by several goroutines.
func Part(ctx context.Context, logs []*Log, setting Setting, options graph.Options, done func()) (PartingReport, error) {
	ways := partWays(options)
	all := make([][]Parted, len(logs))
	err := eachLog(logs, setting.Workers, func(k int, log *Log) error {
		defer done()
		view := setting.View
		if log.Replies > 0 {
			view.ReplyShare = 0
		}
		messages := view.show(log)
		for _, way := range ways {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("stopped: %w", err)
			}
			answers, err := way.part(messages, func(i int) bool { return log.Gold[i].Annotated })
			if err != nil {
				return fmt.Errorf("part %s by %s: %w", log.Name, way.name, err)
			}
			all[k] = append(all[k], Parted{way.name, log.disentangled(answers)})
		}
		return nil
	})
	if err != nil {
		return PartingReport{}, err
	}
	var report PartingReport
	for k, log := range logs { // in the order of their paths, so that a community's stand together
		last := len(report.Communities) - 1
		if last < 0 || report.Communities[last].Community != log.Community() {
			report.Communities = append(report.Communities, PartingRow{Community: log.Community()})
			last++
		}
		report.Communities[last].add(log, all[k])
	}
	return report, nil
}

// disentangled compares what the messages of a log are said to answer with what people
// marked.
func (l *Log) disentangled(answers []int) Disentanglement {
	found := links{log: l, parent: map[int]int{}}
	for i, answered := range answers {
		if !l.Gold[i].Annotated {
			continue
		}
		found.parent[i] = i
		if answered >= 0 {
			found.parent[i] = answered
		}
	}
	return found.disentangled()
}

// add takes another log of the community into the means.
func (r *PartingRow) add(log *Log, ways []Parted) {
	if r.Ways == nil {
		r.Ways = make([]Parted, len(ways))
	}
	r.Logs++
	r.Messages += annotated([]*Log{log})
	n := float64(r.Logs)
	for k := range ways {
		mean, with := &r.Ways[k], &ways[k]
		mean.Way = with.Way
		mean.LinkF1 += (with.LinkF1 - mean.LinkF1) / n
		mean.OneToOne += (with.OneToOne - mean.OneToOne) / n
		mean.VI += (with.VI - mean.VI) / n
	}
}

// measureParting is "heddle eval -parting".
func (f *evalFlags) measureParting(ctx context.Context, logs []*Log, streams Streams) error {
	marked := slices.DeleteFunc(slices.Clone(logs), func(l *Log) bool { return annotated([]*Log{l}) == 0 })
	if len(marked) == 0 {
		return fmt.Errorf("%w: none of the logs is annotated, so nothing can be compared; name logs with \"links\"", ErrInput)
	}
	bar := progress.New(streams.Err, len(marked), "part")
	report, err := Part(ctx, marked, Setting{View: f.view, Workers: runtime.GOMAXPROCS(0)}, f.options, bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}

// WriteText writes a table for people: a block of rows for each community.
func (r PartingReport) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for k := range r.Communities {
		c := &r.Communities[k]
		fmt.Fprintf(table, "\n%s\t%d logs, %d annotated messages\n", c.Community, c.Logs, c.Messages)
		fmt.Fprint(table, "parted by\tlink F1\t1-1\tVI\n")
		for i := range c.Ways {
			fmt.Fprintf(table, "%s\t%s\n", c.Ways[i].Way, parted(&c.Ways[i].Disentanglement))
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

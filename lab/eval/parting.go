package eval

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
	"heddle/lab/chatlog"
)

// PartingReport measures how well whole logs were separated into talks, by community.
type PartingReport struct {
	Communities []PartingRow `json:"communities"`
}

// PartingRow measures how well the logs of one community were separated.
type PartingRow struct {
	Community string `json:"community"`
	Logs      int    `json:"logs"`
	Messages  int    `json:"messages"` // number of annotated messages
	// Ways is the results of all methods, in the order of the table. The values are
	// means over the logs.
	Ways []Parted `json:"ways"`
}

// Parted is the result of one method of separating talks.
type Parted struct {
	Way string `json:"way"`
	Disentanglement
}

// partWay is a method of separating the talks of a log. It returns for each message the
// index of the message that it answers, or -1. Only the results for wanted messages are
// used.
type partWay struct {
	name string
	part func(messages []graph.Message, wanted func(i int) bool) ([]int, error)
}

// partWays returns the methods that are compared. options configures heddle's.
func partWays(options graph.Options) []partWay {
	return []partWay{
		{"one talk", byLine(func(_, _ *graph.Message) bool { return true })},
		{"10 minutes", byLine(func(a, b *graph.Message) bool { return b.Time.Sub(a.Time) <= windowLength })},
		{"reply chains", byLine(func(_, _ *graph.Message) bool { return false })},
		{"pause by pace", byPart(graph.Options{TimeThreshold: graph.AutoThreshold})},
		{"mention by mention", byMention(evaluation.Heddle(options))},
		{heddleName, byPart(options)},
	}
}

// byLine returns a method by which each message answers the one that it replies to or,
// if it is not a reply, the message before it if that is near.
func byLine(near func(before, m *graph.Message) bool) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, _ func(int) bool) ([]int, error) {
		answers, before := make([]int, len(messages)), -1
		for i := range messages {
			answers[i] = -1
			if messages[i].System {
				continue
			}
			if replied := evaluation.ReplyOf(&messages[i]); replied >= 0 {
				answers[i] = replied
			} else if before >= 0 && near(&messages[before], &messages[i]) {
				answers[i] = before
			}
			before = i
		}
		return answers, nil
	}
}

// byPart returns the method of graph.Part.
func byPart(options graph.Options) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, _ func(int) bool) ([]int, error) {
		answers := make([]int, len(messages))
		for i := range answers {
			answers[i] = -1
		}
		for _, talk := range graph.Part(messages, options) {
			for i, answered := range talk.Answers {
				if answered >= 0 {
					answers[evaluation.Index(talk.Messages[i].ID)] = evaluation.Index(talk.Messages[answered].ID)
				}
			}
		}
		return answers, nil
	}
}

// byMention returns a method that links each message as if it were a mention, without
// seeing the messages after it.
func byMention(strategy evaluation.Strategy) func([]graph.Message, func(int) bool) ([]int, error) {
	return func(messages []graph.Message, wanted func(int) bool) ([]int, error) {
		answers := make([]int, len(messages))
		for i := range messages {
			answers[i] = -1
			if messages[i].System || !wanted(i) {
				continue
			}
			chosen, err := strategy(evaluation.Sight{Before: messages[:i], Trigger: messages[i]})
			if err != nil {
				return nil, fmt.Errorf("message %s: %w", messages[i].ID, err)
			}
			answers[i] = parentOf(&chosen)
		}
		return answers, nil
	}
}

// Part measures how well each method separates the talks of logs. Logs with replies are
// used as they are. done is called after each log, from several goroutines.
func Part(ctx context.Context, logs []*chatlog.Log, setting Setting, options graph.Options, done func()) (PartingReport, error) {
	ways := partWays(options)
	all := make([][]Parted, len(logs))
	err := eachLog(logs, setting.Workers, func(k int, log *chatlog.Log) error {
		defer done()
		view := setting.View
		if log.Replies > 0 {
			view.ReplyShare = 0
		}
		messages := view.Show(log)
		for _, way := range ways {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("stopped: %w", err)
			}
			answers, err := way.part(messages, func(i int) bool { return log.Gold[i].Annotated })
			if err != nil {
				return fmt.Errorf("part %s by %s: %w", log.Name, way.name, err)
			}
			all[k] = append(all[k], Parted{way.name, disentangled(log, answers)})
		}
		return nil
	})
	if err != nil {
		return PartingReport{}, err
	}
	var report PartingReport
	for k, log := range logs { // in the order of their paths, so that the logs of a community are adjacent
		last := len(report.Communities) - 1
		if last < 0 || report.Communities[last].Community != log.Community() {
			report.Communities = append(report.Communities, PartingRow{Community: log.Community()})
			last++
		}
		report.Communities[last].add(log, all[k])
	}
	return report, nil
}

// disentangled compares the predicted answers of the messages of a log with people's
// marks.
func disentangled(log *chatlog.Log, answers []int) Disentanglement {
	found := links{log: log, parent: map[int]int{}}
	for i, answered := range answers {
		if !log.Gold[i].Annotated {
			continue
		}
		found.parent[i] = i
		if answered >= 0 {
			found.parent[i] = answered
		}
	}
	return found.disentangled()
}

// add includes another log of the community in the means.
func (r *PartingRow) add(log *chatlog.Log, ways []Parted) {
	if r.Ways == nil {
		r.Ways = make([]Parted, len(ways))
	}
	r.Logs++
	r.Messages += log.Annotated()
	n := float64(r.Logs)
	for k := range ways {
		mean, with := &r.Ways[k], &ways[k]
		mean.Way = with.Way
		mean.LinkF1 += (with.LinkF1 - mean.LinkF1) / n
		mean.OneToOne += (with.OneToOne - mean.OneToOne) / n
		mean.VI += (with.VI - mean.VI) / n
	}
}

// measureParting implements "lab eval --parting".
func (f *evalFlags) measureParting(ctx context.Context, logs []*chatlog.Log, streams chatlog.Streams) error {
	marked := slices.DeleteFunc(slices.Clone(logs), func(l *chatlog.Log) bool { return l.Annotated() == 0 })
	if len(marked) == 0 {
		return terminal.Errorf("none of the logs is annotated, so nothing can be compared; name logs with \"links\"")
	}
	bar := terminal.Steps(streams.Err, len(marked), "part")
	report, err := Part(ctx, marked, Setting{View: f.view, Workers: runtime.GOMAXPROCS(0)}, f.options, bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}

// WriteText writes a table with a block of rows for each community.
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

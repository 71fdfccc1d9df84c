package eval

import (
	"context"

	"heddle/internal/terminal"
	"heddle/lab/chatlog"
	"heddle/lab/retention"
)

// measureRetention implements "lab eval --retention".
func (f *evalFlags) measureRetention(ctx context.Context, logs []*chatlog.Log, streams chatlog.Streams) error {
	bar := terminal.Steps(streams.Err, len(logs), "replay")
	report, err := retention.Measure(ctx, logs, retention.DefaultSimulation(), bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}

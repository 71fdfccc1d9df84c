package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"heddle/graph"
)

// Options are the options of Explain.
type Options struct {
	Files   []string // exports of one conversation; at least one
	At      string   // the message: an id, a link, or "last"
	Self    string   // the id of heddle's account in the export; "" for the bot that the message mentions
	Format  graph.Format
	Compare []string      // names of strategies to compare with; text and JSON only
	Expand  graph.Options // the thresholds to try; Explain sets Parent

	Zone    *time.Location // the time zone of what is shown; nil for UTC
	Columns int            // the width of the text; 0 for 96
	Colour  bool

	Progress io.Writer // the terminal that shows the progress of reading a large file; nil for none
}

// Explain writes from which messages heddle would answer a message, and why. An error
// in the input is an InputError.
func Explain(ctx context.Context, o Options, out io.Writer) error {
	a, self, strategies, err := o.parse()
	if err != nil {
		return err
	}
	found, err := surveyFiles(ctx, o.Files, a, o.Progress)
	if err != nil {
		return err
	}
	c, err := begin(ctx, found, self)
	if err != nil {
		return err
	}
	defer c.record.Close()
	g, err := c.expand(ctx, o.Expand)
	if err != nil {
		return err
	}
	others, err := c.compare(ctx, strategies, o.Expand)
	if err != nil {
		return err
	}
	text, err := o.write(c, g, others)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	return nil
}

// parse reads the options that are text, and checks that they fit together. Its error
// is an InputError.
func (o *Options) parse() (a aim, self graph.UserID, strategies []strategy, err error) {
	if len(o.Files) == 0 {
		return a, 0, nil, wrong("name an export that DiscordChatExporter wrote with --format Json")
	}
	if a, err = parseAim(o.At); err != nil {
		return a, 0, nil, err
	}
	if err := self.UnmarshalText([]byte(o.Self)); err != nil {
		return a, 0, nil, wrong("--self %q is not the id of an author; copy it from the bot's menu on Discord", o.Self)
	}
	if strategies, err = parseStrategies(o.Compare, o.Expand); err != nil {
		return a, 0, nil, err
	}
	if len(strategies) > 0 && o.Format != graph.FormatText && o.Format != graph.FormatJSON {
		return a, 0, nil, wrong("--compare is shown as text or json; a drawing in %s is of heddle's choice alone", o.Format)
	}
	return a, self, strategies, nil
}

// write returns the explanation in the wanted format. The comparison with others is
// only part of text and JSON.
func (o *Options) write(c *conversation, g *graph.Graph, others []taken) (string, error) {
	switch {
	case o.Format == graph.FormatText:
		return o.text(c, g, others), nil
	case len(others) == 0:
		return g.Explain(o.Format), nil
	}
	text, err := json.MarshalIndent(struct {
		Graph   json.RawMessage `json:"graph"`
		Compare []taken         `json:"compare"`
	}{json.RawMessage(g.Explain(o.Format)), others}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write the comparison: %w", err)
	}
	return string(text) + "\n", nil
}

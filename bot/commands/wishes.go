package commands

import (
	"context"

	"heddle/bot/phrases"
	"heddle/graph"
)

// People keeps who opted out; gate.People does.
type People interface {
	OptOut(ctx context.Context, person graph.UserID) error
	OptIn(ctx context.Context, person graph.UserID) error
	OptedOut(person graph.UserID) bool
	// Forget opts a person out and erases what was made from their words.
	Forget(ctx context.Context, person graph.UserID) error
}

// wish returns the function that answers a command by which people decide whether heddle
// reads what they write.
func wish(fulfil func(context.Context, graph.UserID) error, done phrases.ID) func(context.Context, *Use) (Reply, error) {
	return func(ctx context.Context, use *Use) (Reply, error) {
		if err := fulfil(ctx, use.User.ID); err != nil {
			return Reply{}, err
		}
		return Reply{Text: use.Language.Text(done, nil)}, nil
	}
}

package bot

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
)

// introduceTimeout bounds the request, so that a server that does not answer cannot
// keep heddle from connecting.
const introduceTimeout = 10 * time.Second

// introduce logs how to invite heddle, and how to switch on the Message Content intent
// if it is off, which is the most frequent reason why a bot does not answer. It returns
// the application's id, or 0 if the server did not tell it. Only a refused token is an
// error.
func introduce(ctx context.Context, rest *discord.REST, log *slog.Logger) (graph.UserID, error) {
	asking, cancel := context.WithTimeout(ctx, introduceTimeout)
	defer cancel()
	raw, err := rest.Get(asking, "/applications/@me", nil)
	if discord.IsUnauthorized(err) {
		return 0, fmt.Errorf("%w (%w)", gateway.ErrToken, err)
	}
	if err != nil {
		log.DebugContext(ctx, "what this application may do could not be read, heddle connects anyway", "error", err)
	}
	app := discord.DecodeApplication(raw)
	if app.ID != 0 {
		log.InfoContext(ctx, "invite heddle to a server", "link", app.InviteLink())
	}
	if app.ContentKnown && !app.Content {
		log.WarnContext(ctx, "the Message Content intent seems to be off: switch it on on the Bot page of https://discord.com/developers/applications, or heddle sees only messages that mention it")
	}
	return graph.UserID(app.ID), nil
}

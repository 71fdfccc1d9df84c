package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"heddle/bot/gateway"
	"heddle/internal/discord"
)

// invitePermissions are what heddle needs in a guild: view channels, send messages,
// embed links, attach files, read history, add reactions, send in threads.
const invitePermissions = 274878024768

// The flags of an application that may read what people write (Discord API
// reference, "Application Flags"): for any number of guilds, or for few.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// application is what heddle reads of itself at start.
type application struct {
	ID    json.RawMessage `json:"id"`
	Flags json.RawMessage `json:"flags"`
}

// introduceTimeout bounds the request: a silent server must not keep heddle from
// connecting.
const introduceTimeout = 10 * time.Second

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
}

// introduce logs how to invite heddle, and how to switch on the intent that it needs if
// that is off: the most frequent reason why a bot "does not work". Only a refused token
// is an error; a server that knows no applications is not.
func introduce(ctx context.Context, rest REST, log *slog.Logger) error {
	asking, cancel := context.WithTimeout(ctx, introduceTimeout)
	defer cancel()
	raw, err := rest.Get(asking, "/applications/@me", nil)
	if discord.IsUnauthorized(err) {
		return fmt.Errorf("%w (%w)", gateway.ErrToken, err)
	}
	if err != nil {
		log.DebugContext(ctx, "what this application may do could not be read, heddle connects anyway", "error", err)
	}
	var app application
	if json.Unmarshal(raw, &app) != nil {
		return nil
	}
	if id := digits(app.ID); id != 0 {
		log.InfoContext(ctx, "invite heddle to a server", "link", inviteLink(id))
	}
	if flags := digits(app.Flags); len(app.Flags) > 0 && flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		log.WarnContext(ctx, "the Message Content intent seems to be off: switch it on on the Bot page of https://discord.com/developers/applications, or heddle sees only messages that mention it")
	}
	return nil
}

// inviteLink returns the link by which an admin adds heddle to a server.
func inviteLink(id uint64) string {
	return "https://discord.com/oauth2/authorize?" + url.Values{
		"client_id":   {strconv.FormatUint(id, 10)},
		"scope":       {"bot applications.commands"},
		"permissions": {strconv.Itoa(invitePermissions)},
	}.Encode()
}

// digits returns a number that may stand in quotes, or 0 for anything else.
func digits(raw json.RawMessage) uint64 {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

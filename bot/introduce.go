package bot

import (
	"context"
	"encoding/json"
	"fmt"
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

// application is what heddle wants to know of itself at start.
type application struct {
	ID    json.RawMessage `json:"id"`
	Flags json.RawMessage `json:"flags"`
}

// introduceTimeout bounds the asking: a silent server must not keep heddle from
// connecting.
const introduceTimeout = 10 * time.Second

// introduce logs how to invite heddle, and how to switch on the intent that it
// needs where it is off: the most frequent reason why a bot "does not work".
// Only a refused token is an error; a server that knows no applications is no harm.
func (b *Bot) introduce(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, introduceTimeout)
	defer cancel()
	raw, err := b.rest.Get(asking, "/applications/@me", nil)
	if discord.IsUnauthorized(err) {
		return fmt.Errorf("%w (%w)", gateway.ErrToken, err)
	}
	if err != nil {
		b.log.DebugContext(ctx, "Discord tells nothing of this application", "error", err)
	}
	var app application
	if json.Unmarshal(raw, &app) != nil {
		return nil
	}
	if id := digits(app.ID); id != 0 {
		b.log.InfoContext(ctx, "invite heddle to a server", "link", inviteLink(id))
	}
	if flags := digits(app.Flags); len(app.Flags) > 0 && flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		b.log.WarnContext(ctx, "the Message Content intent seems to be off: switch it on on the Bot page of https://discord.com/developers/applications, or heddle sees only messages that mention it")
	}
	return nil
}

// inviteLink is where an admin adds heddle to a server.
func inviteLink(id uint64) string {
	return "https://discord.com/oauth2/authorize?" + url.Values{
		"client_id":   {strconv.FormatUint(id, 10)},
		"scope":       {"bot applications.commands"},
		"permissions": {strconv.Itoa(invitePermissions)},
	}.Encode()
}

// digits reads a number that may stand in quotes; 0 where it is none.
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

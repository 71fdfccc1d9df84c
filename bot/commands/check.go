package commands

import (
	"context"
	"strings"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/llm"
)

// Checks tells admins what keeps heddle from answering.
type Checks struct {
	Gate      *questions.Gate
	Overrides *conversation.Overrides
	Loop      *tools.Loop
	Model     *llm.Client
}

// Commands returns /heddle check.
func (c *Checks) Commands() []Command { return []Command{{Name: "heddle check", Answer: c.check}} }

// check answers /heddle check: what keeps heddle from answering in the channel, or from
// answering as well as it could, and where that can be changed.
func (c *Checks) check(ctx context.Context, use *Use) (Reply, error) {
	if !use.ManagesChannel() {
		return use.Say("admins_only", nil), nil
	}
	l, found := use.Language, c.lacks(use)
	if !c.Gate.Serves(use.Asker()) {
		found = append(found, l.Text("check_unserved", nil))
	}
	if c.Overrides.Paused(ctx, use.Guild) {
		found = append(found, l.Text("status_paused", nil))
	}
	if c.Model.Reach(ctx) != nil {
		found = append(found, l.Text("check_model", phrases.Values{"Model": c.Overrides.Settings().Model}))
	}
	if _, away := c.Loop.Offered().To([]uint64{uint64(use.Guild)}); len(away) > 0 {
		found = append(found, l.Text("check_servers", phrases.Values{"Names": strings.Join(away, ", ")}))
	}
	if len(found) == 0 {
		return use.Say("check_fine", nil), nil
	}
	return Reply{Text: phrases.Lines(append([]string{l.Text("check_found", nil)}, found...)...)}, nil
}

// lacks returns which permissions heddle lacks in the channel, and how to grant them: there, or
// by inviting heddle once more.
func (c *Checks) lacks(use *Use) []string {
	lacks := discord.PermissionsUsed(use.At.Type) &^ use.Own
	if lacks == 0 || use.Guild == 0 || use.Own.Has(discord.PermissionAdministrator) {
		return nil
	}
	l, link := use.Language, discord.Application{ID: uint64(use.Application)}.InviteLink()+"&guild_id="+use.Guild.String()
	return []string{
		l.Text("check_lacks", phrases.Values{"Missing": l.Permissions(lacks), "Needs": l.Needs(lacks)}),
		l.Text("check_grant", phrases.Values{"Where": discord.Mention(use.Channel), "Link": link}),
	}
}

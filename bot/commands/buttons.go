package commands

import (
	"context"
	"errors"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// pressing answers presses of the buttons below answers, and of those in their menus.
type pressing struct {
	deps     Deps
	settings *Settings
}

// buttons returns what answers each button.
func (p *pressing) buttons() []Command {
	return []Command{
		{Button: reply.ButtonShow, Quiet: true, Answer: p.pressed(p.show)},
		{Button: reply.ButtonAgain, Quiet: true, Asks: true, Answer: p.pressed(p.again)},
		{Button: reply.ButtonStop, Quiet: true, Answer: p.stop},
		{Button: reply.ButtonMore, Afresh: true, Answer: p.pressed(p.open)},
		{Button: reply.ItemDelete, Answer: p.chosen(p.remove)},
		{Button: reply.ItemThread, Answer: p.chosen(p.startThread)},
		{Button: reply.ItemFile, Answer: p.chosen(p.sendFile)},
	}
}

// press carries out a press of a button on an answer.
type press func(ctx context.Context, use *Use, at answer.Press) (Reply, error)

// pressed returns a press of a button on an answer in the form that commands take, which waits until
// the answer is recorded, or completes it. If the press fails, the presser reads why.
func (p *pressing) pressed(do press) func(context.Context, *Use) (Reply, error) {
	return func(ctx context.Context, use *Use) (Reply, error) {
		at := use.onAnswer()
		err := ErrPlaceUnknown
		var said Reply
		if use.Guild == 0 || p.deps.Guilds.Knows(use.Channel) {
			use.AwaitRecord(ctx, p.deps.Store.Responses)
			said, err = do(ctx, use, at)
		}
		if errors.Is(err, reply.ErrAnswersGone) {
			switch failure := p.deps.Answers.Complete(ctx, at); {
			case failure == nil:
				said, err = do(ctx, use, at)
			case errors.Is(failure, store.ErrHeld), p.isComing(ctx, use):
				err = errComing
			}
		}
		if err != nil {
			p.deps.Log.Log(ctx, store.LogLevel(err), "nothing came of a press, the person is told", "press", use.ID, "channel", use.Channel, "message", use.Message, "error", err)
			said.Text = use.Language.Say(PressSentence(err).OrAsk(use.contact))
		}
		return said, nil
	}
}

// onAnswer returns a press of a button below an answer.
func (u *Use) onAnswer() answer.Press {
	at := answer.Press{ID: u.ID, At: store.Place{Scope: u.Place.Scope, Channel: u.Channel, Message: u.Message}, By: u.About(0), Moderates: u.May(discord.PermissionManageMessages)}
	at.Response, _ = reply.ParseResponse(u.Rest) // zero, which no answer has, for anything else
	return at
}

// errComing means that it is not recorded yet what a message shows.
var errComing = errors.New("the answer is not recorded yet")

// isComing reports whether what the pressed message shows may be recorded within a moment: its
// process may have been killed right after it sent the answer, and another one records that once
// the lease has ended (finding 4.1). What was erased does not come back.
func (p *pressing) isComing(ctx context.Context, use *Use) bool {
	if use.ID.Time().Sub(use.Changed) > p.settings.Lease+recordedWithin {
		return false
	}
	known, err := p.deps.Store.Responses.Recollect(ctx, use.Place.Scope, []graph.MessageID{use.Message})
	_, erased := known[use.Message]
	return err == nil && !erased
}

// recordedWithin is how long after the end of a lease an answer is recorded by another process.
const recordedWithin = 15 * time.Second

// chosen returns what pressed does for a button in the menu of the answer that the button names.
func (p *pressing) chosen(do press) func(context.Context, *Use) (Reply, error) {
	return func(ctx context.Context, use *Use) (Reply, error) {
		about := *use
		if named := about.Message.UnmarshalText([]byte(use.Rest)) == nil; !use.Private || !named {
			return use.Say("button_unknown", nil), nil
		}
		return p.pressed(do)(ctx, &about)
	}
}

// show shows the alternative that the pressed button leads to.
func (p *pressing) show(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	if _, named := reply.ParseResponse(use.Rest); !named {
		return use.Say("button_unknown", nil), nil
	}
	return Reply{}, p.deps.Answers.Step(ctx, at)
}

// again answers the question once more that a press is about.
func (p *pressing) again(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	switch {
	case p.deps.Gate.OptedOut(use.User.ID):
		return Reply{}, conversation.ErrOptedOut
	case !p.deps.Gate.Permits(use.Asker()):
		return Reply{}, ErrNotPermitted
	}
	told, err := p.deps.Answers.Again(ctx, at)
	if err != nil || told.ID == "" {
		return Reply{}, err
	}
	return Reply{Text: use.Language.Say(told)}, nil
}

// stop ends an answer that grows, for its asker and for moderators. What stands stays.
func (p *pressing) stop(ctx context.Context, use *Use) (Reply, error) {
	asker, question := reply.ParseStop(use.Rest)
	if asker != use.User.ID && !use.May(discord.PermissionManageMessages) {
		return use.Say("stop_denied", nil), nil
	}
	switch growing, err := p.deps.Answers.Stop(ctx, question); {
	case err != nil:
		return Reply{}, err
	case !growing:
		return use.Say("stop_late", nil), nil
	}
	p.deps.Log.InfoContext(ctx, "an answer is stopped by its asker, or by a moderator", "press", use.ID, "channel", use.Channel)
	return Reply{}, nil
}

// mayStartThread reports whether both the person who pressed and heddle may start a
// thread in the channel. Discord allows none in threads, voice channels and direct
// messages.
func mayStartThread(use *Use) bool {
	own := use.Own.Has(discord.PermissionCreateThreads) || use.Own.Has(discord.PermissionAdministrator)
	return use.Guild != 0 && (use.At.Type == discord.ChannelText || use.At.Type == discord.ChannelAnnouncement) && own && use.May(discord.PermissionCreateThreads)
}

// open shows the person who pressed, and nobody else, what they can do with an
// answer.
func (p *pressing) open(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	d, err := p.deps.Answers.Display(ctx, at.At)
	if err != nil {
		return Reply{}, err
	}
	var items []discordgo.Button
	add := func(name string, label phrases.ID) {
		items = append(items, reply.Button(name+use.Message.String(), use.Language.Text(label, nil)))
	}
	if mayStartThread(use) {
		add(reply.ItemThread, "label_thread")
	}
	add(reply.ItemFile, "label_file")
	if p.deps.Answers.MayDelete(at, d) {
		add(reply.ItemDelete, "label_delete")
	}
	return Reply{Text: use.Language.Text("menu", nil), Buttons: reply.Rows{items}}, nil
}

// remove deletes an answer, whatever it shows.
func (p *pressing) remove(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	switch err := p.deps.Answers.Delete(ctx, at); {
	case errors.Is(err, answer.ErrNotYours):
		return use.Say("delete_denied", nil), nil
	case err != nil:
		return Reply{}, err
	}
	return use.Say("answer_deleted", nil), nil
}

// startThread starts a thread from the first message of an answer.
func (p *pressing) startThread(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	if !mayStartThread(use) {
		return use.Say("thread_denied", nil), nil
	}
	thread, err := p.deps.Answers.Thread(ctx, at)
	switch {
	case errors.Is(err, reply.ErrNoPermission):
		return use.Say("thread_denied", nil), nil
	case err != nil:
		return Reply{}, err
	}
	return use.Say("thread_started", phrases.Values{"Thread": discord.Mention(thread)}), nil
}

// sendFile shows an answer as a file of Markdown to the person who pressed.
func (p *pressing) sendFile(ctx context.Context, use *Use, at answer.Press) (Reply, error) {
	d, err := p.deps.Answers.Display(ctx, at.At)
	if err != nil {
		return Reply{}, err
	}
	file := discord.File{Name: "answer.md", Type: "text/markdown; charset=utf-8", Data: []byte(d.Current().Text + "\n")}
	return Reply{Text: use.Language.Text("answer_file", nil), Files: []discord.File{file}}, nil
}

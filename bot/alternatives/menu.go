package alternatives

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
	"heddle/store"
)

// The names of what can be chosen in the menu of an answer. A name ends with the message
// that the menu belongs to. It may be made up, so the person who chooses is checked
// again.
const (
	itemDelete = buttonPrefix + "delete:" // deletes the answer
	itemThread = buttonPrefix + "thread:" // starts a thread from the answer
	itemFile   = buttonPrefix + "file:"   // shows the answer as a file, to the person alone
)

// parseItem parses the name of what can be chosen in a menu.
func parseItem(id string) (name string, answer graph.MessageID, ok bool) {
	for _, name := range []string{itemDelete, itemThread, itemFile} {
		if rest, is := strings.CutPrefix(id, name); is {
			return name, answer, answer.UnmarshalText([]byte(rest)) == nil && answer != 0
		}
	}
	return "", 0, false
}

// language returns the language of the person who pressed.
func (p *Press) language() phrases.Language { return phrases.In(p.Locale, p.GuildLocale) }

// moderates reports whether the person who pressed may delete anybody's messages.
func (p *Press) moderates() bool {
	return p.Permissions.Has(discord.PermissionManageMessages) || p.Permissions.Has(discord.PermissionAdministrator)
}

// mayStartThread reports whether both the person who pressed and heddle may start a
// thread in the channel. Discord allows none in threads, voice channels and direct
// messages.
func (p *Press) mayStartThread() bool {
	may := func(granted discord.Permissions) bool {
		return granted.Has(discord.PermissionCreateThreads) || granted.Has(discord.PermissionAdministrator)
	}
	return p.Guild != 0 && (p.At.Type == discord.ChannelText || p.At.Type == discord.ChannelAnnouncement) && may(p.Permissions) && may(p.Own)
}

// menu does what else can be done with an answer: it deletes the answer, starts a thread
// from it, or sends it as a file.
type menu struct{ *Alternatives }

// open shows the person who pressed, and nobody else, what they can do with an
// answer.
func (m menu) open(ctx context.Context, _ *slog.Logger, p *Press) error {
	d, err := m.readPressed(ctx, p)
	if err != nil {
		return err
	}
	l := p.language()
	var items []discordgo.Button
	add := func(name string, label phrases.ID) {
		items = append(items, outbox.Button(name+p.Message.String(), l.Text(label, nil)))
	}
	if p.mayStartThread() {
		add(itemThread, phrases.LabelThread)
	}
	add(itemFile, phrases.LabelFile)
	if m.mayDelete(p, d) {
		add(itemDelete, phrases.LabelDelete)
	}
	if _, err := m.replies.Fill(ctx, p.at(), l.Text(phrases.Menu, nil), outbox.Rows{items}); err != nil {
		return fmt.Errorf("open the menu of an answer: %w", err)
	}
	return nil
}

// mayDelete reports whether the person who pressed may delete an answer. The person who
// asked for it may, and so may anybody who can delete the messages of others.
func (m menu) mayDelete(p *Press, d *display) bool {
	asked, heard := m.history.Message(p.Channel, cmp.Or(d.reply, d.current().Trigger))
	return p.moderates() || authorOf(d.current()) == p.User.ID || heard && asked.Author == p.User.ID
}

// authorOf returns who asked the question that a response answers; zero if that is not
// recorded.
func authorOf(r *store.Response) graph.UserID {
	at := slices.IndexFunc(r.Sources, func(source store.SourceRef) bool { return source.Message == r.Trigger })
	if at < 0 {
		return 0
	}
	return r.Sources[at].Author
}

// remove deletes an answer, whatever it shows.
func (m menu) remove(ctx context.Context, log *slog.Logger, p *Press) error {
	d, release, err := m.lockPressed(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	if !m.mayDelete(p, d) {
		return m.end(ctx, p, phrases.Phrase{ID: phrases.DeleteDenied})
	}
	if err := m.outbox.RemoveAll(ctx, d.channel, d.parts); err != nil {
		return fmt.Errorf("delete an answer: %w", err)
	}
	log.InfoContext(ctx, "an answer was deleted by whom it was for, or by a moderator", "trigger", d.current().Trigger)
	return m.end(ctx, p, phrases.Phrase{ID: phrases.AnswerDeleted})
}

// startThread starts a thread from the first message of an answer. What is asked there
// continues the conversation, as the thread starts with the answer.
func (m menu) startThread(ctx context.Context, log *slog.Logger, p *Press) error {
	d, err := m.readPressed(ctx, p)
	if err != nil {
		return err
	}
	if !p.mayStartThread() {
		return m.end(ctx, p, phrases.Phrase{ID: phrases.ThreadDenied})
	}
	thread := graph.ChannelID(d.parts[0]) // a thread has the id of its first message
	err = m.outbox.StartThread(ctx, p.Channel, d.parts[0], m.titleOf(p, d))
	switch {
	case errors.Is(err, outbox.ErrThreadExists):
	case errors.Is(err, outbox.ErrNoPermission):
		return m.end(ctx, p, phrases.Phrase{ID: phrases.ThreadDenied})
	case err != nil:
		return fmt.Errorf("move an answer to a thread: %w", err)
	}
	if err := m.outbox.JoinThread(ctx, thread, p.User.ID); err != nil {
		log.DebugContext(ctx, "the person who started a thread could not be added, they read a link to it", "error", err)
	}
	log.InfoContext(ctx, "a conversation moved to a thread", "trigger", d.current().Trigger, "thread", thread)
	return m.end(ctx, p, phrases.Phrase{ID: phrases.ThreadStarted, Values: phrases.Values{"Thread": discord.Mention(thread)}})
}

// titleSize is the number of characters of a thread's title; Discord takes 100.
const titleSize = 80

// titleOf returns the title of a thread about an answer. It is the beginning of the
// question, or of the answer if the question is not in memory.
func (m menu) titleOf(p *Press, d *display) string {
	asked, _ := m.history.Message(p.Channel, d.current().Trigger)
	words := slices.DeleteFunc(strings.Fields(markdown.Unmarked(asked.Text)), func(word string) bool {
		return strings.HasPrefix(word, "@") || strings.HasPrefix(word, "<@")
	})
	return cmp.Or(graph.OneLine(strings.Join(words, " "), titleSize), graph.OneLine(markdown.Unmarked(d.current().Text), titleSize), "…")
}

// sendFile shows an answer as a file of Markdown to the person who pressed.
func (m menu) sendFile(ctx context.Context, _ *slog.Logger, p *Press) error {
	d, err := m.readPressed(ctx, p)
	if err != nil {
		return err
	}
	file := discord.File{Name: "answer.md", Type: "text/markdown; charset=utf-8", Data: []byte(d.current().Text + "\n")}
	if err := m.replies.FillFiles(ctx, p.at(), p.language().Text(phrases.AnswerFile, nil), []discord.File{file}); err != nil {
		return fmt.Errorf("send an answer as a file: %w", err)
	}
	return nil
}

// end replaces the menu by what came of the choice.
func (m menu) end(ctx context.Context, p *Press, said phrases.Phrase) error {
	if _, err := m.replies.Fill(ctx, p.at(), p.language().Say(said), nil); err != nil {
		return fmt.Errorf("tell what came of a choice: %w", err)
	}
	return nil
}

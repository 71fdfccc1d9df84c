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

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// mayStartThread reports whether both the person who pressed and heddle may start a
// thread in the channel. Discord allows none in threads, voice channels and direct
// messages.
func mayStartThread(use *commands.Use) bool {
	own := use.Own.Has(discord.PermissionCreateThreads) || use.Own.Has(discord.PermissionAdministrator)
	return use.Guild != 0 && (use.At.Type == discord.ChannelText || use.At.Type == discord.ChannelAnnouncement) && own && use.May(discord.PermissionCreateThreads)
}

// open shows the person who pressed, and nobody else, what they can do with an
// answer.
func (b *buttons) open(ctx context.Context, _ *slog.Logger, use *commands.Use) (commands.Reply, error) {
	d, err := b.readPressed(ctx, use)
	if err != nil {
		return commands.Reply{}, err
	}
	var items []discordgo.Button
	add := func(name string, label phrases.ID) {
		items = append(items, reply.Button(name+use.Message.String(), use.Language.Text(label, nil)))
	}
	if mayStartThread(use) {
		add(itemThread, "label_thread")
	}
	add(itemFile, "label_file")
	if b.mayDelete(use, d) {
		add(itemDelete, "label_delete")
	}
	return commands.Reply{Text: use.Language.Text("menu", nil), Buttons: reply.Rows{items}}, nil
}

// mayDelete reports whether the person who pressed may delete an answer. The person who
// asked for it may, and so may anybody who can delete the messages of others.
func (b *buttons) mayDelete(use *commands.Use, d *display) bool {
	question, heard := b.deps.History.Message(use.Channel, cmp.Or(d.reply, d.current().Trigger))
	return use.May(discord.PermissionManageMessages) || asked(d.current()).Author == use.User.ID || heard && question.Author == use.User.ID
}

// remove deletes an answer, whatever it shows.
func (b *buttons) remove(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error) {
	d, release, err := b.lockPressed(ctx, log, use)
	if err != nil {
		return commands.Reply{}, err
	}
	defer release()
	if !b.mayDelete(use, d) {
		return use.Say("delete_denied", nil), nil
	}
	if err := b.deps.Replies.RemoveAll(ctx, d.channel, d.parts); err != nil {
		return commands.Reply{}, fmt.Errorf("delete an answer: %w", err)
	}
	log.InfoContext(ctx, "an answer was deleted by whom it was for, or by a moderator", "trigger", d.current().Trigger)
	return use.Say("answer_deleted", nil), nil
}

// startThread starts a thread from the first message of an answer. What is asked there
// continues the conversation, as the thread starts with the answer.
func (b *buttons) startThread(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error) {
	d, err := b.readPressed(ctx, use)
	if err != nil {
		return commands.Reply{}, err
	}
	if !mayStartThread(use) {
		return use.Say("thread_denied", nil), nil
	}
	thread := graph.ChannelID(d.parts[0]) // a thread has the id of its first message
	err = b.deps.Replies.StartThread(ctx, use.Channel, d.parts[0], b.titleOf(use, d))
	switch {
	case errors.Is(err, reply.ErrThreadExists):
	case errors.Is(err, reply.ErrNoPermission):
		return use.Say("thread_denied", nil), nil
	case err != nil:
		return commands.Reply{}, fmt.Errorf("move an answer to a thread: %w", err)
	}
	if err := b.deps.Replies.JoinThread(ctx, thread, use.User.ID); err != nil {
		log.DebugContext(ctx, "the person who started a thread could not be added, they read a link to it", "error", err)
	}
	log.InfoContext(ctx, "a conversation moved to a thread", "trigger", d.current().Trigger, "thread", thread)
	return use.Say("thread_started", phrases.Values{"Thread": discord.Mention(thread)}), nil
}

// titleSize is the number of characters of a thread's title; Discord takes 100.
const titleSize = 80

// titleOf returns the title of a thread about an answer. It is the beginning of the
// question, or of the answer if the question is not in memory.
func (b *buttons) titleOf(use *commands.Use, d *display) string {
	question, _ := b.deps.History.Message(use.Channel, d.current().Trigger)
	words := slices.DeleteFunc(strings.Fields(markdown.Unmarked(question.Text)), func(word string) bool {
		return strings.HasPrefix(word, "@") || strings.HasPrefix(word, "<@")
	})
	return cmp.Or(graph.OneLine(strings.Join(words, " "), titleSize), graph.OneLine(markdown.Unmarked(d.current().Text), titleSize), "…")
}

// sendFile shows an answer as a file of Markdown to the person who pressed.
func (b *buttons) sendFile(ctx context.Context, _ *slog.Logger, use *commands.Use) (commands.Reply, error) {
	d, err := b.readPressed(ctx, use)
	if err != nil {
		return commands.Reply{}, err
	}
	file := discord.File{Name: "answer.md", Type: "text/markdown; charset=utf-8", Data: []byte(d.current().Text + "\n")}
	return commands.Reply{Text: use.Language.Text("answer_file", nil), Files: []discord.File{file}}, nil
}

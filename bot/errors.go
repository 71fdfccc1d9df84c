package bot

import (
	"context"
	"errors"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// meant is what an error means to people.
type meant struct {
	err error
	id  phrases.ID
}

// meaning returns what the first of some errors means that err is, or "" if it is none of them.
func meaning(err error, known []meant) phrases.ID {
	for _, of := range known {
		if errors.Is(err, of.err) {
			return of.id
		}
	}
	return ""
}

// sentence returns what people read about an error in place of an answer. Together with
// pressSentence and commandSentence it is the one place where errors become words for
// people; details go to the log.
func sentence(err error) phrases.Phrase {
	if exceeded, ok := errors.AsType[*limits.ExceededError](err); ok {
		return limitSentence(exceeded)
	}
	id := meaning(err, []meant{
		{answer.ErrHalted, "notice_stopped"},
		{tools.ErrEndless, "tools_endless"},
		{tools.ErrFailed, "tool_failed"},
		{answer.ErrShutdown, "shutdown"},
		{conversation.ErrOptedOut, "question_not_read"},
		{conversation.ErrPaused, "paused"},
		{answer.ErrConversationGone, "conversation_gone"},
	})
	failure, ofModel := errors.AsType[*llm.Error](err)
	switch {
	case id != "":
	case ofModel:
		id = modelSentence(failure)
	case discord.IsForbidden(err):
		id = "no_history"
	case isDiscord(err):
		id = "discord_trouble"
	default:
		id = "internal"
	}
	return phrases.Phrase{ID: id}
}

// explains returns a function that explains errors as explain does, and adds whom people
// can ask about trouble that persists.
func (b *Bot) explains(explain func(error) phrases.Phrase) func(error) phrases.Phrase {
	return func(err error) phrases.Phrase { return explain(err).OrAsk(b.settings.Commands.Contact) }
}

// pressSentence returns what somebody reads whose press of a button led to an error.
func pressSentence(err error) phrases.Phrase {
	id := meaning(err, []meant{
		{alternatives.ErrAnswersGone, "answers_gone"},
		{store.ErrHeld, "answer_changing"},
		{store.ErrUnavailable, "no_memory"},
		{alternatives.ErrPlaceUnknown, "no_memory"},
		{conversation.ErrOptedOut, "not_read"},
		{alternatives.ErrNotPermitted, "not_permitted"},
		{conversation.ErrQuestionGone, "question_gone"},
		{answer.ErrShutdown, "shutdown"},
	})
	switch {
	case id != "":
		return phrases.Phrase{ID: id}
	case isDiscord(err):
		return phrases.Phrase{ID: "not_shown"}
	default:
		return sentence(err)
	}
}

// commandSentence returns what somebody reads whose command led to an error.
func commandSentence(err error) phrases.Phrase {
	if said := sentence(err); said.ID != "internal" {
		return said
	}
	return phrases.Phrase{ID: "command_failed"}
}

// isDiscord reports whether Discord failed, or did not answer in time.
func isDiscord(err error) bool {
	_, refused := errors.AsType[*discord.Error](err)
	return refused || errors.Is(err, discord.ErrTooManyRefusals) || errors.Is(err, discord.ErrNoAnswer) ||
		errors.Is(err, discord.ErrMalformed) || errors.Is(err, context.DeadlineExceeded)
}

// limitSentence returns whose limit was exceeded, and until when.
func limitSentence(e *limits.ExceededError) phrases.Phrase {
	if e.Whose == limits.OfAnswer {
		return phrases.Phrase{ID: "over_answer"}
	}
	return phrases.Until(map[limits.Whose]phrases.ID{
		limits.OfPerson: "over_person", limits.OfChannel: "over_channel", limits.OfGuild: "over_guild", limits.OfAll: "over_all",
	}[e.Whose], e.Until)
}

// modelSentence returns what people read if the model failed in this way.
func modelSentence(failure *llm.Error) phrases.ID {
	if failure.Kind == llm.Server && failure.IsOverload() {
		return "model_busy"
	}
	id, known := map[llm.Kind]phrases.ID{
		llm.Unreachable: "unreachable", llm.Stalled: "unreachable", llm.Away: "unreachable",
		llm.RateLimited: "model_busy", llm.Auth: "model_misset", llm.NotFound: "model_misset", llm.BadRequest: "model_misset",
		llm.Quota: "model_quota", llm.ContextTooLong: "too_long", llm.Refused: "refused", llm.Empty: "empty",
		llm.Cut: "model_stopped", llm.Malformed: "model_unclear",
		llm.Limited: "internal", // not by one of heddle's limits
	}[failure.Kind]
	if !known {
		return "model_failed"
	}
	return id
}

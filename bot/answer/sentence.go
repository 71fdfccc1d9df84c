package answer

import (
	"context"
	"errors"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/llm"
)

// Meant is what an error means to people.
type Meant struct {
	Err error
	ID  phrases.ID
}

// Meaning returns what the first of some errors means that err is, or "" if it is none of them.
func Meaning(err error, known []Meant) phrases.ID {
	for _, of := range known {
		if errors.Is(err, of.Err) {
			return of.ID
		}
	}
	return ""
}

// Sentence returns what people read about an error in place of an answer. Here and in package
// commands errors become words for people; details go to the log.
func Sentence(err error) phrases.Phrase {
	if exceeded, ok := errors.AsType[*limits.ExceededError](err); ok {
		return limitSentence(exceeded)
	}
	id := Meaning(err, []Meant{
		{ErrHalted, "notice_stopped"},
		{tools.ErrEndless, "tools_endless"},
		{tools.ErrFailed, "tool_failed"},
		{ErrShutdown, "shutdown"},
		{conversation.ErrOptedOut, "question_not_read"},
		{conversation.ErrPaused, "paused"},
		{ErrConversationGone, "conversation_gone"},
	})
	failure, ofModel := errors.AsType[*llm.Error](err)
	switch {
	case id != "":
	case ofModel:
		id = modelSentence(failure)
	case discord.IsForbidden(err):
		id = "no_history"
	case IsDiscord(err):
		id = "discord_trouble"
	default:
		id = "internal"
	}
	return phrases.Phrase{ID: id}
}

// IsDiscord reports whether Discord failed, or did not answer in time.
func IsDiscord(err error) bool {
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

// sentence is Sentence, with whom people can ask about trouble that lasts.
func (s *Settings) sentence(err error) phrases.Phrase {
	return Sentence(err).OrAsk(s.Contact)
}

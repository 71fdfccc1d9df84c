package bot

import (
	"context"
	"errors"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/bot/work"
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
		{answer.ErrHalted, phrases.NoticeStopped},
		{tools.ErrEndless, phrases.ToolsEndless},
		{tools.ErrFailed, phrases.ToolFailed},
		{work.ErrShutdown, phrases.Shutdown},
		{work.ErrOptedOut, phrases.QuestionNotRead},
		{work.ErrPaused, phrases.Paused},
		{answer.ErrConversationGone, phrases.ConversationGone},
	})
	failure, ofModel := errors.AsType[*llm.Error](err)
	switch {
	case id != "":
	case ofModel:
		id = modelSentence(failure)
	case discord.IsForbidden(err):
		id = phrases.NoHistory
	case isDiscord(err):
		id = phrases.DiscordTrouble
	default:
		id = phrases.Internal
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
		{alternatives.ErrAnswersGone, phrases.AnswersGone},
		{store.ErrHeld, phrases.AnswerChanging},
		{store.ErrUnavailable, phrases.NoMemory},
		{alternatives.ErrPlaceUnknown, phrases.NoMemory},
		{work.ErrOptedOut, phrases.NotRead},
		{work.ErrNotPermitted, phrases.NotPermitted},
		{work.ErrQuestionGone, phrases.QuestionGone},
		{work.ErrShutdown, phrases.Shutdown},
	})
	switch {
	case id != "":
		return phrases.Phrase{ID: id}
	case isDiscord(err):
		return phrases.Phrase{ID: phrases.NotShown}
	default:
		return sentence(err)
	}
}

// commandSentence returns what somebody reads whose command led to an error.
func commandSentence(err error) phrases.Phrase {
	if said := sentence(err); said.ID != phrases.Internal {
		return said
	}
	return phrases.Phrase{ID: phrases.CommandFailed}
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
		return phrases.Phrase{ID: phrases.OverAnswer}
	}
	return phrases.Until(map[limits.Whose]phrases.ID{
		limits.OfPerson: phrases.OverPerson, limits.OfChannel: phrases.OverChannel, limits.OfGuild: phrases.OverGuild, limits.OfAll: phrases.OverAll,
	}[e.Whose], e.Until)
}

// modelSentence returns what people read if the model failed in this way.
func modelSentence(failure *llm.Error) phrases.ID {
	if failure.Kind == llm.Server && failure.IsOverload() {
		return phrases.ModelBusy
	}
	id, known := map[llm.Kind]phrases.ID{
		llm.Unreachable: phrases.Unreachable, llm.Stalled: phrases.Unreachable, llm.Away: phrases.Unreachable,
		llm.RateLimited: phrases.ModelBusy, llm.Auth: phrases.ModelMisset, llm.NotFound: phrases.ModelMisset, llm.BadRequest: phrases.ModelMisset,
		llm.Quota: phrases.ModelQuota, llm.ContextTooLong: phrases.TooLong, llm.Refused: phrases.Refused, llm.Empty: phrases.Empty,
		llm.Cut: phrases.ModelStopped, llm.Malformed: phrases.ModelUnclear,
		llm.Limited: phrases.Internal, // not by one of heddle's limits
	}[failure.Kind]
	if !known {
		return phrases.ModelFailed
	}
	return id
}

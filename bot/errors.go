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

// sentence returns what people read about an error in place of an answer. Together with
// pressSentence and commandSentence it is the one place where errors become words for
// people; details go to the log.
func sentence(err error) phrases.Phrase {
	var failure *llm.Error
	var exceeded *limits.ExceededError
	switch {
	case errors.Is(err, answer.ErrHalted):
		return phrases.Phrase{ID: phrases.NoticeStopped}
	case errors.As(err, &exceeded):
		return limitSentence(exceeded)
	case errors.Is(err, tools.ErrEndless):
		return phrases.Phrase{ID: phrases.ToolsEndless}
	case errors.Is(err, tools.ErrFailed):
		return phrases.Phrase{ID: phrases.ToolFailed}
	case errors.Is(err, work.ErrShutdown):
		return phrases.Phrase{ID: phrases.Shutdown}
	case errors.Is(err, work.ErrOptedOut):
		return phrases.Phrase{ID: phrases.QuestionNotRead}
	case errors.Is(err, work.ErrPaused):
		return phrases.Phrase{ID: phrases.Paused}
	case errors.Is(err, answer.ErrConversationGone):
		return phrases.Phrase{ID: phrases.ConversationGone}
	case errors.As(err, &failure):
		return phrases.Phrase{ID: modelSentence(failure)}
	case discord.IsForbidden(err):
		return phrases.Phrase{ID: phrases.NoHistory}
	case isDiscord(err), errors.Is(err, context.DeadlineExceeded):
		return phrases.Phrase{ID: phrases.DiscordTrouble}
	default:
		return phrases.Phrase{ID: phrases.Internal}
	}
}

// explains returns a function that explains errors as explain does, and adds whom people
// can ask about trouble that persists.
func (b *Bot) explains(explain func(error) phrases.Phrase) func(error) phrases.Phrase {
	return func(err error) phrases.Phrase { return explain(err).OrAsk(b.settings.Commands.Contact) }
}

// pressSentence returns what somebody reads whose press of a button led to an error.
func pressSentence(err error) phrases.Phrase {
	switch {
	case errors.Is(err, alternatives.ErrAnswersGone):
		return phrases.Phrase{ID: phrases.AnswersGone}
	case errors.Is(err, store.ErrHeld):
		return phrases.Phrase{ID: phrases.AnswerChanging}
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, alternatives.ErrPlaceUnknown):
		return phrases.Phrase{ID: phrases.NoMemory}
	case errors.Is(err, work.ErrOptedOut):
		return phrases.Phrase{ID: phrases.NotRead}
	case errors.Is(err, work.ErrNotPermitted):
		return phrases.Phrase{ID: phrases.NotPermitted}
	case errors.Is(err, work.ErrQuestionGone):
		return phrases.Phrase{ID: phrases.QuestionGone}
	case errors.Is(err, work.ErrShutdown):
		return phrases.Phrase{ID: phrases.Shutdown}
	case isDiscord(err), errors.Is(err, context.DeadlineExceeded):
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

func isDiscord(err error) bool {
	var refusal *discord.Error
	return errors.As(err, &refusal) || errors.Is(err, discord.ErrTooManyRefusals) || errors.Is(err, discord.ErrNoAnswer) || errors.Is(err, discord.ErrMalformed)
}

// limitSentence returns whose limit was exceeded, and until when.
func limitSentence(e *limits.ExceededError) phrases.Phrase {
	switch e.Whose {
	case limits.OfAnswer:
		return phrases.Phrase{ID: phrases.OverAnswer}
	case limits.OfPerson:
		return phrases.Until(phrases.OverPerson, e.Until)
	case limits.OfChannel:
		return phrases.Until(phrases.OverChannel, e.Until)
	case limits.OfGuild:
		return phrases.Until(phrases.OverGuild, e.Until)
	case limits.OfAll:
		return phrases.Until(phrases.OverAll, e.Until)
	default:
		return phrases.Phrase{ID: phrases.Internal}
	}
}

// modelSentence returns what people read if the model failed in this way.
func modelSentence(failure *llm.Error) phrases.ID {
	switch failure.Kind {
	case llm.Unreachable, llm.Stalled, llm.Away:
		return phrases.Unreachable
	case llm.RateLimited, llm.Server:
		if failure.IsOverload() {
			return phrases.ModelBusy
		}
		return phrases.ModelFailed
	case llm.Auth, llm.NotFound, llm.BadRequest:
		return phrases.ModelMisset
	case llm.Quota:
		return phrases.ModelQuota
	case llm.ContextTooLong:
		return phrases.TooLong
	case llm.Refused:
		return phrases.Refused
	case llm.Empty:
		return phrases.Empty
	case llm.Cut:
		return phrases.ModelStopped
	case llm.Malformed:
		return phrases.ModelUnclear
	case llm.Cancelled:
		return phrases.ModelFailed
	case llm.Limited: // not by one of heddle's limits
		return phrases.Internal
	default:
		return phrases.ModelFailed
	}
}

package bot

import (
	"context"
	"errors"
	"log/slog"

	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// errShutdown is the cause of a context that ends because heddle stops.
var errShutdown = errors.New("heddle is stopping")

// level is the level at which an error is logged: of an outage the store has told.
func level(err error) slog.Level {
	if errors.Is(err, store.ErrUnavailable) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// sentence is what a person is told about an error. It is the one place where
// errors become words for people; details go to the log.
func sentence(err error) string {
	var failure *llm.Error
	switch {
	case errors.Is(err, tools.ErrEndless):
		return textToolsEndless
	case errors.Is(err, tools.ErrFailed):
		return textToolFailed
	case errors.Is(err, errShutdown):
		return textShutdown
	case errors.As(err, &failure):
		return modelSentence(failure.Kind)
	case discord.IsForbidden(err):
		return textNoHistory
	case isDiscord(err), errors.Is(err, context.DeadlineExceeded):
		return textDiscordTrouble
	default:
		return textInternal
	}
}

// pressSentence is what a person is told who pressed a button of which nothing came.
func pressSentence(err error) string {
	switch {
	case errors.Is(err, errAnswersGone):
		return textAnswersGone
	case errors.Is(err, store.ErrHeld):
		return textAnswerChanging
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, errPlaceUnknown):
		return textNoMemory
	case errors.Is(err, errTriggerGone):
		return textQuestionGone
	case errors.Is(err, errQueueFull):
		return textManyWaiting
	case errors.Is(err, errShutdown), errors.Is(err, errQueueClosed):
		return textShutdown
	case isDiscord(err), errors.Is(err, context.DeadlineExceeded):
		return textNotShown
	default:
		return sentence(err)
	}
}

func isDiscord(err error) bool {
	var refusal *discord.Error
	return errors.As(err, &refusal) || errors.Is(err, discord.ErrTooManyRefusals)
}

func modelSentence(kind llm.Kind) string {
	switch kind {
	case llm.Unreachable, llm.Stalled:
		return textUnreachable
	case llm.RateLimited, llm.Server:
		return textModelBusy
	case llm.Auth, llm.NotFound, llm.BadRequest:
		return textModelMisset
	case llm.Quota:
		return textModelQuota
	case llm.ContextTooLong:
		return textTooLong
	case llm.Refused:
		return textRefused
	case llm.Empty:
		return textEmpty
	case llm.Cut:
		return textModelStopped
	case llm.Malformed, llm.Cancelled:
		return textModelFailed
	default:
		return textModelFailed
	}
}

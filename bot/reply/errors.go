package reply

import (
	"errors"
	"fmt"
	"slices"

	"heddle/internal/discord"
)

// The errors of sending. All but ErrUnfinished and ErrSurplus are permanent; ErrUnfinished ends
// once heddle may read the channel again. Each also wraps the *discord.Error, if Discord was
// asked.
var (
	ErrDeleted      = errors.New("the message was deleted")
	ErrNoPermission = errors.New("the bot may not write in this channel")
	ErrCannotDM     = errors.New("this person takes no direct messages from the bot")
	ErrEmpty        = errors.New("there is nothing to send")
	ErrFiles        = errors.New("the files were not taken")
	ErrThreadExists = errors.New("the message has a thread already")
	ErrAnswered     = errors.New("the press was answered already, or is too old")
	ErrQuestionGone = errors.New("the question was deleted")
	ErrExpired      = errors.New("the press or command is too old to be answered")
	ErrUnfinished   = errors.New("the beginning of the answer stands and can be neither finished nor deleted")
	ErrPartDeleted  = errors.New("a part of the answer was deleted while it was sent, and another stands")
	ErrSurplus      = errors.New("messages that the answer no longer needs could not be deleted")
)

// ErrAnswersGone means that what a message shows is no longer known, or that there is
// nothing else that it could show.
var ErrAnswersGone = errors.New("the answers are no longer known")

// ErrRefused is the cause with which Growing.While ends once Discord refuses an answer for good.
var ErrRefused = errors.New("discord refuses the answer")

// classify wraps err with the matching error from above.
func classify(err error) error {
	for _, kind := range []struct {
		err   error
		codes []int
	}{
		{ErrDeleted, []int{discord.CodeUnknownMessage}},
		{ErrThreadExists, []int{discord.CodeThreadExists}},
		{ErrCannotDM, []int{discord.CodeCannotDM}},
		{ErrAnswered, []int{discord.CodeUnknownInteraction, discord.CodeAnswered}},
		{ErrExpired, []int{discord.CodeUnknownWebhook, discord.CodeInvalidWebhook}},
		{ErrNoPermission, []int{discord.CodeMissingAccess, discord.CodeMissingPermissions}},
	} {
		if discord.HasCode(err, kind.codes...) {
			return fmt.Errorf("%w: %w", kind.err, err)
		}
	}
	return err
}

// isTransient reports whether err is transient.
func isTransient(err error) bool {
	refusal, ok := errors.AsType[*discord.Error](err)
	if !ok {
		return !isAnyOf(err, discord.ErrTooManyRefusals, discord.ErrWaitTooLong, discord.ErrFenced, ErrQuestionGone)
	}
	return refusal.Passing()
}

// MaySucceedLater reports whether what failed with err may be accepted at another time:
// Discord was away, asked to wait, or was not reached before the caller had to give up.
// After discord.ErrFenced another process may try.
func MaySucceedLater(err error) bool {
	if errors.Is(err, ErrUnfinished) {
		return true
	}
	if refusal, ok := errors.AsType[*discord.Error](err); ok {
		return isTransient(refusal) || discord.IsUnauthorized(refusal)
	}
	return !isAnyOf(err, ErrEmpty, discord.ErrFenced, ErrQuestionGone)
}

// isAnyOf reports whether err is one of several errors.
func isAnyOf(err error, kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

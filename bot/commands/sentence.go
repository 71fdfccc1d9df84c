package commands

import (
	"errors"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/store"
)

// ErrPlaceUnknown means that Discord has not reported a channel yet, so that the scope of
// its answers is not known.
var ErrPlaceUnknown = errors.New("the channel is not known yet")

// ErrNotPermitted means that the operator does not let somebody ask there.
var ErrNotPermitted = errors.New("the asker is not permitted to ask here")

// PressSentence returns what somebody reads whose press of a button below an answer led to an
// error.
func PressSentence(err error) phrases.Phrase {
	id := answer.Meaning(err, []answer.Meant{
		{Err: reply.ErrAnswersGone, ID: "answers_gone"},
		{Err: errComing, ID: "one_moment"},
		{Err: store.ErrHeld, ID: "answer_changing"},
		{Err: store.ErrUnavailable, ID: "no_memory"},
		{Err: ErrPlaceUnknown, ID: "no_memory"},
		{Err: conversation.ErrOptedOut, ID: "not_read"},
		{Err: ErrNotPermitted, ID: "not_permitted"},
		{Err: conversation.ErrQuestionGone, ID: "question_gone"},
		{Err: answer.ErrShutdown, ID: "shutdown"},
	})
	switch {
	case id != "":
		return phrases.Phrase{ID: id}
	case answer.IsDiscord(err):
		return phrases.Phrase{ID: "not_shown"}
	default:
		return answer.Sentence(err)
	}
}

// sentence returns what somebody reads whose command led to an error.
func sentence(err error) phrases.Phrase {
	if said := answer.Sentence(err); said.ID != "internal" {
		return said
	}
	return phrases.Phrase{ID: "command_failed"}
}

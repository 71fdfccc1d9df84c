package answer

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// action is what is done with a question.
type action uint8

const (
	actGive     action = iota // answer it in a new reply
	actGiveOver               // answer it over what stands of an attempt that broke off
	actGiveEdit               // answer it over the answer to an older version
	actGiveMore               // answer it once more in place of what a message shows
	actComplete               // show the answer that is stored and was not sent
	actShow                   // make what stands equal to what is stored
	actTakeBack               // delete what stands
	actLeave                  // do nothing
	actWait                   // try later
	actExpire                 // give up
)

// next is what to do with a question, and how.
type next struct {
	action action
	over   []graph.MessageID // the answer that stands there comes back if this one fails
	begun  []graph.MessageID // nothing there is worth keeping
	// generation counts the edits of the question that were answered.
	generation int
	// replaces is the answer that this one replaces, and unchanged its path if that answer is shown
	// again should the question read as it was answered then.
	replaces  *store.Response
	unchanged path.Hash
	doubt     bool // the answer is looked at once more
	ended     Ended
	err       error
	tell      phrases.ID // to the person who pressed; "" for nothing
}

// keeps is what the store knows of an answer.
type keeps uint8

const (
	keepsNone    keeps = iota
	keepsUnknown       // the store is away
	keepsSilent        // a failure that was told elsewhere
	keepsUnsent        // an answer that is not known to be sent
	keepsShown         // an answer, and the messages that it was sent as
)

// seen is what was seen of a question and its answer.
type seen struct {
	noChannel  bool      // the channel of the question is gone
	gone       bool      // the question was deleted
	unreadable error     // with which Discord refuses to show the channel
	version    time.Time // the newest of the question
	matters    bool      // it is an edit that is to be answered
	stands     Standing
	own        bool            // what stands is what this process sent, for this version
	unkept     *store.Response // this process sent it and could not store it; nil for none

	keeps      keeps
	kept       *store.Response   // the answer that the store knows; nil for none
	parts      []graph.MessageID // that show it
	lacksFiles bool              // files that it owes are not on Discord
	newest     int               // the last generation of answers to the question
	away       error             // why the store does not tell

	// After a press of ↻: what the pressed message shows, nil if nothing is known of it; whether
	// that is the answer that the button was made for; and the generation of the next one.
	display      *reply.Display
	pressedShown bool
	generation   int
}

// isOlder reports whether the stored answer was given to an older version of the question.
func (s *seen) isOlder() bool {
	return s.kept != nil && s.kept.Question().Edited.Before(s.version)
}

// ErrUnanswered means that an edited question has no answer that is known.
var ErrUnanswered = errors.New("the question has no answer that is known")

// ErrTooLate means that the lifetime of a question has ended and that no part of its answer stands.
var ErrTooLate = fmt.Errorf("%w: nothing of it stands", ErrUnsent)

// decide returns what to do with a question after a look. The first row that fits counts. An edit
// matters if it is to be answered: it was made soon enough, and the settings say so. "Older" is the
// answer to an older version, "own" what this process sent.
//
//	question             on Discord        in the store   action, and the fault that it is for
//	pressed ↻                              none           leave, say so
//	                                       another one    leave, say so: two press at once
//	                                       its answer     giveMore
//	its channel is gone                                   leave
//	deleted                                               takeBack: deleted while heddle was away
//	unreadable, and an answer stuck before                wait: the model is not asked before heddle
//	                                                      may read in a locked thread again
//	                     own, not stored   none, unsent   complete: the store was away
//	                     own, this version none, unsent,  leave: the store forgot (FLUSHALL)
//	                                       older, away
//	edit matters                           away           wait: only the store can date an edit
//	edit matters                           older          giveEdit
//	late                 nothing           unsent         expire
//	                                       unsent         complete: killed before it was recorded
//	                                       unsent, and    giveOver: a record holds no files
//	                                       lacks files
//	                     nothing           silent         leave: they were told of a limit
//	                     nothing           shown          leave: somebody deleted the answer
//	looked at once more  nothing                          leave: likewise
//	                     any part          shown          show: two processes wrote, or an edit broke
//	                                                      off and was taken back
//	does not ask         nothing                          leave
//	late                 nothing                          expire
//	                     nothing                          give: new, missed, or a question by an edit
//	                     whole, this                      leave: killed before it was recorded
//	                     version
//	                     half, unclear, or                giveOver: killed while it grew
//	                     of another version
//
// The answer is doubted, and looked at once more, after giveOver, and if another process may have
// held the claim before and a part of an answer stands or is given.
func decide(q *Question, s *seen) next {
	n := decideAction(q, s)
	writes := n.action <= actComplete
	elsewhere := (q.Cause == Missed || q.Cause != Checked && q.Before.isElsewhere()) && (writes || s.stands.State != Nothing && n.action != actTakeBack)
	n.doubt = q.Cause != Pressed && (elsewhere || n.action == actGiveOver)
	return n
}

// decideAction is decide without the doubt.
func decideAction(q *Question, s *seen) next {
	nothing := s.stands.State == Nothing
	switch {
	case q.Cause == Pressed:
		return decidePressed(s)
	case s.noChannel:
		return next{action: actLeave, ended: Dropped}
	case s.gone:
		return next{action: actTakeBack, begun: union(s.stands.Parts, s.parts)}
	case s.unreadable != nil && errors.Is(q.Before.Err, reply.ErrUnfinished):
		return next{action: actWait, err: fmt.Errorf("%w: %w: %w", ErrUnsent, reply.ErrUnfinished, s.unreadable)}
	case s.own && s.unkept != nil && (s.keeps == keepsNone || s.keeps == keepsUnsent):
		return next{action: actComplete, begun: s.stands.Parts, generation: s.unkept.Generation, replaces: s.unkept}
	case s.own && (s.keeps != keepsShown || s.isOlder()):
		return next{action: actLeave, ended: Found}
	case s.keeps == keepsUnknown && s.matters:
		return next{action: actWait, err: s.away}
	case s.matters && s.isOlder():
		return s.edited()
	case s.keeps == keepsUnsent && nothing && q.Late:
		return next{action: actExpire, err: ErrTooLate}
	case s.keeps == keepsUnsent && s.lacksFiles:
		return next{action: actGiveOver, begun: s.stands.Parts, generation: s.kept.Generation}
	case s.keeps == keepsUnsent:
		return next{action: actComplete, begun: s.stands.Parts, generation: s.kept.Generation, replaces: s.kept}
	case nothing && (s.keeps == keepsSilent || s.keeps == keepsShown || q.Cause == Checked):
		return next{action: actLeave, ended: Found}
	case s.keeps == keepsShown:
		return next{action: actShow, over: s.parts, begun: s.stands.Parts, replaces: s.kept}
	case nothing && !q.Asks:
		return next{action: actLeave, err: ErrUnanswered}
	case nothing && q.Late:
		return next{action: actExpire, err: ErrTooLate}
	case nothing:
		return next{action: actGive}
	case s.stands.State == Whole && len(q.Before.Sent) == 0 && (!s.matters || s.stands.names(s.version)):
		return next{action: actLeave, ended: Found}
	default:
		return next{action: actGiveOver, begun: s.stands.Parts}
	}
}

// decidePressed returns what to do about a press of ↻.
func decidePressed(s *seen) next {
	switch {
	case s.display == nil:
		return next{action: actLeave, err: reply.ErrAnswersGone}
	case !s.pressedShown:
		return next{action: actLeave, ended: Dropped, tell: "answer_changed"}
	}
	n := next{action: actGiveMore, over: s.display.Parts, generation: s.generation, replaces: s.display.Current()}
	if n.generation != n.replaces.Generation {
		n.unchanged = n.replaces.PathHash
	}
	return n
}

// edited returns what to do about an edit to which the stored answer is older. It is answered over
// that answer, and over all else that stands. If nothing of the answer stands, it is a new reply.
func (s *seen) edited() next {
	n := next{action: actGiveEdit, generation: s.newest + 1, replaces: s.kept}
	for _, id := range s.parts {
		if slices.Contains(s.stands.Parts, id) {
			n.over = append(n.over, id)
		}
	}
	if s.stands.State == Half || !slices.Equal(s.stands.Parts, s.parts) {
		n.begun = s.stands.Parts
	}
	if len(n.over) > 0 {
		n.unchanged = s.kept.PathHash
	}
	return n
}

// union returns the messages in some or more, oldest first, each once.
func union(some, more []graph.MessageID) []graph.MessageID {
	all := slices.Concat(some, more)
	slices.Sort(all)
	return slices.Compact(all)
}

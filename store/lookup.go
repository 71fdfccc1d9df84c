package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// Recollect returns the responses that messages show: the alternative that Show chose, or
// else the newest that was sent as the message. For a message of which nothing is stored any
// more, because a deletion reached the response or it is damaged, it returns one that is Gone.
func (s *Responses) Recollect(ctx context.Context, scope Scope, replies []graph.MessageID) (map[graph.MessageID]Response, error) {
	shown, err := s.base.shown(ctx, scope, replies)
	if err != nil {
		return nil, fmt.Errorf("find the responses of replies: %w", err)
	}
	known := make(map[graph.MessageID]Response, len(replies))
	for reply, view := range shown {
		switch {
		case view.response != nil:
			known[reply] = *view.response
		case view.erased:
			known[reply] = Response{Standing: Standing{Erased: s.base.now()}}
		}
	}
	return known, nil
}

// ByReply returns the response that a message shows, as Recollect does, and whether there is
// one.
func (s *Responses) ByReply(ctx context.Context, scope Scope, reply graph.MessageID) (shown Response, found bool, err error) {
	known, err := s.Recollect(ctx, scope, []graph.MessageID{reply})
	shown, found = known[reply]
	return shown, found && !shown.Gone(), err
}

// ByTrigger returns the responses to a trigger, newest first.
func (s *Responses) ByTrigger(ctx context.Context, scope Scope, trigger graph.MessageID) ([]Response, error) {
	found, err := s.base.in(ctx, scope, askedName(trigger))
	if err != nil {
		return nil, fmt.Errorf("find the responses to a trigger: %w", err)
	}
	return found, nil
}

// AnswersTo are the messages of all answers to a question.
type AnswersTo struct {
	Question graph.MessageID // the first message that it stands in
	Messages []graph.MessageID
}

// answersTo returns the messages of the answers to those messages that are questions, or
// parts of some.
func (s *Responses) answersTo(ctx context.Context, scope Scope, messages []graph.MessageID) (map[graph.MessageID]AnswersTo, error) {
	answers := make(map[graph.MessageID]AnswersTo)
	err := s.base.read(ctx, scope, func(t *tx) {
		clear(answers)
		for i, responses := range s.base.inSets(ctx, t, each(messages, askedName)...) {
			for j := range responses {
				r := &responses[j]
				if r.Gone() || len(r.Replies) == 0 {
					continue
				}
				to := answers[messages[i]]
				to.Question = r.Trigger
				for _, part := range r.Parts() {
					if !slices.Contains(to.Messages, part) {
						to.Messages = append(to.Messages, part)
					}
				}
				answers[messages[i]] = to
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("find the answers to deleted questions: %w", err)
	}
	return answers, nil
}

// Summary returns the newest summary with this id, and whether there is one.
func (s *Responses) Summary(ctx context.Context, scope Scope, id SummaryID) (summary Response, found bool, err error) {
	summaries, err := s.base.in(ctx, scope, summaryName(id))
	if err != nil {
		return Response{}, false, fmt.Errorf("recall a summary: %w", err)
	}
	if len(summaries) > 0 {
		return summaries[0], true, nil
	}
	return Response{}, false, nil
}

// Heard returns what is said in voice messages, as far as it is stored.
func (s *Responses) Heard(ctx context.Context, scope Scope, voices []graph.AttachmentID) (map[graph.AttachmentID]Response, error) {
	heard := make(map[graph.AttachmentID]Response)
	err := s.base.read(ctx, scope, func(t *tx) {
		for i, found := range s.base.inSets(ctx, t, each(voices, heardName)...) {
			if at := slices.IndexFunc(found, func(r Response) bool { return !r.Gone() }); at >= 0 {
				heard[voices[i]] = found[at]
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("recall what is said in voice messages: %w", err)
	}
	return heard, nil
}

// Want describes the response that Find looks for: one to this path, by this model, with
// these facts in the tail.
type Want struct {
	Scope     Scope
	PathHash  path.Hash
	FactsHash path.Hash
	Model     string
	MaxAge    time.Duration // greatest age of a response that may be reused; 0: any
}

// finishStop is the finish reason of a complete answer, as in llm.FinishStop.
const finishStop = "stop"

// fits reports whether a response is a complete answer that may be reused.
func (w *Want) fits(r *Response, now time.Time) bool {
	return r.FactsHash == w.FactsHash && r.Model == w.Model && r.FinishReason == finishStop && r.Text != "" &&
		!r.TimeBound && (w.MaxAge == 0 || now.Sub(r.Created) < w.MaxAge)
}

// Find returns the newest response of the model that can be reused, and whether there is
// one.
func (s *Responses) Find(ctx context.Context, want Want) (found Response, ok bool, err error) {
	responses, err := s.base.in(ctx, want.Scope, answersName(want.PathHash))
	if err != nil {
		return Response{}, false, fmt.Errorf("find a response: %w", err)
	}
	for _, r := range responses {
		if want.fits(&r, s.base.now()) {
			return r, true, nil
		}
	}
	return Response{}, false, nil
}

// display is what was chosen for a message of heddle's to show.
type display struct {
	Response ResponseID        `json:"response,omitzero"` // zero: what was sent as the message
	Parts    []graph.MessageID `json:"parts"`             // all messages of the answer that it is, or was, a part of
}

// Show makes messages show a response from now on: an alternative, or an answer that
// replaced the one before. parts are the messages of one answer in order. Show returns
// ErrForgotten if the response was erased or has expired, or if one of the messages was
// deleted.
func (s *Responses) Show(ctx context.Context, scope Scope, parts []graph.MessageID, id ResponseID) error {
	return s.base.update(ctx, "show an alternative", scope, func(t *tx) error {
		var marks []condition
		for _, part := range parts {
			marks = append(marks, below(sourceName(part), part))
		}
		if stored, forgotten := t.forgotten(marks, recordName(id)); stored == nil || forgotten {
			return ErrForgotten
		}
		s.base.show(t, parts, recordName(id))
		return nil
	})
}

// show makes the parts of an answer show a record.
func (s *base) show(t *tx, parts []graph.MessageID, name string) {
	for _, part := range parts {
		s.display(t, part, display{idOfRecord(name), parts})
		t.add(placesName(name), idBytes(part), s.lives.Response)
		t.add(replyName(part), name, s.lives.Response)
	}
}

func (s *base) display(t *tx, message graph.MessageID, d display) {
	encoded, _ := json.Marshal(d) // it never fails: these are ids
	t.put(shownName(message), string(encoded), s.lives.Response)
}

// Leave records that an answer became shorter: that parts are left of it. The caller
// deletes the messages gone. Their deletion erases nothing: see Deletions.Forget.
func (s *Responses) Leave(ctx context.Context, scope Scope, parts, gone []graph.MessageID) error {
	all := slices.Concat(parts, gone)
	return s.base.write(ctx, "note that an answer became shorter", scope, func(t *tx) {
		for i, d := range t.displays(all) {
			s.base.display(t, all[i], display{d.Response, parts})
		}
	})
}

// left reports whether heddle deleted the message with this display itself, because its
// answer became shorter.
func (d *display) left(message graph.MessageID) bool {
	return len(d.Parts) > 0 && !slices.Contains(d.Parts, message)
}

// displays reads what was chosen for messages to show. What is absent or damaged is the zero
// display.
func (t *tx) displays(messages []graph.MessageID) []display {
	all := make([]display, len(messages))
	for i, value := range t.get(each(messages, shownName)...) {
		_ = json.Unmarshal(value, &all[i])
	}
	return all
}

// displayOf reads what was chosen for one message to show.
func (s *base) displayOf(ctx context.Context, scope Scope, message graph.MessageID) (chosen display, err error) {
	err = s.read(ctx, scope, func(t *tx) { chosen = t.displays([]graph.MessageID{message})[0] })
	return chosen, err
}

// Parts returns the messages, in order, of the answer that a message is a part of, as
// they were passed to Show last. It returns none if Show was not called for the
// message.
func (s *Responses) Parts(ctx context.Context, scope Scope, part graph.MessageID) ([]graph.MessageID, error) {
	chosen, err := s.base.displayOf(ctx, scope, part)
	if err != nil {
		return nil, fmt.Errorf("find the parts of an answer: %w", err)
	}
	return chosen.Parts, nil
}

// view is what a message of heddle's shows.
type view struct {
	response *Response // nil if it shows no stored response
	chosen   bool      // Show chose it
	erased   bool      // a deletion or damage reached what was sent as the message
	left     bool      // see display.left
}

// shows reports whether the message shows a response on Discord, as far as the store knows.
func (v view) shows(id ResponseID) bool { return v.response != nil && !v.left && v.response.ID == id }

// shown returns what messages show: the response that was chosen for each, or else the
// newest that was sent as it. People's messages show nothing.
func (s *base) shown(ctx context.Context, scope Scope, messages []graph.MessageID) (map[graph.MessageID]view, error) {
	views := make(map[graph.MessageID]view, len(messages))
	if len(messages) == 0 {
		return views, nil
	}
	err := s.read(ctx, scope, func(t *tx) {
		displays := t.displays(messages)
		sent := s.inSets(ctx, t, each(messages, replyName)...) // the chosen ones are among them
		for i, message := range messages {
			view := viewOf(message, displays[i], sent[i])
			view.erased = view.erased || t.torn // its record may be what is damaged
			views[message] = view
		}
	})
	if err != nil {
		return nil, fmt.Errorf("find what messages show: %w", err)
	}
	return views, nil
}

// viewOf returns what a message shows, for which d was chosen and as which the responses
// in sent were sent, the newest first.
func viewOf(message graph.MessageID, d display, sent []Response) view {
	v := view{left: d.left(message)}
	for i := range sent {
		r := &sent[i]
		v.erased = v.erased || r.Gone()
		if r.Gone() || v.chosen {
			continue
		}
		v.chosen = r.ID == d.Response
		if v.response == nil || v.chosen {
			v.response = r
		}
	}
	return v
}

// Shown returns, for each of some responses of a scope, the messages that show it. Some
// of them may have been deleted on Discord without the store knowing.
func (a *Archive) Shown(ctx context.Context, scope Scope, responses []Response) ([][]graph.MessageID, error) {
	of, err := a.base.places(ctx, scope, responses)
	if err != nil {
		return nil, err
	}
	all := slices.Sorted(slices.Values(slices.Concat(of...)))
	views, err := a.base.shown(ctx, scope, slices.Compact(all))
	if err != nil {
		return nil, err
	}
	for i := range of {
		of[i] = slices.DeleteFunc(of[i], func(message graph.MessageID) bool { return !views[message].shows(responses[i].ID) })
	}
	return of, nil
}

// places returns, for each response, the messages that it was sent as or for which Show
// chose it, sorted.
func (s *base) places(ctx context.Context, scope Scope, responses []Response) ([][]graph.MessageID, error) {
	if len(responses) == 0 {
		return nil, nil
	}
	sets := each(responses, func(r Response) string { return placesName(recordName(r.ID)) })
	chosen, err := s.members(ctx, scope, sets...)
	if err != nil {
		return nil, fmt.Errorf("find where answers were shown: %w", err)
	}
	places := make([][]graph.MessageID, len(responses))
	for i := range responses {
		places[i] = append(responses[i].Parts(), messagesOf(chosen[i])...)
		slices.Sort(places[i])
		places[i] = slices.Compact(places[i])
	}
	return places, nil
}

package answer

import (
	"context"

	"heddle/bot/phrases"
	"heddle/llm"
	"heddle/store"
)

// digest returns a digest for a mention of heddle without words that replies to nothing, which asks
// no question. It returns nil if there is none to make, or after an error, which it logs. heddle
// shows as typing meanwhile. A digest is recorded, so that it is erased together with its sources,
// and replaced if the mention is edited. It is never reused, as it is about what one person missed.
func (a *prepared) digest(ctx context.Context) *made {
	if a.deps.Catchup == nil || !a.Calls || a.q.Place.Direct || a.Hidden || a.Alone {
		return nil
	}
	defer a.deps.Replies.Typing(ctx, a.q.Channel)()
	digest, told, err := a.deps.Catchup.Digest(ctx, a.q.Question, a.Person)
	if err != nil {
		a.log.Log(ctx, store.LogLevel(err), "it could not be told what was talked about, the model answers as it would a question", "error", err)
	}
	if !told || err != nil {
		return nil
	}
	a.Account.RefundRequest(ctx) // the model's requests were charged one by one
	if digest.Trouble != nil {
		digest.Text = phrases.Lines(digest.Text, "-# "+a.language().Say(a.settings.sentence(digest.Trouble)))
	}
	m := &made{response: a.response(llm.Answer{Text: digest.Text, FinishReason: llm.FinishStop}), text: digest.Text, buttons: digest.Buttons, ended: Answered}
	m.response.Sources, m.response.TimeBound = append(m.response.Sources, digest.Sources...), true
	m.response.Service = true
	return m
}

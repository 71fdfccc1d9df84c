package tools

import "heddle/llm"

// purse decides when an answer must end because of the tokens that it may take. It
// reserves tokens for the next request, so that the model can still answer whatever the
// tools take.
type purse struct {
	of   Purse // nil: nothing is bounded
	next int   // tokens that the next request takes, with its answer
}

// newPurse returns the purse of an answer.
func newPurse(place Place) *purse { return &purse{of: place.Purse} }

// bytesPerToken is a low estimate of the length of a token in text of any kind.
const bytesPerToken = 3

// asked notes what a request took. The next one repeats it, followed by its answer.
func (p *purse) asked(request *llm.Request, answer *llm.Answer) {
	said := 0
	for i := range answer.ToolCalls {
		said += len(answer.ToolCalls[i].Arguments)
	}
	p.next = answer.Usage.Prompt + max(answer.Usage.Completion, said/bytesPerToken) + request.Path.Options.MaxTokens
}

// told notes a result that the next request will hold.
func (p *purse) told(result string) { p.next += len(result) / bytesPerToken }

// keep reserves what the next request takes if the tools return this many bytes.
func (p *purse) keep(results int) {
	if p.of != nil {
		p.of.Keep(p.next + results/bytesPerToken)
	}
}

// release ends what keep began.
func (p *purse) release() {
	if p.of != nil {
		p.of.Keep(0)
	}
}

// last reports whether no more than the next request can be made.
func (p *purse) last() bool {
	if p.of == nil {
		return false
	}
	left, bounded := p.of.Left()
	return bounded && left < 2*p.next
}

package llm

import (
	"context"
	"net/http"
)

// Meter accounts for requests to a model.
type Meter interface {
	// Reserve reserves the most that one request can take. The Client calls it before
	// each request. If Reserve fails, the request is not made. Otherwise the Client
	// calls settle when the request is over.
	Reserve(ctx context.Context, request *Request) (settle func(Spent), err error)
}

// TextMeter accounts for requests for vectors.
type TextMeter interface {
	// ReserveTexts is like Meter.Reserve, for a request for the vectors of texts.
	ReserveTexts(ctx context.Context, texts []string) (settle func(Spent), err error)
}

// Spent is what a request took.
type Spent struct {
	Model string
	Usage Usage // for a request for vectors only Prompt is set
	Known bool  // otherwise the request may have taken anything up to what was reserved
}

// unmetered is a Meter and a TextMeter that reserves nothing.
type unmetered struct{}

func (unmetered) ReserveTexts(context.Context, []string) (func(Spent), error) {
	return func(Spent) {}, nil
}

func (unmetered) Reserve(context.Context, *Request) (func(Spent), error) {
	return func(Spent) {}, nil
}

// spent returns what a request took: what the provider reported or, if it refused the
// request, nothing.
func (x *exchange) spent(answer *Answer) Spent {
	if !x.sent {
		return Spent{Model: answer.Asked, Known: true}
	}
	return spent(answer.Asked, answer.Usage, x.status)
}

// spent returns what a request to a model took. usage is what the provider reported, if
// anything, and status is that of the response, or 0 if there was none.
func spent(model string, usage Usage, status int) Spent {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	return Spent{Model: model, Usage: usage, Known: usage.Prompt+usage.Completion > 0 || refused}
}

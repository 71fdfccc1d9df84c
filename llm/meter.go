package llm

import (
	"context"
	"net/http"
)

// Meter keeps account of requests.
type Meter interface {
	// Reserve reserves what one request may take at most; the Client calls it before
	// each. If it fails, the request is not made. Otherwise the Client calls settle when
	// the request is over.
	Reserve(ctx context.Context, request *Request) (settle func(Spent), err error)
}

// TextMeter keeps account of requests for vectors.
type TextMeter interface {
	// ReserveTexts is what Meter.Reserve is, for a request for the vectors of texts.
	ReserveTexts(ctx context.Context, texts []string) (settle func(Spent), err error)
}

// Spent is what a request took.
type Spent struct {
	Model string
	Usage Usage // of a request for vectors it is all Prompt
	Known bool  // else the request may have taken anything up to what was reserved
}

// unmetered is a Meter and a TextMeter that reserves nothing.
type unmetered struct{}

func (unmetered) ReserveTexts(context.Context, []string) (func(Spent), error) {
	return func(Spent) {}, nil
}

func (unmetered) Reserve(context.Context, *Request) (func(Spent), error) {
	return func(Spent) {}, nil
}

// spent returns what a request took: what the provider says or, if it refused the
// request, nothing.
func (x *exchange) spent(answer *Answer) Spent {
	if !x.sent {
		return Spent{Model: answer.Asked, Known: true}
	}
	return spent(answer.Asked, answer.Usage, x.status)
}

// spent returns what a request to a model took that was answered with a status, if there
// was one, given the tokens that the provider says, if it does.
func spent(model string, usage Usage, status int) Spent {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	return Spent{Model: model, Usage: usage, Known: usage.Prompt+usage.Completion > 0 || refused}
}

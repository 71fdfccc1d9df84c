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
	Tokens int
	Known  bool // else the request may have taken anything up to what was reserved
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
		return Spent{Known: true}
	}
	return spent(answer.Usage.Prompt+answer.Usage.Completion, x.status)
}

// spent returns what a request took that was answered with a status, if there was one,
// given the tokens that the provider says, if it does.
func spent(tokens, status int) Spent {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	return Spent{Tokens: tokens, Known: tokens > 0 || refused}
}

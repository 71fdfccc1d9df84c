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

// Spent is what a request took.
type Spent struct {
	Tokens int
	Known  bool // else the request may have taken anything up to what was reserved
}

// unmetered is a Meter that reserves nothing.
type unmetered struct{}

func (unmetered) Reserve(context.Context, *Request) (func(Spent), error) {
	return func(Spent) {}, nil
}

// spent returns what a request took: what the provider says or, if it refused the
// request, nothing.
func (x *exchange) spent(answer *Answer) Spent {
	switch usage := answer.Usage; {
	case usage.Prompt+usage.Completion > 0:
		return Spent{usage.Prompt + usage.Completion, true}
	case !x.sent, x.status >= http.StatusBadRequest && x.status < http.StatusInternalServerError:
		return Spent{Known: true}
	default:
		return Spent{}
	}
}

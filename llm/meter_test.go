package llm_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// closed is a meter that refuses every request.
type closed struct{ asked int }

var errClosed = errors.New("nobody pays")

func (c *closed) Reserve(context.Context, *llm.Request) (func(llm.Spent), error) {
	c.asked++
	return nil, errClosed
}

func (c *closed) ReserveTokens(ctx context.Context, _ int) (func(llm.Spent), error) {
	return c.Reserve(ctx, nil)
}

// TestEveryWayToAProviderIsMetered calls every method that could ask a provider. It
// uses reflection, so that methods added later are covered, too.
func TestEveryWayToAProviderIsMetered(t *testing.T) {
	server := errtest.Must(openaitest.Start(openaitest.Config{}))(t)
	t.Cleanup(func() { _ = server.Close() })
	meter := &closed{}
	client := errtest.Must(llm.New(llm.Config{BaseURL: server.URL(), Model: "test-model", Meter: meter}))(t)
	t.Cleanup(client.Close)
	called, asks := 0, reflect.ValueOf(client)
	for i := range asks.NumMethod() {
		name, method := asks.Type().Method(i).Name, asks.Method(i)
		if name == "Reach" { // nobody pays for a list of models
			continue
		}
		if method.Type().NumIn() == 0 || method.Type().In(0) != reflect.TypeFor[context.Context]() {
			continue // it makes no request
		}
		arguments := []reflect.Value{reflect.ValueOf(t.Context())}
		for n := 1; n < method.Type().NumIn(); n++ {
			arguments = append(arguments, reflect.Zero(method.Type().In(n)))
		}
		before := meter.asked
		results := method.Call(arguments)
		failure, _ := reflect.TypeAssert[error](results[len(results)-1])
		if meter.asked != before+1 || !errors.Is(failure, errClosed) {
			t.Errorf("%s asks the meter %d times and ends with %v, want once and %v", name, meter.asked-before, failure, errClosed)
		}
		called++
	}
	if asked := len(server.Requests()); asked > 0 || called == 0 {
		t.Errorf("%d methods were called, and the provider was asked %d times, want some and 0", called, asked)
	}
}

package discord_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"heddle/internal/discord"
)

var errTaken = errors.New("somebody else has it")

// TestAFencedCallIsNotSent closes a fence between two attempts of one call.
func TestAFencedCallIsNotSent(t *testing.T) {
	sent, asked := 0, 0
	rest := serve(t, func(n int32, w http.ResponseWriter, _ *http.Request) {
		sent = int(n)
		w.WriteHeader(http.StatusBadGateway)
	})
	ctx := discord.Fenced(t.Context(), func() (time.Time, error) {
		if asked++; asked > 1 {
			return time.Time{}, errTaken
		}
		return time.Now().Add(time.Hour), nil
	})
	_, err := rest.Get(ctx, "/gateway", nil)
	if err == nil || sent != 1 || asked != 2 {
		t.Errorf("%d requests were sent, the fence was asked %d times: %v, want 1, 2 and an error", sent, asked, err)
	}
	if _, err := rest.Get(ctx, "/gateway", nil); !errors.Is(err, discord.ErrFenced) || !errors.Is(err, errTaken) || sent != 1 {
		t.Errorf("%d requests were sent, and the second call ends with %v, want 1, %v and %v", sent, err, discord.ErrFenced, errTaken)
	}
}

// TestACallEndsWithItsFence delays the response to a call beyond the time that its
// fence allows.
func TestACallEndsWithItsFence(t *testing.T) {
	rest := serve(t, func(_ int32, _ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	asked := 0
	ctx := discord.Fenced(t.Context(), func() (time.Time, error) {
		if asked++; asked > 1 {
			return time.Time{}, errTaken
		}
		return time.Now().Add(20 * time.Millisecond), nil
	})
	if _, err := rest.Get(ctx, "/gateway", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the call returns %v, want %v", err, context.DeadlineExceeded)
	}
}

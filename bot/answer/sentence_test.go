package answer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/llm"
)

// TestEveryErrorHasASentence proves that people are told what happened and what they can
// do, and that no text of an error is shown.
func TestEveryErrorHasASentence(t *testing.T) {
	const secret = "swordfish"
	model := func(kind llm.Kind) error {
		return fmt.Errorf("ask %s: %w", secret, &llm.Error{Kind: kind, Status: 418, Code: secret})
	}
	refused := func(status int) error {
		return fmt.Errorf("read: %w", &discord.Error{Status: status, Route: secret})
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"unreachable":      {model(llm.Unreachable), "try again in a minute"},
		"stalled":          {model(llm.Stalled), "try again in a minute"},
		"rate limited":     {model(llm.RateLimited), "try again in a minute"},
		"failed":           {model(llm.Server), "failed to answer"},
		"unauthorised":     {model(llm.Auth), "check the model's name, address and key"},
		"unknown model":    {model(llm.NotFound), "check the model's name, address and key"},
		"bad request":      {model(llm.BadRequest), "check the model's name, address and key"},
		"out of money":     {model(llm.Quota), "has to raise it"},
		"too long":         {model(llm.ContextTooLong), "ask something shorter"},
		"filtered":         {model(llm.Refused), "would not answer that"},
		"empty":            {model(llm.Empty), "other words"},
		"cut":              {model(llm.Cut), "Mention me again"},
		"malformed":        {model(llm.Malformed), "try again"},
		"cancelled":        {model(llm.Cancelled), "try again"},
		"a kind to come":   {model(llm.Kind(250)), "try again"},
		"no history":       {refused(http.StatusForbidden), "Read Message History"},
		"Discord's fault":  {refused(http.StatusBadGateway), "try again in a minute"},
		"Discord's ban":    {fmt.Errorf("read: %w", discord.ErrTooManyRefusals), "try again in a minute"},
		"Discord's limits": {fmt.Errorf("read: %w", discord.ErrWaitTooLong), "try again in a minute"},
		"late":             {fmt.Errorf("read: %w", context.DeadlineExceeded), "try again in a minute"},
		"calls for ever":   {fmt.Errorf("ask %s: %w", secret, tools.ErrEndless), "I kept looking things up"},
		"stopping":         {errors.Join(model(llm.Cancelled), answer.ErrShutdown), "Mention me again in a moment"},
		"anything else":    {errors.New(secret), "try again"},
	} {
		got := phrases.In().Say(answer.Sentence(test.err))
		if !strings.Contains(got, test.want) || strings.Contains(got, secret) || !strings.HasSuffix(got, ".") {
			t.Errorf("%s: people are told %q, want %q in it", name, got, test.want)
		}
	}
}

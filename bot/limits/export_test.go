package limits

import (
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
	"heddle/store"
)

// Metered is metered.
//
//nolint:ireturn // a test's
func Metered(t *testing.T, script func(openaitest.Request) openaitest.Reply, settings Settings) (store.Engine, *Limits, *llm.Client) {
	t.Helper()
	return metered(t, script, settings)
}

// Charged returns how much of a limit of somebody is used.
func Charged(t *testing.T, engine store.Engine, limit Limit, whose Whose, id uint64) int64 {
	t.Helper()
	return used(t, engine, owned{limit, whose, id})
}

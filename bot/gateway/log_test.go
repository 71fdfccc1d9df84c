package gateway_test

import (
	"io"
	"log/slog"
)

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

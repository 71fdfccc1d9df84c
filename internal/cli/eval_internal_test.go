package cli

import (
	"strings"
	"testing"
)

func TestEvalMeasuresAnExportWithTheSettingsInEffect(t *testing.T) {
	const export = "../playground/sample/thread.json"
	status, stdout, stderr := heddle(t, "AFFINITY=off MIN_LINEAR=2 MAX_TOTAL=4", "eval", export)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "heddle, as it is set   ████████████████████████████████ 100.0 %        3.") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\" and %q in it", status, stderr, stdout, "heddle, as it is set   ████████████████████████████████ 100.0 %        3.")
	}
	if status, _, stderr := heddle(t, "MAX_TOTAL=many", "eval", export); status != 2 || !strings.Contains(stderr, "MAX_TOTAL") {
		t.Errorf("status %d, stderr %q, want 2 and %q in it", status, stderr, "MAX_TOTAL")
	}
}

package cli

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/calibration"
)

// calibrating runs heddle calibrate on ratings from standard input.
func calibrating(ratings string, args ...string) (status int, stdout, stderr string) {
	var out, err strings.Builder
	status = Run(context.Background(), append([]string{"calibrate"}, args...), Process{
		Read: os.ReadFile, Stdin: strings.NewReader(ratings), Stdout: &out, Stderr: &err,
	})
	return status, out.String(), err.String()
}

func TestCalibrateReportsAndWritesCurves(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var ratings strings.Builder
	encoder := json.NewEncoder(&ratings)
	for range 1000 {
		value := 0.7 + 0.3*random.Float64()
		if err := encoder.Encode(calibration.Rating{Model: "m", Value: value, Good: random.Float64() < value*value*value}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "curves.json")
	status, out, complaint := calibrating(ratings.String(), "-o", file, "-")
	if status != StatusDone || !strings.Contains(out, "1000") || !strings.Contains(out, "AUROC") || strings.Contains(out, "say little") {
		t.Fatalf("status %d, %q, %q, want %d, %q in it, %q in it and no %q in it", status, out, complaint, StatusDone, "1000", "AUROC", "say little")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var curves calibration.Curves
	if err := json.Unmarshal(content, &curves); err != nil {
		t.Fatal(err)
	}
	low, _ := curves.At("m", 0.72)
	high, _ := curves.At("m", 0.98)
	if low > 0.5 || high < 0.8 {
		t.Errorf("the curve gives %.2f at 0.72 and %.2f at 0.98, want at most %.2f and at least %.2f", low, high, 0.5, 0.8)
	}
}

func TestCalibrateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ratings string
		args    []string
		want    string
	}{
		"a missing file":           {"", []string{"no-such-file"}, "there is no file no-such-file"},
		"no rating":                {"\n", []string{"-"}, "it contains no ratings"},
		"a line that is no rating": {"{}\n", []string{"-"}, "line 1 is not a rating"},
	} {
		if status, _, complaint := calibrating(test.ratings, test.args...); status != StatusMisuse || !strings.Contains(complaint, test.want) {
			t.Errorf("%s: status %d, %q, want %d and %q in it", name, status, complaint, StatusMisuse, test.want)
		}
	}
	if _, out, _ := calibrating(`{"value":0.5,"good":true}`, "-"); !strings.Contains(out, "say little") || !strings.Contains(out, "unknown") {
		t.Errorf("one rating is reported as %q, want %q in it and %q in it", out, "say little", "unknown")
	}
}

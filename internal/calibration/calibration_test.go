package calibration_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"heddle/internal/calibration"
)

// synthetic returns n ratings of answers. Each is good with a probability that depends
// on its confidence.
func synthetic(n int, good func(float64) float64) []calibration.Rating {
	random := rand.New(rand.NewPCG(1, 2))
	ratings := make([]calibration.Rating, n)
	for i := range ratings {
		value := 0.7 + 0.3*random.Float64() // as raw probabilities mostly are
		ratings[i] = calibration.Rating{Value: value, Good: random.Float64() < good(value)}
	}
	return ratings
}

func TestACurveUndoesOverconfidence(t *testing.T) {
	t.Parallel()
	truth := func(value float64) float64 { return math.Pow(value, 6) }
	ratings := synthetic(4000, truth)
	curve := calibration.Fit(ratings)
	for value := 0.72; value < 0.99; value += 0.03 {
		got, ok := curve.At(value)
		if !ok || math.Abs(got-truth(value)) > 0.08 {
			t.Errorf("at %.2f the curve gives %.3f, want %.3f within 0.08", value, got, truth(value))
		}
	}
	fitted := calibration.CrossFit(ratings)
	before, after := calibration.ECE(ratings), calibration.ECE(fitted)
	if before < 0.3 || after > 0.03 {
		t.Errorf("the calibration error went from %.3f to %.3f, want at least %.3f and at most %.3f", before, after, 0.3, 0.03)
	}
	if raw, calibrated := calibration.AUROC(ratings), calibration.AUROC(fitted); math.Abs(raw-calibrated) > 0.02 || raw < 0.65 {
		t.Errorf("the AUROC went from %.3f to %.3f, want at least 0.65, and a change of at most 0.02", raw, calibrated)
	}
}

func TestWhatTellsNothingBecomesFlat(t *testing.T) {
	t.Parallel()
	ratings := synthetic(4000, func(float64) float64 { return 0.5 })
	low, _ := calibration.Fit(ratings).At(0.75)
	high, _ := calibration.Fit(ratings).At(0.95)
	if high-low > 0.08 || math.Abs(calibration.AUROC(ratings)-0.5) > 0.03 {
		t.Errorf("chance becomes a curve from %.3f to %.3f with AUROC %.3f, want a rise of at most 0.08 and an AUROC of 0.5", low, high, calibration.AUROC(ratings))
	}
}

func TestACurveNeverFalls(t *testing.T) {
	t.Parallel()
	for n := range 60 {
		curve := calibration.Fit(synthetic(n, func(v float64) float64 { return 1 - v }))
		last := 0.0
		for value := 0.0; value <= 1; value += 0.01 {
			got, ok := curve.At(value)
			if ok != (n > 0) || got < last || got > 1 {
				t.Fatalf("of %d ratings the curve gives %v, %t at %.2f, want a value from %v to 1, and true only with ratings", n, got, ok, value, last)
			}
			last = got
		}
	}
}

func TestFewRatingsPromiseNothing(t *testing.T) {
	t.Parallel()
	curve := calibration.Fit([]calibration.Rating{{Value: 0.9, Good: true}})
	if got, ok := curve.At(0.95); !ok || got > 0.7 {
		t.Errorf("after one good answer the curve gives %v, want at most 0.7", got)
	}
	for _, value := range []float64{math.NaN(), -1, 2, math.Inf(-1)} {
		if _, ok := curve.At(value); ok {
			t.Errorf("the curve has a value at %v, want none", value)
		}
	}
}

func TestMeasuresOfKnownRatings(t *testing.T) {
	t.Parallel()
	ratings := []calibration.Rating{{Value: 0.95, Good: true}, {Value: 0.95}, {Value: 0.15}, {Value: 0.15, Good: true}, {Value: 0.55, Good: true}}
	if got, want := calibration.ECE(ratings), (0.9+0.7+0.45)/5; math.Abs(got-want) > 1e-9 {
		t.Errorf("ECE is %v, want %v", got, want)
	}
	if got, want := calibration.AUROC(ratings), 3.0/6; got != want {
		t.Errorf("AUROC is %v, want %v", got, want)
	}
	if got := calibration.AUROC(ratings[:1]); !math.IsNaN(got) {
		t.Errorf("the AUROC of one rating is %v, want NaN", got)
	}
}

func TestCurvesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	curves := calibration.Curves{"m": calibration.Fit(synthetic(500, func(v float64) float64 { return v * v }))}
	written, err := json.Marshal(curves)
	if err != nil {
		t.Fatal(err)
	}
	var read calibration.Curves
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	want, _ := curves.At("m", 0.87)
	if got, ok := read.At("m", 0.87); !ok || got != want {
		t.Errorf("read back, the curve gives %v, want %v", got, want)
	}
	if _, ok := read.At("other", 0.87); ok {
		t.Error("a model without ratings has a curve")
	}
	for _, bad := range []string{`{"m":[{"value":0.5,"good":0.9},{"value":0.6,"good":0.1}]}`, `{"m":[{"value":2,"good":0}]}`, `{"m":5}`} {
		if err := json.Unmarshal([]byte(bad), &read); err == nil {
			t.Errorf("%s was read as a curve, want an error", bad)
		}
	}
}

func TestLinesThatAreNoRatingsAreNamed(t *testing.T) {
	t.Parallel()
	read, err := calibration.Read(strings.NewReader(`{"value":0.5,"good":true}` + "\n\n" + `{"model":"m","value":1,"good":false}` + "\n"))
	if err != nil || len(read[""]) != 1 || len(read["m"]) != 1 {
		t.Errorf("read %v with %v, want one in for \"\", one in for \"m\" and no error", read, err)
	}
	for _, line := range []string{"nonsense", `{"value":0.5}`, `{"good":true}`, `{"value":1.5,"good":true}`, `{"value":"high","good":true}`} {
		if _, err := calibration.Read(strings.NewReader(`{"value":0.5,"good":true}` + "\n" + line)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v, want an error and %q in it", line, err, "line 2")
		}
	}
	if _, err := calibration.Read(strings.NewReader("\n")); err == nil {
		t.Error("nothing is taken for ratings")
	}
}

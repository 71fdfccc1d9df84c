package affinity_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"heddle/graph/affinity"
	"heddle/internal/errtest"
)

func TestWeightsReadBackAsTheyWereWritten(t *testing.T) {
	model := shipped(t)
	var file bytes.Buffer
	errtest.None(t, model.Weights().Write(&file))
	again := errtest.Must(affinity.Read(&file))(t)
	if got, want := again.Links(twoTalks()), model.Links(twoTalks()); !reflect.DeepEqual(got, want) {
		t.Errorf("links are %v, want %v as before", got, want)
	}
}

func TestForeignWeightsAreRefused(t *testing.T) {
	var whole bytes.Buffer
	errtest.None(t, shipped(t).Weights().Write(&whole))
	other := bytes.Clone(whole.Bytes())
	other[len("heddle affinity 3\n")]++
	for name, file := range map[string][]byte{
		"nothing": nil, "a text": []byte("hello, this is not a file of weights at all"),
		"cut short": whole.Bytes()[:whole.Len()/2], "other inputs": other,
	} {
		if _, err := affinity.Read(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "train them again") {
			t.Errorf("%s: error %v does not say what to do, want an error and %q in it", name, err, "train them again")
		}
	}
}

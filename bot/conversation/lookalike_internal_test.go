package conversation

import (
	"testing"
	"unicode/utf8"
)

func TestNamesThatLookAlikeFoldAlike(t *testing.T) {
	for _, name := range []string{
		"heddle", "HEDDLE", "h e d d l e", "heddIe", "hedd1e", "hedd|e", "h.e.d.d.l.e", "[heddle]", "ｈｅｄｄｌｅ", "𝐡𝐞𝐝𝐝𝐥𝐞",
		"һеԁԁӏе", "hédḋle", "ʜᴇᴅᴅʟᴇ", "🅷🅴🅳🅳🅻🅴", "🇭🇪🇩🇩🇱🇪", "hed\u200bdle", "\u202eheddle", "hed\u00addle", "ⓗⓔⓓⓓⓛⓔ", "h\u0335e\u0336ddle",
	} {
		if got := fold(name); got != "heddle" {
			t.Errorf("%q folds to %q, want %q", name, got, "heddle")
		}
	}
	for name, want := range map[string]string{
		"": "", "❤️ !": "", "Ann": "ann", "Анна": "ahha", "花子": "花子", "Zoë 2": "zoe2", "modern": "modem", "ﬁsh": "flsh",
	} {
		if got := fold(name); got != want {
			t.Errorf("%q folds to %q, want %q", name, got, want)
		}
	}
}

func FuzzFoldingOnceIsEnough(f *testing.F) {
	f.Add("heddle")
	f.Add("ЫꚘǁ ﬃ")
	f.Fuzz(func(t *testing.T, name string) {
		folded := fold(name)
		if again := fold(folded); utf8.ValidString(name) && again != folded {
			t.Errorf("%q folds to %q, and that again to %q, want no change", name, folded, again)
		}
	})
}

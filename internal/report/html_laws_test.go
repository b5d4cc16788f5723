package report

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Everything that the page is made of. No text of a stream may add to it.
var (
	elements = strings.Fields(`html head meta title style body a header div p h1 ul li b span nav main section h2 h3 i code kbd label input button
		table caption thead tbody tr th td time figure figcaption svg desc line rect details summary dl dt dd footer script`)
	attributes = strings.Fields(`lang charset http-equiv content name id class href rel tabindex aria-label aria-labelledby aria-describedby aria-pressed aria-live
		aria-hidden role hidden for type autocomplete spellcheck data-k scope datetime viewBox preserveAspectRatio focusable x y x1 x2 y1 y2 width height`)
)

// An item is an element of a page with its text, without what is in it.
type item struct {
	name, class, id, href, text string
	under                       []string
}

// items reads a page as XML, which it also is: a reader that is stricter than
// any browser. It checks that nothing is in the page that is not our own.
func items(t testing.TB, page string) []item {
	t.Helper()
	for own, end := range map[string]string{"<style>" + pageCSS: "</style>", "<script>" + pageJS: "</script>"} {
		if strings.Count(page, own+end) != 1 {
			t.Fatalf("the page has not exactly one %s of ours", end)
		}
		page = strings.Replace(page, own+end, "", 1)
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = map[string]string{}
	var all []item
	var open []int
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			it := item{name: token.Name.Local}
			for _, i := range open {
				it.under = append(it.under, all[i].name)
			}
			if !slices.Contains(elements, it.name) || it.name == "script" || it.name == "style" {
				t.Fatalf("element %s", it.name)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Fatalf("attribute %s of %s", a.Name.Local, it.name)
				}
				switch a.Name.Local {
				case "class":
					it.class = a.Value
				case "id":
					it.id = a.Value
				case "href":
					it.href = a.Value
				}
			}
			open = append(open, len(all))
			all = append(all, it)
		case xml.EndElement:
			open = open[:len(open)-1]
			for _, i := range open {
				all[i].text += " "
			}
		case xml.CharData:
			for _, i := range open {
				all[i].text += string(token)
			}
		case xml.Comment, xml.ProcInst:
			t.Fatalf("%T in the page", token)
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// lawsOfHTML: well formed and ours; addresses lead into the page or to a pull
// request on GitHub; every row of the JSON form is one row of the table.
func lawsOfHTML(t testing.TB, page string, doc []byte) []item {
	t.Helper()
	lawsOfChars(t, page)
	all := items(t, page)
	ids := map[string]int{}
	var rows []item
	for _, it := range all {
		if it.id != "" {
			ids[it.id]++
		}
		if it.name == "tr" && strings.HasPrefix(it.class, "k-") {
			rows = append(rows, it)
		}
	}
	for _, it := range all {
		switch {
		case it.href == "" || strings.HasPrefix(it.href, "#") && ids[it.href[1:]] == 1:
		case it.name == "a" && strings.HasPrefix(it.href, "https://github.com/") && !strings.ContainsAny(it.href[8:], "@:?#%&\\"):
		default:
			t.Errorf("an address %q", it.href)
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements with the id %s", n, id)
		}
	}
	var d document
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range d.Sections {
		for _, r := range s.Rows {
			if n < len(rows) && (rows[n].class != "k-"+s.ID || !strings.Contains(rows[n].text, clip(shortID(r.Subject), idWidth))) {
				t.Errorf("row %d is %.80q of %s, and session %q of section %s stands there in the JSON", n+1, rows[n].text, rows[n].class, r.Subject, s.ID)
			}
			n++
		}
	}
	if n != len(rows) {
		t.Errorf("%d rows, and %d in the JSON", len(rows), n)
	}
	return all
}

// lawsOfChars: nothing that a terminal obeys or that turns text around.
func lawsOfChars(t testing.TB, page string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Error("not text")
	}
	for _, r := range page {
		if r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			t.Errorf("character %U in the page", r)
		}
	}
}

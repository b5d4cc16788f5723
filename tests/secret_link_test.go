package tests

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A filter does not pay for the guard: what classify and render link has none of
// it, nor have the packages that judge, fold and show. (fleet-asks and
// fleet-ledger link it for the commands that read a ledger; its patterns compile
// at the first keyword.) And no program links gitleaks itself: its rules are a
// table.
func TestFiltersLinkNoGuard(t *testing.T) {
	deps := func(pkg string) []string {
		out, err := exec.Command("go", "list", "-deps", module+pkg).Output()
		if err != nil {
			t.Fatal(pkg, err)
		}
		return strings.Fields(string(out))
	}
	for _, pkg := range []string{"cmd/fleet-classify", "cmd/fleet-render", "internal/classify", "internal/asks", "internal/report", "internal/record"} {
		if slices.Contains(deps(pkg), module+"internal/guard") {
			t.Errorf("%s links internal/guard", pkg)
		}
	}
	for _, pkg := range []string{"cmd/fleet-observe-claude", "cmd/fleet-observe-gh", "cmd/fleet-ledger", "cmd/fleet-asks", "cmd/fleet-config"} {
		all := deps(pkg)
		if !slices.Contains(all, module+"internal/guard") {
			t.Errorf("%s does not link internal/guard", pkg)
		}
		if i := slices.IndexFunc(all, func(p string) bool { return strings.Contains(p, "gitleaks") || strings.Contains(p, "viper") }); i >= 0 {
			t.Errorf("%s links %s", pkg, all[i])
		}
	}
}

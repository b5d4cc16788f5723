package ledger

import (
	"os"
	"testing"

	"github.com/fleet-tools/fleet/internal/jq/jqtest"
)

func TestMain(m *testing.M) { os.Exit(jqtest.Main(m)) }

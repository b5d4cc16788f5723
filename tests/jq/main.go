// Jq stands in for jq in tests, so that they need nothing but Go: gojq's
// language over the JSON values of a file or of standard input. gojq's own
// command is not built: it needs modules that the language does not.
//
// Usage:
//
//	jq [-r] [-c] [-s] FILTER [FILE]
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/itchyny/gojq"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jq:", err)
		os.Exit(5)
	}
}

func run(args []string) error {
	flags := map[string]bool{}
	for len(args) > 0 && len(args[0]) == 2 && args[0][0] == '-' {
		flags[args[0]] = true
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("no filter")
	}
	query, err := gojq.Parse(args[0])
	if err != nil {
		return err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return err
	}
	in := io.Reader(os.Stdin)
	if len(args) > 1 {
		f, err := os.Open(args[1])
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	inputs, err := values(in, flags["-s"])
	if err != nil {
		return err
	}
	for _, v := range inputs {
		if err := write(code.Run(v), flags["-r"]); err != nil {
			return err
		}
	}
	return nil
}

// values reads all JSON values; slurped they are one array.
func values(in io.Reader, slurp bool) ([]any, error) {
	dec := json.NewDecoder(in)
	dec.UseNumber()
	all := []any{}
	for {
		var v any
		err := dec.Decode(&v)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if slurp {
		return []any{all}, nil
	}
	return all, nil
}

// write prints one value a line, compact.
func write(iter gojq.Iter, raw bool) error {
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			return err
		}
		if s, ok := v.(string); ok && raw {
			fmt.Println(s)
			continue
		}
		b, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		fmt.Println(string(b))
	}
}

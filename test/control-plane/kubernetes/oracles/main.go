// Command oracles answers questions with the control plane's own functions; tests compare konverge's functions with it.
// The first argument names the oracle; each line of standard input is one question in JSON, and each line of standard
// output is its answer, in the same order: {"value": …} or {"error": "…"}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// An oracle answers one question. A panic is an answer too: the real server would fail.
type oracle func(question json.RawMessage) (any, error)

var oracles = map[string]oracle{}

// register adds an oracle under its name. Each file of this package registers its oracle in init.
func register(name string, answer oracle) {
	oracles[name] = answer
}

type answer struct {
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	if len(os.Args) != 2 || oracles[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "oracles: the first argument must name an oracle")
		os.Exit(2)
	}
	ask := oracles[os.Args[1]]
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := encoder.Encode(answerTo(ask, line)); err != nil {
				fmt.Fprintln(os.Stderr, "oracles:", err)
				os.Exit(1)
			}
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			out.Flush()
			return
		}
	}
}

func answerTo(ask oracle, question []byte) (given answer) {
	defer func() {
		if reason := recover(); reason != nil {
			given = answer{Error: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	value, err := ask(question)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}

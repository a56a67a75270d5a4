//go:build ignore

// Says what Go's time package makes of durations: reads texts as JSON strings, one a line, and answers each with a line
// [text, nanoseconds or null, String() or null]. go-durations.json holds such answers.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"time"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for in := json.NewDecoder(os.Stdin); in.More(); {
		var text string
		if err := in.Decode(&text); err != nil {
			panic(err)
		}
		row := []any{text, nil, nil}
		if duration, err := time.ParseDuration(text); err == nil {
			row = []any{text, strconv.FormatInt(int64(duration), 10), duration.String()}
		}
		if err := answers.Encode(row); err != nil {
			panic(err)
		}
	}
}

//go:build ignore

// Makes go-durations.json: reads texts as JSON strings, one a line, and writes what Go's time package makes of each,
// as [text, nanoseconds or null, String() or null].
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	rows := [][]any{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			panic(err)
		}
		row := []any{text, nil, nil}
		if duration, err := time.ParseDuration(text); err == nil {
			row = []any{text, strconv.FormatInt(int64(duration), 10), duration.String()}
		}
		rows = append(rows, row)
	}
	out, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}

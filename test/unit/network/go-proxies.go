//go:build ignore

// Makes go-proxies.json: reads cases [NO_PROXY, URL] as JSON, one a line, and writes [NO_PROXY, URL, whether Go goes through
// the proxy], as golang.org/x/net/http/httpproxy sees it, which net/http is built with.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

func main() {
	rows := [][]any{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var given [2]string
		if err := json.Unmarshal(in.Bytes(), &given); err != nil {
			panic(err)
		}
		place, err := url.Parse(given[1])
		if err != nil {
			panic(err)
		}
		config := httpproxy.Config{HTTPProxy: "http://proxy:3128", HTTPSProxy: "http://proxy:3128", NoProxy: given[0]}
		proxy, err := config.ProxyFunc()(place)
		if err != nil {
			panic(err)
		}
		rows = append(rows, []any{given[0], given[1], proxy != nil})
	}
	out, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}

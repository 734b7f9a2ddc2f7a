// Asks for each URL, and prints a line for each: its name, and the status or the innermost error's type.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Go's own reading of the environment leaves this machine's loopback out.
func proxy(request *http.Request) (*url.URL, error) {
	named := os.Getenv("HTTP_PROXY")
	if named == "" {
		return nil, nil
	}
	return url.Parse(named)
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func main() {
	transport := &http.Transport{Proxy: proxy, ForceAttemptHTTP2: true}
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
	for _, pair := range os.Args[1:] {
		words := strings.SplitN(pair, "=", 2)
		answer, err := client.Get(words[1])
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		if err == nil {
			fmt.Println(words[0], answer.StatusCode)
			continue
		}
		inner := innermost(err)
		kind := strings.ReplaceAll(fmt.Sprintf("%T", inner), "*", "")
		if kind == "errors.errorString" || kind == "syscall.Errno" {
			kind = inner.Error()
		}
		fmt.Println(words[0], kind)
	}
}

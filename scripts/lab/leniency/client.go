// Reads each URL on its standard input, and prints a line for each: its content, or why there is none.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		client := &http.Client{Timeout: 4 * time.Second, Transport: &http.Transport{}}
		response, err := client.Get(lines.Text())
		if err != nil {
			fmt.Printf("! %q\n", err.Error())
			continue
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			fmt.Printf("! %q\n", err.Error())
			continue
		}
		fmt.Printf("= %q\n", string(body))
	}
}

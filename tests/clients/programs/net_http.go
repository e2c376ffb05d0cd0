// SPDX-License-Identifier: Apache-2.0
// Go's net/http.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	for _, url := range os.Args[1:] {
		answer, err := http.Get(url)
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(os.Stdout, answer.Body)
		answer.Body.Close()
	}
}

// Only tells Go, which builds this by GOPATH from Debian's packages, that import paths carry major versions.
module tapeline-bench/martian

go 1.19

require github.com/google/martian/v3 v3.3.2

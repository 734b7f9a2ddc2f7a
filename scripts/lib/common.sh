# Sourced by the scripts one level up.
# shellcheck shell=bash

# The top of the repository.
# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Everything the scripts say about themselves goes to stderr: stdout belongs to the program that is run.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# Debian keeps servers in directories that an ordinary user's PATH leaves out.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

# True if something accepts TCP connections at host $1, port $2.
listens() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# `eval "$(tapeline env)"` leaves a shell whose proxy may be gone by now. Installing and fetching must not fail for that,
# while a proxy that is really there may be the only way out and is kept.
drop_dead_local_proxies() {
  local name address
  for name in http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY ftp_proxy FTP_PROXY; do
    address=${!name:-}
    [[ $address =~ ^([a-z0-9]+://)?(127\.[0-9.]+|localhost):([0-9]+)/?$ ]] || continue
    listens "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}" && continue
    say "$name=$address: nothing listens there; ignored for this run"
    unset "$name"
  done
}

# Tests and benchmarks talk to loopback through proxies of their own: the caller's must neither carry nor exempt them.
forget_proxies() {
  unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY ftp_proxy FTP_PROXY no_proxy NO_PROXY
}

# Builds a product as it is shipped.
build_release() {
  drop_dead_local_proxies
  # docs/adr/0008: exclusivity is checked at run time by every test (debug builds), not here; thin LTO inlines across modules.
  # Each object file names the libraries it needs, and the linker maps a library once for each that does: more often than the kernel
  # allows a process (vm.max_map_count). So scripts/lib/linked-libraries names them, once.
  # docs/adr/0051: the functions that an exchange runs through lie together. Names that are gone do no harm.
  local library libraries=()
  while read -r library; do
    libraries+=(-Xlinker "-l$library")
  done <"$root/scripts/lib/linked-libraries"
  swift build --package-path "$root" --configuration release --static-swift-stdlib --product "$1" \
    -Xswiftc -enforce-exclusivity=unchecked --experimental-lto-mode thin \
    -Xlinker --no-dependent-libraries "${libraries[@]}" \
    -Xlinker "--symbol-ordering-file=$root/scripts/lib/function-order" -Xlinker --no-warn-symbol-ordering ||
    die "the build failed; its messages above say why"
}

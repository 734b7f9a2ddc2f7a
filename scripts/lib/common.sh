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

# Builds a product by the options of what is shipped.
build_release() {
  local words options
  words=$(release_options) || die "the options of the build cannot be read; the message above says why"
  mapfile -t options <<<"$words"
  drop_dead_local_proxies
  swift build --package-path "$root" --product "$1" "${options[@]}" ||
    die "the build failed; its messages above say why"
}

# The words of scripts/lib/release-options, each on a line.
release_options() {
  local line word
  while read -r line; do
    for word in ${line%%#*}; do echo "$word"; done
  done <"$root/scripts/lib/release-options"
}

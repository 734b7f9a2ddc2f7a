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
build_release() { build_as_shipped "$1" ''; }

# Builds the product from which scripts/lib/exchange-profile is counted, and says where it is.
build_unprofiled() {
  build_as_shipped "$1" exchange-profile --scratch-path "$root/.build-unprofiled" >&2
  echo "$root/.build-unprofiled/release/$1"
}

# build_as_shipped PRODUCT WITHOUT [OPTION…]; the second is what release_options leaves out.
build_as_shipped() {
  local words options
  words=$(release_options "$2") || die "the options of the build cannot be read; the message above says why"
  mapfile -t options <<<"$words"
  drop_dead_local_proxies
  swift build --package-path "$root" --product "$1" "${options[@]}" "${@:3}" ||
    die "the build failed; its messages above say why"
}

# The words of scripts/lib/release-options, each on a line, with its files by their digests; without the lines that name the file $1.
release_options() {
  local line word
  while read -r line; do
    line=${line%%#*}
    [[ -z ${1:-} || $line != *"@$1"* ]] || continue
    for word in $line; do
      [[ $word != *@* ]] || word=${word%@*}$(by_digest "${word##*@}") || return
      echo "$word"
    done
  done <"$root/scripts/lib/release-options"
}

# A copy of a file beside this one that has its digest in its name: SwiftPM builds anew when an option changes, not when a file
# that it names does.
by_digest() {
  local digest copy
  digest=$(sha256sum <"$root/scripts/lib/$1") || return
  copy=$root/.build/$1-${digest:0:16}
  if [[ ! -f $copy ]]; then
    mkdir -p "$root/.build"
    rm -f "$root/.build/$1-"*
    # Whole or not at all.
    cp "$root/scripts/lib/$1" "$copy.new" && mv "$copy.new" "$copy" || return
  fi
  echo "$copy"
}

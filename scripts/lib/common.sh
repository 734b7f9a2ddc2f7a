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

# Builds a product as it is shipped. docs/adr/0052: the compiler knows how often each line of a recorded exchange runs. What is gone
# from the sources does no harm.
build_release() {
  local profile
  profile=$(by_digest exchange-profile)
  build_optimised "$1" -Xswiftc "-profile-sample-use=$profile" -Xlinker "--lto-sample-profile=$profile" \
    -Xlinker -mllvm -Xlinker -no-warn-sample-unused
}

# Builds the product from which that profile is counted, and says where it is.
build_unprofiled() {
  build_optimised "$1" --scratch-path "$root/.build-unprofiled" >&2
  echo "$root/.build-unprofiled/release/$1"
}

# build_optimised PRODUCT [OPTION…]
build_optimised() {
  drop_dead_local_proxies
  # docs/adr/0008: exclusivity is checked at run time by every test (debug builds), not here; thin LTO inlines across modules.
  # Each object file names the libraries it needs, and the linker maps a library once for each that does: more often than the kernel
  # allows a process (vm.max_map_count). So scripts/lib/linked-libraries names them, once.
  # docs/adr/0051: the functions that an exchange runs through lie together. Names that are gone do no harm.
  local order library libraries=()
  order=$(by_digest function-order)
  while read -r library; do
    libraries+=(-Xlinker "-l$library")
  done <"$root/scripts/lib/linked-libraries"
  swift build --package-path "$root" --configuration release --static-swift-stdlib --product "$@" \
    -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -debug-info-for-profiling --experimental-lto-mode thin \
    -Xlinker --no-dependent-libraries "${libraries[@]}" \
    -Xlinker "--symbol-ordering-file=$order" -Xlinker --no-warn-symbol-ordering ||
    die "the build failed; its messages above say why"
}

# A copy of a file beside this one that has its digest in its name: SwiftPM builds anew when an option changes, not when a file
# that it names does.
by_digest() {
  local digest copy
  digest=$(sha256sum <"$root/scripts/lib/$1")
  copy=$root/.build/$1-${digest:0:16}
  if [[ ! -f $copy ]]; then
    mkdir -p "$root/.build"
    rm -f "$root/.build/$1-"*
    # Whole or not at all.
    cp "$root/scripts/lib/$1" "$copy.new"
    mv "$copy.new" "$copy"
  fi
  echo "$copy"
}

# Sourced by scripts/setup: finding out what is missing, and installing it with apt or pip.
# shellcheck shell=bash
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

missing=()

# A thing that is there already is never replaced, wherever it came from: the checks ask for the command, library or
# file itself, not for the package.
need_command() { command -v "$1" >/dev/null || missing+=("${2:-$1}"); }
need_library() { pkg-config --exists "$1" 2>/dev/null || missing+=("$2"); }
need_file() { [[ -e $1 ]] || missing+=("$2"); }
need_php_extension() { php -r "exit(extension_loaded('$1') ? 0 : 1);" 2>/dev/null || missing+=("$2"); }
need_python_module() { python3 -c "import $1" 2>/dev/null || missing+=("$2"); }

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root to run '$*', and there is no sudo; run it as root, then run this again"
  fi
}

# apt's chatter goes to a log that is shown only when something fails.
apt() {
  local log=$root/.build-tools/apt.log
  as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 &&
    return
  tail -n 20 "$log" >&2
  return 1
}

apt_knows() {
  local package
  for package in "$@"; do
    [[ $(apt-cache policy "$package" 2>/dev/null) == *"Candidate: "[0-9]* ]] || return 1
  done
}

install_missing() {
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null ||
    die "missing: ${missing[*]} (names of Debian's packages); install them your system's way, then run this again"

  say "installing with apt: ${missing[*]}"
  if ! apt_knows "${missing[@]}" || ! install_without_starting; then
    say "refreshing apt's package lists"
    apt update || say "some of apt's lists could not be refreshed; trying with what there is"
    install_without_starting || die "apt could not install: ${missing[*]}; its messages above say why"
  fi
  missing=()
}

# Tests and benchmarks run servers of their own; installing nginx must not put one on port 80 of somebody's machine.
# `policy-rc.d` is Debian's way to say so: exit status 101 means "do not start it".
install_without_starting() {
  local policy=/usr/sbin/policy-rc.d ours=no status=0 unit
  if [[ ! -e $policy ]]; then
    ours=yes
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  apt install --yes --no-install-recommends "${missing[@]}" || status=$?
  [[ $ours == no ]] || as_root rm -f "$policy"

  if ((status == 0)) && [[ -d /run/systemd/system ]]; then
    for unit in nginx haproxy squid tinyproxy; do
      [[ " ${missing[*]} " != *" $unit"* ]] || as_root systemctl --quiet disable "$unit" 2>/dev/null || true
    done
  fi
  return "$status"
}

# Makes .build-tools/NAME a virtual environment with scripts/requirements/NAME.txt in it. The receipt is written last
# and names the place and the requirements, so that a half-made, moved or outdated environment is made anew, and a
# complete one needs no network.
python_environment() {
  local environment=$root/.build-tools/$1 requirements=$root/scripts/requirements/$1.txt
  local receipt=$environment/receipt.txt wanted
  wanted=$(printf '# %s\n' "$environment" && cat "$requirements")
  if [[ -f $receipt && $(<"$receipt") == "$wanted" ]] && "$environment/bin/python" -c '' 2>/dev/null; then
    return 0
  fi

  say "installing Python packages into .build-tools/$1: $(grep -v '^#' "$requirements" | paste -s -d ' ')"
  python3 -m venv --clear "$environment" >&2 || return 1
  "$environment/bin/python" -m pip --quiet --disable-pip-version-check --no-input install -r "$requirements" >&2 || return 1
  printf '%s\n' "$wanted" >"$receipt"
}

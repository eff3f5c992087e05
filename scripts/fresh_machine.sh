#!/usr/bin/env bash
# Proves `make run` and `make test` on a fresh machine: the smallest Debian 12 with python3, python3-venv, git, make and
# ca-certificates, without OpenGL, OpenMP or a browser. The committed HEAD is cloned there and set up by an ordinary user.
#
#     scripts/fresh_machine.sh [--root FOLDER] [--tests 'PATH ...'] [--kernels FOLDER]
#
# --root      keep the Debian in this folder and use it again next time (default: a temporary folder, removed at the end)
# --tests     run only these tests (default: all)
# --kernels   machine code of a wheel of these sources, which then is not made there again (default: all is compiled)
#
# Needs root and debootstrap. Where packages come from, apt's mirror, pip's configuration, certificates and proxies, is
# taken over from this machine.
set -euo pipefail

release=bookworm
packages=python3,python3-venv,git,make,ca-certificates
source=$(cd "$(dirname "$0")/.." && pwd)
folder=""
tests=""
kernels=""

refuse() {
  echo "fresh_machine: $1" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --root) folder=${2:?--root wants a folder} ;;
    --tests) tests=${2:?--tests wants paths of tests} ;;
    --kernels) kernels=$(realpath -m "${2:?--kernels wants a folder}") ;;
    *) refuse "no such option: $1; legal: --root FOLDER, --tests 'PATH ...', --kernels FOLDER" ;;
  esac
  shift 2
done
[ -z "$kernels" ] || [ -d "$kernels" ] || refuse "there is no folder $kernels of kernels; make wheel writes it"
[ "$(id -u)" = 0 ] || refuse "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || refuse "debootstrap is missing; apt-get install debootstrap"

# The mounts below live in a namespace of their own: they and every process in it end with it, however it ends, so that
# removing the folder never reaches through a mount.
if [ -z "${ANDANTE_FRESH_MACHINE:-}" ]; then
  kept=$folder
  folder=$(realpath -m "${folder:-$(mktemp -d)}")
  [ -n "$kept" ] || trap 'rm -rf --one-file-system "$folder"' EXIT
  ANDANTE_FRESH_MACHINE=1 unshare --mount --pid --fork --kill-child \
    "$0" --root "$folder" ${tests:+--tests "$tests"} ${kernels:+--kernels "$kernels"} </dev/null
  exit
fi

home=$folder/home/andante
if [ ! -d "$home" ]; then
  mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(ORIGIN)' 'Identifier: Packages' 2>/dev/null |
    awk -v release="$release" '$2 == release && $3 == "Debian" { print $1; exit }' || true)
  [ -n "$mirror" ] || refuse "this machine's apt knows no mirror of Debian $release; add one to its sources"
  echo "fresh machine: Debian $release with $packages"
  debootstrap --variant=minbase --include="$packages" "$release" "$folder" "$mirror" >"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log" >&2; refuse "debootstrap failed"; }
  rm -f "$folder.log"
  chroot "$folder" useradd --create-home --shell /bin/bash andante
fi

chmod 755 "$folder" # a temporary folder is closed to the ordinary user
# What this machine says of networks, certificates and the package index holds there too.
cp --dereference /etc/hosts /etc/resolv.conf "$folder/etc/"
cp --dereference /usr/local/share/ca-certificates/*.crt "$folder/usr/local/share/ca-certificates/" 2>/dev/null || true
chroot "$folder" update-ca-certificates >/dev/null 2>&1
for configuration in /etc/pip.conf:"$folder/etc" "$HOME/.config/pip/pip.conf":"$home/.config/pip" \
  "$HOME/.pip/pip.conf":"$home/.pip"; do
  [ -f "${configuration%%:*}" ] && install -D -m 644 -t "${configuration#*:}" "${configuration%%:*}"
done
mapfile -t settings < <(env | grep -E -i '^(pip_[a-z_]+|[a-z]+_proxy|ssl_cert_file|ssl_cert_dir|requests_ca_bundle)=')

rm -rf "$home/andante"
git clone --quiet --no-hardlinks "$source" "$home/andante"
# Named after compiler, processor and content of each kernel: what does not fit there is not looked at and is compiled.
[ -z "$kernels" ] || cp -r "$kernels" "$home/andante/src/andante/_kernels"
chroot "$folder" chown -R andante: /home/andante
mount -t proc proc "$folder/proc"
mount -t tmpfs -o mode=1777 tmpfs "$folder/dev/shm"
# Tests of serial buses open terminals, which any machine has.
mkdir -p "$folder/dev/pts"
if mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$folder/dev/pts"; then
  ln -sf pts/ptmx "$folder/dev/ptmx"
fi

failed=0
verb() {
  local start=$SECONDS verdict=PASS
  chroot --userspec=andante:andante "$folder" /usr/bin/env -i "${settings[@]}" HOME=/home/andante LANG=C.UTF-8 \
    PATH=/usr/bin:/bin make -C /home/andante/andante --no-print-directory "$@" || verdict=FAIL
  [ $verdict = PASS ] || failed=1
  results+=("fresh machine: make $1 $verdict in $((SECONDS - start)) s")
}
results=()
verb run
verb test PYTEST_FLAGS="-rs $tests"
compiled=$(find "$home/.cache/andante/kernels" -name '*.kernel' 2>/dev/null | wc -l)
results+=("fresh machine: $compiled kernels were compiled there")
printf '%s\n' "${results[@]}"
exit $failed

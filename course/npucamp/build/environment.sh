#!/bin/sh
# Creates .venv with exactly what requirements.lock says, and this clone on its path.
# Run from the root of the clone: sh course/npucamp/build/environment.sh [PYTHON]
# Does nothing when .venv was made from the same lock, pyproject.toml and script.
set -eu

python=${1:-python3}
venv=.venv
stamp=$venv/npucamp.stamp

stop() {
    printf '\n%s\n' "$@" >&2
    exit 1
}

command -v git >/dev/null 2>&1 ||
    stop "git is missing. 缺少 git。" "    sudo apt-get install git"
command -v "$python" >/dev/null 2>&1 ||
    stop "$python is missing. 缺少 $python。" \
        "    sudo apt-get install python3 python3-venv"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') ||
    stop "$python does not run. 无法运行 $python。" \
        "Name a Python 3.11 or newer: make lab PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "Python 3.11 or newer is needed; $python is $version." \
        "需要 Python 3.11 或更新版本；$python 是 $version。" \
        "    sudo apt-get install python3.11 python3.11-venv   # or newer; then:" \
        "    make lab PYTHON=python3.11"
"$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
    stop "$python cannot create environments. $python 无法创建虚拟环境。" \
        "    sudo apt-get install python$version-venv"

wanted="$version $(cat requirements.lock pyproject.toml \
    course/npucamp/build/environment.sh | cksum) $(pwd)"
if [ -x $venv/bin/npucamp ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ] &&
    $venv/bin/python -c '' 2>/dev/null; then
    exit 0
fi

echo "Creating the environment .venv (once, about a minute) ..."
echo "正在创建环境 .venv（仅一次，约一分钟）……"
"$python" -m venv --clear $venv
quiet="--quiet --disable-pip-version-check --no-input"
$venv/bin/python -m pip install $quiet --only-binary=:all: -r requirements.lock ||
    stop "The packages could not be downloaded (pip's own words are above)." \
        "无法下载软件包（见上面 pip 的信息）。" \
        "Check the network, and the package index that pip uses (pip config list)." \
        "请检查网络以及 pip 使用的软件源（pip config list），然后重新运行 make。"
$venv/bin/python -m pip install $quiet --no-deps --no-build-isolation --editable . ||
    stop "This clone could not be installed into .venv (pip's own words are above)." \
        "无法把本仓库安装到 .venv 中（见上面 pip 的信息）。"
# Ordinary path entries: found before any folder named npucamp, such as ~/npucamp.
site=$($venv/bin/python -c 'import site; print(site.getsitepackages()[0])')
printf '%s\n' "$PWD/simulator" "$PWD/grader" "$PWD/course" >"$site/npucamp-clone.pth"
printf '%s' "$wanted" >$stamp

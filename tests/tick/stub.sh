#!/bin/sh
# stub.sh NAME BODY puts a program in the way of another, beside tick.sh, where
# it is found first. $real in BODY is the one that it stands for, "" without one.
set -eu
real=$(command -v "$1" || :)
{
	printf '#!/bin/sh\nreal=%s here=%s\n%s\n' "'$real'" "'$PWD'" "$2"
} >"bin/$1.new"
chmod +x "bin/$1.new"
mv "bin/$1.new" "bin/$1"

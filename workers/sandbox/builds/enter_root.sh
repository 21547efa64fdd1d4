#!/bin/sh
# enter_root.sh ROOT SCRIPT UID GID: runs ROOT/build/SCRIPT as that user with ROOT as its root folder. Start it in its own
# mount namespace and process namespace: then no other process sees the mounts, and they end with this script.
set -eu
root=$1 script=$2 uid=$3 gid=$4
mkdir -p "$root/dev" "$root/proc" "$root/tmp"
chmod 1777 "$root/tmp"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
chown -R "$uid:$gid" "$root/build"
cd /
exec chroot --userspec="$uid:$gid" --groups= "$root" \
   /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C /bin/sh -c 'cd /build && exec sh "./$0"' "$script"

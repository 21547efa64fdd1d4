#!/bin/sh
# Makes /build/ha_tokudb.so from the source package and the patches in /build. Runs there as the user of sandboxes, with a
# root folder that has a compiler. Optional parts other than TokuDB are left out, because their libraries are missing.
set -eu
export PATH=/usr/bin:/bin LC_ALL=C CC=gcc CXX=g++

without=
for plugin in CONNECT MROONGA ROCKSDB SPIDER OQGRAPH SPHINX CASSANDRA COLUMNSTORE S3 FEDERATED FEDERATEDX EXAMPLE \
   AUTH_GSSAPI AUTH_PAM AUTH_ED25519 AWS_KEY_MANAGEMENT CRACKLIB_PASSWORD_CHECK HANDLERSOCKET
do
   without="$without -DPLUGIN_$plugin=NO"
done

dpkg-source --no-check --extract ./*.dsc source
for fix in ./*.patch
do
   patch --directory=source --strip=1 --forward --fuzz=0 <"$fix"
done
# shellcheck disable=SC2086 # a list of options
cmake -S source -B made -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_CONFIG=mysql_release -DDEB=Debian \
   -DPLUGIN_TOKUDB=DYNAMIC -DWITH_EMBEDDED_SERVER=OFF -DWITH_UNIT_TESTS=OFF $without
make --directory=made --jobs="$(nproc)" tokudb
strip --strip-unneeded -o ha_tokudb.so made/storage/tokudb/ha_tokudb.so

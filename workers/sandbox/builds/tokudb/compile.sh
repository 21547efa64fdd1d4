#!/bin/sh
# Runs as the user of sandboxes in /build of a root that holds a compiler: makes /build/ha_tokudb.so of the source package and the
# patches that lie there. All that is optional and not TokuDB is left out, since its libraries are not there.
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

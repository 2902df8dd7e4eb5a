#!/usr/bin/env bash
# Puts everything that the image needs below the application into a directory: a Java runtime made by jlink, the
# libraries that it is linked with, a user and a few files that libraries look for. There is no shell and no package
# manager in it, so there is nothing for an intruder to use.
#   runtime.sh JAVA_HOME ROOT
set -euo pipefail
java_home=$1 root=$2

# What Spring, Tomcat, the PostgreSQL driver, Kafka's and RabbitMQ's clients and TLS load, also by reflection.
modules=java.base,java.compiler,java.desktop,java.instrument,java.logging,java.management,java.naming,java.net.http
modules+=,java.prefs,java.rmi,java.security.jgss,java.security.sasl,java.sql,java.transaction.xa,java.xml
modules+=,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.unsupported,jdk.zipfs

rm -rf "$root"
mkdir -p "$root"/{etc/posthorn,opt,tmp}

"$java_home/bin/jlink" --add-modules "$modules" --output "$root/opt/java" \
  --strip-debug --no-header-files --no-man-pages --compress=2
find "$root/opt/java/bin" -type f ! -name java -delete
# Only java.beans is used of java.desktop. Pictures, fonts and sound would need a dozen libraries more.
rm -f "$root"/opt/java/lib/lib{awt,awt_headless,awt_xawt,fontmanager,freetype,javajpeg,jawt,jsound,lcms,mlib_image,splashscreen}.so
# Debian's JDK has a link here to a file that the image would lack.
rm -f "$root/opt/java/lib/security/cacerts"
cp -L "$java_home/lib/security/cacerts" "$root/opt/java/lib/security/cacerts"

# Libraries of libraries are in the output of ldd, too. Those of the runtime itself are there already.
find "$root/opt/java" -type f \( -name '*.so' -o -path '*/bin/java' \) -exec ldd {} + 2> /dev/null |
  grep -o '/[^ ]*' | grep -v ':$' | grep -v "^$root" | sort -u |
  while read -r library; do
    [[ -f $library ]] || continue
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done

echo 'posthorn:x:10001:10001:Posthorn:/tmp:/none' > "$root/etc/passwd"
echo 'posthorn:x:10001:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"

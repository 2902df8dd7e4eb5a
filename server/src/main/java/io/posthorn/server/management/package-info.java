/** Liveness, readiness and metrics over HTTP. */
@NullMarked
package io.posthorn.server.management;

import org.jspecify.annotations.NullMarked;

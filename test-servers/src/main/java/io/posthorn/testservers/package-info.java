/**
 * Real servers for tests, demonstrations and benchmarks, and tools to break them: PostgreSQL,
 * PgBouncer, a TCP proxy that injects faults, and child JVMs.
 *
 * <p>Every server is a direct child process of this JVM, listens on 127.0.0.1 only, keeps its files
 * in its own directory, and dies with this JVM, however that ends. Linux only.
 */
@NullMarked
package io.posthorn.testservers;

import org.jspecify.annotations.NullMarked;

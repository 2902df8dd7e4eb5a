/**
 * For the tests of applications that use Posthorn: {@link io.posthorn.test.PosthornTest} is a JUnit
 * extension that has a database, delivers when the test says so, and tells what the outbox holds
 * and what destinations received.
 */
@NullMarked
package io.posthorn.test;

import org.jspecify.annotations.NullMarked;

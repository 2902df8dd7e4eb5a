/**
 * Support for the tests of applications that use Posthorn. {@link io.posthorn.test.PosthornTest} is
 * a JUnit extension that provides a database, delivers messages when the test asks for it, and
 * shows what the outbox holds and what destinations received.
 */
@NullMarked
package io.posthorn.test;

import org.jspecify.annotations.NullMarked;

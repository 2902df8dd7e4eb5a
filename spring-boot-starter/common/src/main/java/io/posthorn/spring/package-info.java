/** The outbox in Spring's transactions. */
@NullMarked
package io.posthorn.spring;

import org.jspecify.annotations.NullMarked;

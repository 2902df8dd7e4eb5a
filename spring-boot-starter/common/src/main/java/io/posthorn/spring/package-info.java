/** The outbox in Spring transactions. */
@NullMarked
package io.posthorn.spring;

import org.jspecify.annotations.NullMarked;

/** Bean methods as handlers, in Spring transactions. */
@NullMarked
package io.posthorn.spring.handler;

import org.jspecify.annotations.NullMarked;

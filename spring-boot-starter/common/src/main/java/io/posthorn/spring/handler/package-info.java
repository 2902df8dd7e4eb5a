/** Methods of beans as handlers, in transactions of Spring. */
@NullMarked
package io.posthorn.spring.handler;

import org.jspecify.annotations.NullMarked;

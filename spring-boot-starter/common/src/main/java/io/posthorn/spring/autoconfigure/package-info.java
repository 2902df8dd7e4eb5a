/** What a Spring Boot application gets with the starter on its class path. */
@NullMarked
package io.posthorn.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

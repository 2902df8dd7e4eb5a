/** The parts of the starter that are specific to Spring Boot 4. */
@NullMarked
package io.posthorn.spring.boot4;

import org.jspecify.annotations.NullMarked;

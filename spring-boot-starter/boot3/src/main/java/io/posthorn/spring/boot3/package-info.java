/** The parts of the starter that are specific to Spring Boot 3. */
@NullMarked
package io.posthorn.spring.boot3;

import org.jspecify.annotations.NullMarked;

/** The state of the outbox for Spring Boot's Actuator. */
@NullMarked
package io.posthorn.spring.actuator;

import org.jspecify.annotations.NullMarked;

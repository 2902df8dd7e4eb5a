/** The console: pages on which people see and steer deliveries, for Spring Boot 4. */
@NullMarked
package io.posthorn.console;

import org.jspecify.annotations.NullMarked;

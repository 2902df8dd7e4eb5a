/** What is different in Spring Boot 4. */
@NullMarked
package io.posthorn.spring.boot4;

import org.jspecify.annotations.NullMarked;

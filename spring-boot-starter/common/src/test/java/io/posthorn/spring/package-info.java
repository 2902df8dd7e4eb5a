/** Tests that run in boot3 and boot4, each with its own Spring Boot. */
package io.posthorn.spring;

@org.jspecify.annotations.NullMarked
package io.posthorn.spring.modulith;

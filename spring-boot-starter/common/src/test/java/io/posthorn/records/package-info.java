@org.jspecify.annotations.NullMarked
package io.posthorn.records;

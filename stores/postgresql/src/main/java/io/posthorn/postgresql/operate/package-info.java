/** What people do and see, one room for each part of {@code io.posthorn.core.operate}. */
@NullMarked
package io.posthorn.postgresql.operate;

import org.jspecify.annotations.NullMarked;

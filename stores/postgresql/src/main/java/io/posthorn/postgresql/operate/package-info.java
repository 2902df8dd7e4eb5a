/**
 * The operator's view and actions: one package for each part of {@code io.posthorn.core.operate}.
 */
@NullMarked
package io.posthorn.postgresql.operate;

import org.jspecify.annotations.NullMarked;

/** All that whoever operates Posthorn needs of a store. */
@NullMarked
package io.posthorn.core.operator;

import org.jspecify.annotations.NullMarked;

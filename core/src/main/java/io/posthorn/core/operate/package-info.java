/** All that whoever operates Posthorn needs of a store. */
@NullMarked
package io.posthorn.core.operate;

import org.jspecify.annotations.NullMarked;

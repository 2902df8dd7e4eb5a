/** Who did what. */
@NullMarked
package io.posthorn.api.audit;

import org.jspecify.annotations.NullMarked;

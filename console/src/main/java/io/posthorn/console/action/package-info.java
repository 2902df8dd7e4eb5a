/** Actions: what will happen, why, and the deed. */
@NullMarked
package io.posthorn.console.action;

import org.jspecify.annotations.NullMarked;

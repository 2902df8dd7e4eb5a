/** Who registers gets a welcome mail, and other services hear of it. */
@NullMarked
package io.posthorn.examples.registration;

import org.jspecify.annotations.NullMarked;

/** Charges cards. */
@NullMarked
package io.posthorn.examples.campuscafe.payment;

import org.jspecify.annotations.NullMarked;

/**
 * Who may do what: rights, roles, the caller of a request, and the databases that people operate.
 */
@NullMarked
package io.posthorn.api.access;

import org.jspecify.annotations.NullMarked;

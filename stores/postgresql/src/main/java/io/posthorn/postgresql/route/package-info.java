/**
 * Routes from types to destinations: their registration, and the messages that no route covers yet.
 */
@NullMarked
package io.posthorn.postgresql.route;

import org.jspecify.annotations.NullMarked;

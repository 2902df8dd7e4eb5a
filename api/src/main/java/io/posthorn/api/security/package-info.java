/**
 * The server's own login: users and tokens of its file, sessions, and strict headers. An
 * application has its own security.
 */
@NullMarked
package io.posthorn.api.security;

import org.jspecify.annotations.NullMarked;

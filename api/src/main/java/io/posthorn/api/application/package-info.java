/** The API inside an application: its one database, and its own security. */
@NullMarked
package io.posthorn.api.application;

import org.jspecify.annotations.NullMarked;

/**
 * The seam to brokers and handlers: a connector sends messages, and answers with their outcomes.
 */
@NullMarked
package io.posthorn.core.connector;

import org.jspecify.annotations.NullMarked;

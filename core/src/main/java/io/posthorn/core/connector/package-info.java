/** The seam to brokers and handlers: a connector sends, and answers with an outcome per message. */
@NullMarked
package io.posthorn.core.connector;

import org.jspecify.annotations.NullMarked;

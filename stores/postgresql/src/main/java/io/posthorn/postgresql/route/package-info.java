/** Which types go where: registered, and what no route covers kept until one does. */
@NullMarked
package io.posthorn.postgresql.route;

import org.jspecify.annotations.NullMarked;

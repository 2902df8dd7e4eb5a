/** After a restore or a copy: adopt the database, or fence it. */
@NullMarked
package io.posthorn.cli.restore;

import org.jspecify.annotations.NullMarked;

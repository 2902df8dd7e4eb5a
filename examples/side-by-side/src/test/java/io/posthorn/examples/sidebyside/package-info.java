/** Five tasks with Posthorn and with its peers: the code of docs/guide/side-by-side.md. */
@NullMarked
package io.posthorn.examples.sidebyside;

import org.jspecify.annotations.NullMarked;

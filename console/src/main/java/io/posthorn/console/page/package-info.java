/**
 * What all pages share: the frame, the links, the assets, errors, and asking a database in time.
 */
@NullMarked
package io.posthorn.console.page;

import org.jspecify.annotations.NullMarked;

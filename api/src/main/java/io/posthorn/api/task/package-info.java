/** Long work that runs in this process, such as a purge. */
@NullMarked
package io.posthorn.api.task;

import org.jspecify.annotations.NullMarked;

/** Checks payloads against JSON Schemas. */
@NullMarked
package io.posthorn.jsonschema;

import org.jspecify.annotations.NullMarked;

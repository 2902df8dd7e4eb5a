package org.springframework.stereotype;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the real one, which is on no class path of ours; the rule goes by its name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Component {}

package io.posthorn.examples.catalogue.baskets;

import java.util.List;

/** What the baskets want to know of an OrderStarted. */
record OrderStarted(String basket, List<String> products) {}

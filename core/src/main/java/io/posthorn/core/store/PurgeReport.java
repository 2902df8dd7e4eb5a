package io.posthorn.core.store;

import java.util.List;

/**
 * What a purge did.
 *
 * @param emptied the days' leaves that were emptied
 * @param waiting for whom each other leaf waits, in words for an operator
 */
public record PurgeReport(List<String> emptied, List<String> waiting) {}

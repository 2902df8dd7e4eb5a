package io.posthorn.core.operate.retention;

import java.util.List;

/**
 * What a purge did.
 *
 * @param emptied the days' leaves that were emptied
 * @param waiting for whom each other leaf waits, in words for an operator
 * @param archived how many messages were archived
 * @param expired how many dead letters were removed
 * @param expiring letters that will be removed within {@link RetentionTimes#ANNOUNCED}
 */
public record PurgeReport(
    List<String> emptied,
    List<String> waiting,
    long archived,
    long expired,
    List<Expiring> expiring) {}

package io.posthorn.core.operate.retention;

import java.util.List;

/**
 * What a purge did.
 *
 * @param emptied the leaves of the log that were emptied; each leaf holds one day
 * @param waiting for each leaf that was due and not emptied, what it waits for, worded for an
 *     operator
 * @param archived the number of messages that were archived
 * @param expired the number of dead letters that were removed
 * @param expiring dead letters that will be removed within {@link RetentionTimes#ANNOUNCED}
 */
public record PurgeReport(
    List<String> emptied,
    List<String> waiting,
    long archived,
    long expired,
    List<Expiring> expiring) {}

package io.posthorn.demo;

import java.time.Duration;

/**
 * What the person asked for.
 *
 * @param rate business transactions per second
 * @param keys how many orders there are
 * @param killEvery zero = never
 * @param limit zero = until stopped
 * @param live shown as a picture, which nothing else must write into
 */
record DemoOptions(int rate, int keys, Duration killEvery, Duration limit, boolean live) {}

package io.posthorn.demo;

import java.time.Duration;

/**
 * The options of a demo.
 *
 * @param rate business transactions per second
 * @param keys number of orders
 * @param killEvery time between two kills; zero for none
 * @param limit when to stop; zero for not before Ctrl-C
 * @param live whether a picture is shown, so that nothing else may write to the terminal
 */
record DemoOptions(int rate, int keys, Duration killEvery, Duration limit, boolean live) {}

package io.posthorn.core.relay;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.trace.Tracing;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** What all lanes of a relay share: the store, the settings, the clock and the observers. */
record RelayContext(
    RelayStore store,
    RelayConfig config,
    Executor storeThreads,
    ConnectorChecks checks,
    WarnOncePerMinute warnOnce,
    Ticker ticker,
    RandomGenerator random,
    Observer observer,
    Tracing tracing,
    PayloadCipher cipher,
    Classifier classifier) {}

package io.posthorn.architecture.broken.testkit;

import io.posthorn.architecture.broken.postgresql.Store;

public record Kit(Store store) {}

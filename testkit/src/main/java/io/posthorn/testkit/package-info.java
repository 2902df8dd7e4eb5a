/**
 * What our own tests and yours are made of: the {@linkplain io.posthorn.testkit.Oracle oracle} that
 * finds lost, duplicated and reordered messages, a {@linkplain io.posthorn.testkit.FakeConnector
 * connector} that misbehaves on command, and the {@linkplain io.posthorn.testkit.StoreContract
 * contract} that every store keeps. The names of its tests are the guarantees.
 */
@NullMarked
package io.posthorn.testkit;

import org.jspecify.annotations.NullMarked;

package io.posthorn.architecture.broken.postgresql;

public final class Store {}

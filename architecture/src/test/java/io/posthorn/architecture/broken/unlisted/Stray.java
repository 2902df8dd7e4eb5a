package io.posthorn.architecture.broken.unlisted;

public final class Stray {}

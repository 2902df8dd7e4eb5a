package io.posthorn.architecture.broken.util;

public final class Strings {}

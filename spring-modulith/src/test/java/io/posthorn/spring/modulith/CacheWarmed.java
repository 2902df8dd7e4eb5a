package io.posthorn.spring.modulith;

import org.springframework.modulith.events.Externalized;

@Externalized
record CacheWarmed(String cache) {}

package io.posthorn.examples.catalogue;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Buttons for the bad road; only where somebody tries the application, not in its tests. */
@TestComponent
@RestController
class Road {
  private volatile boolean open = true;

  record State(boolean open, int waiting) {}

  @GetMapping("/road")
  State state() {
    return new State(open, TryCatalogue.OUTSIDE.road().waiting());
  }

  @PutMapping("/road")
  void set(@RequestParam boolean open) {
    if (open) {
      TryCatalogue.OUTSIDE.road().letGo();
    } else {
      TryCatalogue.OUTSIDE.road().hold();
    }
    this.open = open;
  }

  @PostMapping("/road/again")
  void again() {
    TryCatalogue.OUTSIDE.road().again();
  }
}

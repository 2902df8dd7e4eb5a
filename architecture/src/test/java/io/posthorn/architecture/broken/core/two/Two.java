package io.posthorn.architecture.broken.core.two;

import io.posthorn.architecture.broken.core.one.One;
import java.io.IOException;
import java.io.ObjectInputStream;

public final class Two {
  public One cycle() {
    System.out.println("printed from core");
    return new One();
  }

  public Object read(ObjectInputStream in) throws IOException, ClassNotFoundException {
    return in.readObject();
  }
}

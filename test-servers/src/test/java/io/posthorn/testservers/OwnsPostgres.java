package io.posthorn.testservers;

/** Run in a JVM of its own: starts PostgreSQL, says so, and does as its standard input says. */
final class OwnsPostgres {
  private OwnsPostgres() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] args) throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
    if (args.length > 0 && args[0].equals("frozen")) {
      postgres.freeze();
    }
    System.out.println("started " + postgres.pid() + " " + postgres.dataDirectory());
    if (System.in.read() == 'x') {
      System.exit(0);
    }
  }
}

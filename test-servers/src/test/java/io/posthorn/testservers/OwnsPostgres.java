package io.posthorn.testservers;

/** Runs in its own JVM: starts PostgreSQL, reports it, and obeys its standard input. */
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

package io.posthorn.server;

import io.posthorn.api.security.ApiToken;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Makes a token, and prints it with its hash. */
@Command(
    name = "token",
    description = {
      "Make a token for a program: give the token to the program, and write the hash as token-hash into the server's file.",
      "Nothing else knows the token, so it is not shown again."
    })
final class TokenCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    String token = ApiToken.generate();
    PrintWriter out = spec.commandLine().getOut();
    out.println("token " + token);
    out.println("hash  " + ApiToken.hashOf(token));
    return 0;
  }
}

package io.posthorn.cli.completion;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the script that lets a shell complete commands and options. */
@Command(
    name = "completion",
    description = {
      "Print a script that lets bash or zsh complete commands, options and their values.",
      "It needs no database."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(posthorn completion bash)      # in ~/.bashrc",
      "  source <(posthorn completion zsh)       # in ~/.zshrc"
    })
public final class CompletionCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  private Shell shell = Shell.BASH;

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    if (shell == Shell.ZSH) {
      // The script turns bash's commands on by itself, but zsh must load its completion first.
      out.println("autoload -Uz compinit && compinit");
    }
    out.println(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
    out.flush();
  }
}
